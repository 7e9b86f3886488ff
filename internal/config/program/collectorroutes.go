// The ways of spans through the pipelines of a Collector: which of them the sink counts.

package program

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Routes describes the ways of spans from the receivers to the sink, as far as they are known.
type Routes struct {
	Counted []string // exporters whose spans the sink counts; nil: it is not known which
	LeftOut string   // what it is worth that the Collector says how many spans it leaves out; "": it is of the way that is counted
}

// What a Collector says that it leaves out may not be of the way that is counted.
const (
	LeftOutUnknown   = "unknown"   // it may be of another way as well
	LeftOutElsewhere = "elsewhere" // it is of other ways alone
)

// passingProcessors are the processors that pass every span on.
var passingProcessors = []string{
	"attributes", "batch", "groupbyattrs", "groupbytrace", "k8s_attributes", "memory_limiter", "redaction", "resource", "resource_detection", "span", "transform",
}

// leaf is the end of a way: an exporter in a pipeline.
type leaf struct {
	pipeline *pipeline
	id       *Node
	way      []*pipeline
	whole    bool // nothing on the way leaves spans out
}

// samplingProcessors leave spans out, and change none.
var samplingProcessors = []string{"filter", "probabilistic_sampler", "tail_sampling"}

// routes finds the ways of spans. Where spans take several, the sink counts one on which none is left out, and the copies that
// come by the others are marked: they cost what they cost, and are no duplicates. Where there is none, it counts all.
func (c *collector) routes() {
	r := &c.copy.Routes
	if c.opaque {
		c.copy.Sends = []protocol.Name{protocol.OTLPGRPC}
		return
	}
	var ends []leaf
	for _, p := range c.pipelines {
		if p.signal == "traces" && slices.ContainsFunc(p.receivers.Items, func(id *Node) bool { return !c.connects(id.Text) }) {
			ends = c.follow(ends, p, nil, true)
		}
	}
	if len(ends) == 0 {
		c.Fail(c.root.Get("service").Get("pipelines").At, "no pipeline of traces sends spans on: give one of them an exporter otlp or otlphttp, whatever its endpoint")
		return
	}
	counted := slices.IndexFunc(ends, func(l leaf) bool { return l.whole })
	var kept []*pipeline
	var ways []*pipeline
	for i, l := range ends {
		if counted >= 0 && i != counted || slices.Contains(kept, l.pipeline) {
			c.mark(l)
			continue
		}
		kept = append(kept, l.pipeline)
		ways = append(ways, l.way...)
		if !slices.Contains(r.Counted, l.id.Text) {
			r.Counted = append(r.Counted, l.id.Text)
		}
		c.sends(l.id.Text)
	}
	var here, elsewhere bool
	for _, p := range c.pipelines {
		if p.signal == "traces" && p.leavesOut() {
			on := slices.Contains(ways, p)
			here, elsewhere = here || on, elsewhere || !on
		}
	}
	switch {
	case here && (elsewhere || len(kept) > 1):
		r.LeftOut = LeftOutUnknown
	case elsewhere:
		r.LeftOut = LeftOutElsewhere
	}
}

// leavesOut reports whether a processor of the pipeline may leave spans out.
func (p *pipeline) leavesOut() bool {
	return slices.ContainsFunc(p.processors.Items, func(id *Node) bool { return !slices.Contains(passingProcessors, component(id.Text)) })
}

// follow adds the ends of all ways from a pipeline on.
func (c *collector) follow(ends []leaf, p *pipeline, way []*pipeline, whole bool) []leaf {
	if slices.Contains(way, p) {
		return ends // a circle, which the Collector refuses
	}
	way = append(slices.Clone(way), p)
	whole = whole && !p.leavesOut()
	for _, id := range p.exporters.Items {
		if !c.connects(id.Text) {
			if slices.Contains(networkExporters, component(id.Text)) {
				ends = append(ends, leaf{p, id, way, whole})
			}
			continue
		}
		for _, next := range c.pipelines {
			if next.signal == "traces" && next.receivers.holds(id.Text) {
				ends = c.follow(ends, next, way, whole && component(id.Text) == "forward")
			}
		}
	}
	return ends
}

// mark has spans at the end of a way that is not counted go to the sink as copies.
func (c *collector) mark(l leaf) {
	section, old := c.section(exporterSection), l.id.Text
	id := TypeOf(old) + "/" + strings.ReplaceAll(old, "/", "-") + "-copy"
	if section.Get(id) == nil {
		value := section.Get(old).clone()
		to := value
		switch component(old) {
		case "otlp_grpc":
			value.put("endpoint", quotedWord("${env:COPIES}"))
		case "otlp_http":
			value.put("endpoint", quotedWord("http://${env:COPIES_HTTP}"))
		case "zipkin": // the sink's receiver of Zipkin may be another hop's
			id = c.exporterType("otlp_http") + "/" + strings.ReplaceAll(old, "/", "-") + "-copy"
			value = table("endpoint", quotedWord("http://${env:COPIES_HTTP}"))
			to = value
		case "load_balancing":
			value.put("resolver", table("static", table("hostnames", row(quotedWord("${env:COPIES}")))))
			to = value.below("protocol").below("otlp")
		}
		to.below("headers").put(protocol.CopyHeader, quotedWord("true"))
		section.put(id, value)
		c.change(l.id.At, "exporters.%s in pipeline %s: %s, whose spans the sink takes in and does not count: they come to it by another exporter too", old, l.pipeline.id, id)
	}
	l.id.Text = id
}

