// The copy of a Collector's configuration for a run: it has the run's addresses, and sends nothing to the network.

package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Copy is the copy of a user's configuration.
type Copy struct {
	File     string          // what the user's file is called
	Given    string          // what it says
	Changes  []Change        // what the copy has otherwise
	Receives []protocol.Name // what its receivers take in of what tracers send
	Sends    []protocol.Name // how spans leave for the sink
	Holds    time.Duration   // longest time that its processors hold a span back, as far as the file says
	Renames  bool            // a processor may give spans other names
	Varies   bool            // a time of them comes from a variable
	Routes   Routes
}

// Change is one thing that the copy has otherwise than the user's file.
type Change struct {
	Line int // of the user's file
	Text string
}

// nowhere is a free port of this machine for servers that are not used.
const nowhere = "127.0.0.1:0"

// CopyOf makes the copy of a Collector's configuration: the text that a run takes. Where it cannot be, s has a problem; file is
// the configuration's name for errors.
func (s *Source) CopyOf(file, text string, of *Service, all bool) (string, *Copy) {
	c := &collector{Source: &Source{File: file}, has: of.Components, own: of.Process.Env, copy: &Copy{File: Printable(file), Given: text}}
	if all {
		c.has = nil
	}
	defer func() { s.Problems = append(s.Problems, c.Problems...) }()
	if c.root = ParseYAML(c.Source, []byte(text)); c.root == nil || len(c.Problems) > 0 || !c.read() {
		return text, c.copy
	}
	if c.undefined(); len(c.Problems) > 0 {
		return text, c.copy
	}
	lacked := c.lackedExtensions()
	c.unheard()
	c.lacking()
	c.replaceExporters()
	c.prune()
	c.listen()
	c.sendToSink()
	c.extensions()
	c.processors()
	c.dangling(lacked)
	c.telemetry()
	c.routes()
	slices.SortStableFunc(c.copy.Changes, func(a, b Change) int { return a.Line - b.Line })
	var b strings.Builder
	c.root.lay(&b, 0)
	return b.String(), c.copy
}

// ours reports whether a text takes an address from a variable of tracetax: then it stays as it is.
func (c *collector) ours(n *Node) bool {
	if n == nil {
		return false
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(c.own)), func(name string) bool { return strings.Contains(n.Text, "${env:"+name+"}") })
}

// address gives a key of a component an address of the run; false where it has one already.
func (c *collector) address(n *Node, way, key, to string) bool {
	old := n.Get(key)
	if c.ours(old) {
		return false
	}
	from, at := "default", n.At
	if old != nil && old.Kind == Scalar {
		from, at = old.Text, old.At
	}
	n.put(key, quotedWord(to))
	c.change(at, "%s.%s: %s → %s", way, key, from, to)
	return true
}

// takeOff takes keys out of a component that make no sense on this machine.
func (c *collector) takeOff(n *Node, way string, keys ...string) {
	for _, key := range keys {
		if old := n.Get(key); old != nil {
			n.drop(key)
			c.change(old.At, "%s.%s: taken off", way, key)
		}
	}
}

// entered calls with every component of a section that pipelines name, or all where that is not known.
func (c *collector) entered(section string, of func(*pipeline) *Node, with func(e Entry)) {
	for _, e := range c.section(section).Entries {
		if c.opaque || c.named(e.Key, of) {
			with(e)
		}
	}
}

// listen gives receivers the ports of the run: the first of a kind that spans come to gets what the app is told, others a
// free port.
func (c *collector) listen() {
	given := map[string]bool{}
	for _, e := range c.section(receiverSection).Entries {
		for name := range c.own {
			given[name] = given[name] || e.Value.mentions("${env:"+name+"}")
		}
	}
	port := func(n *Node, way, variable string, traces bool) {
		to := nowhere
		if traces && !given[variable] {
			to, given[variable] = "${env:"+variable+"}", true
		}
		c.address(n, way, "endpoint", to)
		c.takeOff(n, way, "tls", "auth", "transport", "traces_url_path")
	}
	c.entered(receiverSection, receiversOf, func(e Entry) {
		way := receiverSection + "." + e.Key
		traces := c.opaque || slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return p.signal == "traces" && p.receivers.holds(e.Key) })
		switch TypeOf(e.Key) {
		case "zipkin":
			port(e.Value, way, "ZIPKIN", traces)
		case "otlp":
			protocols := e.Value.Get("protocols")
			if protocols == nil {
				return // the Collector says what is wrong
			}
			for _, p := range protocols.Entries {
				variable := map[string]string{"grpc": "OTLP_GRPC", "http": "OTLP_HTTP"}[p.Key]
				port(p.Value, way+".protocols."+p.Key, variable, traces && variable != "")
			}
		}
	})
	for variable, name := range map[string]protocol.Name{"OTLP_GRPC": protocol.OTLPGRPC, "OTLP_HTTP": protocol.OTLPHTTP, "ZIPKIN": protocol.Zipkin} {
		if given[variable] {
			c.copy.Receives = append(c.copy.Receives, name)
		}
	}
	slices.Sort(c.copy.Receives)
	if len(c.copy.Receives) == 0 {
		c.Fail(c.root.Get("service").Get("pipelines").At, "no pipeline of traces has a receiver that spans can come to: give one of them a receiver otlp or zipkin")
	}
}

// mentions reports whether a text stands anywhere in a tree.
func (n *Node) mentions(text string) bool {
	return strings.Contains(n.Text, text) || slices.ContainsFunc(n.Items, func(item *Node) bool { return item.mentions(text) }) ||
		slices.ContainsFunc(n.Entries, func(e Entry) bool { return e.Value.mentions(text) })
}

// networkExporters are exporters with an address to rewrite; other ones that are not local are replaced by one of them.
var (
	networkExporters = []string{"otlp_grpc", "otlp_http", "zipkin", "load_balancing"}
	localExporters   = []string{"debug", "nop"}
)

// replaceExporters puts an exporter over OTLP in the place of those that would send to a vendor, write a file or wait to be asked.
func (c *collector) replaceExporters() {
	section := c.section(exporterSection)
	for i, e := range section.Entries {
		kind := component(e.Key)
		if slices.Contains(networkExporters, kind) || slices.Contains(localExporters, kind) && TypeOf(e.Key) != "logging" {
			continue
		}
		id, value := c.exporterType("otlp_grpc")+"/"+strings.ReplaceAll(e.Key, "/", "-"), &Node{Kind: Mapping, At: e.At}
		if kind == "debug" {
			id = "debug/" + strings.ReplaceAll(e.Key, "/", "-")
		} else {
			value.put("endpoint", quotedWord("${env:SINK}"))
			value.put("tls", table("insecure", bareWord("true")))
		}
		for _, key := range []string{"sending_queue", "retry_on_failure", "timeout"} {
			if old := e.Value.Get(key); old != nil && kind != "debug" {
				value.put(key, old)
			}
		}
		section.Entries[i] = Entry{id, e.At, value}
		if c.rename(e.Key, id) || c.opaque {
			c.change(e.At, "exporters.%s: replaced by %s, nothing goes to the network", e.Key, id)
		}
	}
}

// rename gives an exporter another id in all pipelines; false where none has it.
func (c *collector) rename(from, to string) bool {
	found := false
	for _, p := range c.pipelines {
		for _, id := range p.exporters.Items {
			if id.Text == from {
				id.Text, found = to, true
			}
		}
	}
	return found
}

// exporterType returns the name of a type of exporter: a program of the PATH may not know its present name.
func (c *collector) exporterType(now string) string {
	if c.has == nil {
		for former, present := range renamedComponents {
			if present == now {
				return former
			}
		}
	}
	return now
}

// sendToSink gives exporters the addresses of the sink.
func (c *collector) sendToSink() {
	c.entered(exporterSection, exportersOf, func(e Entry) {
		way := exporterSection + "." + e.Key
		if queue := e.Value.Get("sending_queue"); queue != nil && queue.Get("batch") != nil {
			c.holdsFor(queue.Get("batch"), "flush_timeout", 200*time.Millisecond)
		}
		switch component(e.Key) {
		case "otlp_grpc":
			if c.address(e.Value, way, "endpoint", "${env:SINK}") {
				c.plainText(e.Value, way)
			}
		case "otlp_http":
			if c.address(e.Value, way, "endpoint", "http://${env:SINK_HTTP}") {
				c.takeOff(e.Value, way, "tls", "auth", "proxy_url", "traces_endpoint", "metrics_endpoint", "logs_endpoint", "profiles_endpoint")
			}
		case "zipkin":
			if c.address(e.Value, way, "endpoint", "http://${env:SINK_ZIPKIN}/api/v2/spans") {
				c.takeOff(e.Value, way, "tls", "auth", "proxy_url")
			}
		case "load_balancing":
			c.balanced(e.Value, way)
		}
	})
}

// plainText has an exporter over gRPC send without TLS.
func (c *collector) plainText(n *Node, way string) {
	if tls := n.Get("tls"); tls == nil || len(tls.Entries) != 1 || tls.Get("insecure") == nil || tls.Get("insecure").Text != "true" {
		at := n.At
		if tls != nil {
			at = tls.At
		}
		n.put("tls", table("insecure", bareWord("true")))
		c.change(at, "%s.tls: taken off", way)
	}
	c.takeOff(n, way, "auth")
}

// balanced has an exporter that spreads its spans over several others send to the one that there is.
func (c *collector) balanced(n *Node, way string) {
	resolver := n.Get("resolver")
	if c.ours(resolver) || resolver != nil && resolver.mentions("${env:SINK}") {
		return
	}
	at := n.At
	if resolver != nil {
		at = resolver.At
	}
	n.put("resolver", table("static", table("hostnames", row(quotedWord("${env:SINK}")))))
	c.change(at, "%s.resolver: the one address ${env:SINK}", way)
	c.plainText(n.below("protocol").below("otlp"), way+".protocol.otlp")
}