// says returns the counters of a Collector that belong to the counted ways.
func (r Routes) says(all []Saying) []Saying {
	var out []Saying
	for _, one := range all {
		switch one.What {
		case SaysDropped, SaysFailed, SaysSent:
			if r.Counted == nil {
				out = append(out, one)
			}
			for _, id := range r.Counted {
				by := one
				by.Metrics += `{exporter="` + id + `"}`
				out = append(out, by)
			}
		case SaysSampled, SaysEarly, SaysKept, SaysLate:
			switch r.LeftOut {
			case "":
				out = append(out, one)
			case LeftOutElsewhere:
				if one.What == SaysSampled { // none: of no processor
					one.Metrics, one.One = `otelcol_processor_filter_spans_filtered{filter=""}`, ""
					out = append(out, one)
				}
			}
		default:
			out = append(out, one)
		}
	}
	return out
}

// clone is a tree of its own.
func (n *Node) clone() *Node {
	out := *n
	out.Items, out.Entries = nil, nil
	for _, item := range n.Items {
		out.Items = append(out.Items, item.clone())
	}
	for _, e := range n.Entries {
		out.Entries = append(out.Entries, Entry{e.Key, e.At, e.Value.clone()})
	}
	return &out
}

// sends notes how an exporter sends spans.
func (c *collector) sends(id string) {
	how := protocol.OTLPGRPC
	switch component(id) {
	case "otlp_http":
		how = protocol.OTLPHTTP
	case "zipkin":
		how = protocol.Zipkin
	}
	if !slices.Contains(c.copy.Sends, how) {
		c.copy.Sends = append(c.copy.Sends, how)
	}
}

// Changing a tree of YAML, and writing it as a text again.

// drop takes a key out of a mapping; false where it is not there.
func (n *Node) drop(key string) bool {
	before := len(n.Entries)
	n.Entries = slices.DeleteFunc(n.Entries, func(e Entry) bool { return e.Key == key })
	return len(n.Entries) < before
}

// put gives a key of a mapping a value, and what was null becomes a mapping.
func (n *Node) put(key string, value *Node) {
	n.Kind = Mapping
	for i, e := range n.Entries {
		if e.Key == key {
			n.Entries[i].Value = value
			return
		}
	}
	n.Entries = append(n.Entries, Entry{Key: key, At: n.At, Value: value})
}

// below is the mapping at a key of a mapping, which is made where there is none.
func (n *Node) below(key string) *Node {
	at := n.Get(key)
	if at == nil || at.Kind != Mapping {
		at = &Node{Kind: Mapping, At: n.At}
		n.put(key, at)
	}
	return at
}

// quotedWord is a text, bareWord what may be a number as well.
func quotedWord(text string) *Node { return &Node{Kind: Scalar, Text: text, quoted: true} }

func bareWord(text string) *Node { return &Node{Kind: Scalar, Text: text} }

func row(items ...*Node) *Node { return &Node{Kind: List, Items: items} }

func table(key string, value *Node) *Node {
	n := &Node{Kind: Mapping}
	n.put(key, value)
	return n
}

// lay writes a tree as YAML. A scalar that was quoted stays quoted, and keeps its type.
func (n *Node) lay(b *strings.Builder, indent int) {
	gap := strings.Repeat("  ", indent)
	switch {
	case n.Kind == Mapping && len(n.Entries) > 0:
		for _, e := range n.Entries {
			b.WriteString(gap + layKey(e.Key) + ":")
			e.Value.layValue(b, indent)
		}
	case n.Kind == List && len(n.Items) > 0:
		for _, item := range n.Items {
			b.WriteString(gap + "-")
			item.layValue(b, indent)
		}
	}
}

func (n *Node) layValue(b *strings.Builder, indent int) {
	switch {
	case n.Kind == Null:
		b.WriteString("\n")
	case n.Kind == Mapping && len(n.Entries) == 0:
		b.WriteString(" {}\n")
	case n.Kind == List && len(n.Items) == 0:
		b.WriteString(" []\n")
	case n.Kind == Scalar && (n.quoted || strings.ContainsAny(n.Text, "\n\r\t") || n.Text == ""):
		b.WriteString(" " + quoteYAML(n.Text) + "\n")
	case n.Kind == Scalar:
		b.WriteString(" " + n.Text + "\n")
	default:
		b.WriteString("\n")
		n.lay(b, indent+1)
	}
}

func layKey(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_/.-", r))
	}) || key == "" {
		return quoteYAML(key)
	}
	return key
}

// quoteYAML is a text in double quotes: what Go escapes, YAML reads.
func quoteYAML(text string) string { return strconv.Quote(text) }