// The extensions, the processors and the telemetry in the copy of a Collector's configuration.

// extensions gives those that listen a free port, and those that keep files a folder of the run.
func (c *collector) extensions() {
	for _, e := range c.section(extensionSection).Entries {
		if !c.extended(e.Key) {
			continue
		}
		way := extensionSection + "." + e.Key
		switch component(e.Key) {
		case "health_check", "pprof", "zpages":
			c.address(e.Value, way, "endpoint", nowhere)
			c.takeOff(e.Value, way, "tls", "auth", "save_to_file")
		case "file_storage":
			if c.address(e.Value, way, "directory", "${env:STORAGE}/"+strings.ReplaceAll(e.Key, "/", "-")) {
				e.Value.put("create_directory", bareWord("true"))
				c.takeOff(e.Value, way, "compaction")
			}
		}
	}
}

// localDetectors are the detectors that ask nothing beyond this machine.
var localDetectors = []string{"env", "system"}

// processors keeps those that ask the surroundings of the user's Collector from asking.
func (c *collector) processors() {
	c.entered(processorSection, processorsOf, func(e Entry) {
		way := processorSection + "." + e.Key
		switch component(e.Key) {
		case "k8s_attributes":
			if old := e.Value.Get("passthrough"); old == nil || old.Text != "true" {
				e.Value.put("passthrough", bareWord("true"))
				for _, key := range []string{"auth_type", "filter", "kube_config_path", "context"} {
					e.Value.drop(key)
				}
				c.change(e.At, "%s.passthrough: true, there is no Kubernetes to ask: it adds the address of the pod alone", way)
			}
		case "resource_detection":
			detectors := e.Value.Get("detectors")
			if detectors == nil || detectors.Kind != List {
				return
			}
			before := len(detectors.Items)
			detectors.Items = slices.DeleteFunc(detectors.Items, func(d *Node) bool { return !slices.Contains(localDetectors, d.Text) })
			if len(detectors.Items) == 0 {
				detectors.Items = []*Node{bareWord("env")}
			}
			if len(detectors.Items) < before || before == 0 {
				c.change(detectors.At, "%s.detectors: those alone that ask nothing beyond this machine", way)
			}
		}
		c.holds(e)
		c.copy.Renames = c.copy.Renames || renames(e)
	})
}

// renames reports whether a processor may rename spans; true for an unknown one.
func renames(e Entry) bool {
	switch kind := component(e.Key); {
	case kind == "span":
		return true
	case kind == "transform":
		return e.Value.mentions("name")
	default:
		return !slices.Contains(passingProcessors, kind) && !slices.Contains(samplingProcessors, kind)
	}
}

// holds adds how long a processor holds spans back.
func (c *collector) holds(e Entry) {
	of := map[string]struct {
		key   string
		usual time.Duration
		more  time.Duration
	}{
		"batch":         {"timeout", 200 * time.Millisecond, 0},
		"tail_sampling": {"decision_wait", 30 * time.Second, time.Second}, // it decides once a second
		"groupbytrace":  {"wait_duration", time.Second, 0},
	}
	held, holds := of[component(e.Key)]
	if holds && slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return p.signal == "traces" && p.processors.holds(e.Key) }) {
		c.copy.Holds += held.more
		c.holdsFor(e.Value, held.key, held.usual)
	}
}

// holdsFor adds the time that a key of a component says, or that it has without.
func (c *collector) holdsFor(n *Node, key string, usual time.Duration) {
	if said := n.Get(key); said != nil {
		d, err := time.ParseDuration(said.Text)
		if err != nil {
			c.copy.Varies = true // it is a variable's: the hop's settings say it
			return
		}
		usual = d
	}
	c.copy.Holds += usual
}

// telemetry has the Collector show its counters where tracetax reads them, and send nothing about itself.
func (c *collector) telemetry() {
	service := c.root.Get("service")
	own := service.below("telemetry")
	c.takeOff(own, "service.telemetry", "traces")
	if logs := own.Get("logs"); logs != nil {
		c.takeOff(logs, "service.telemetry.logs", "output_paths", "error_output_paths", "processors")
	}
	metrics := own.below("metrics")
	c.takeOff(metrics, "service.telemetry.metrics", "address", "views")
	readers := metrics.Get("readers")
	if readers != nil && readers.mentions("${env:METRICS_PORT}") {
		return
	}
	at := metrics.At
	if readers != nil {
		at = readers.At
	}
	prometheus := table("host", quotedWord("127.0.0.1"))
	prometheus.put("port", bareWord("${env:METRICS_PORT}"))
	metrics.put("readers", row(table("pull", table("exporter", table("prometheus", prometheus)))))
	c.change(at, "service.telemetry.metrics.readers: one at 127.0.0.1:${env:METRICS_PORT}, from which tracetax reads the counters")
}

// Lines are the changes in words.
func (c *Copy) Lines() []string {
	var out []string
	for _, one := range c.Changes {
		out = append(out, fmt.Sprintf("%s:%d: %s", c.File, one.Line, one.Text))
	}
	return out
}
