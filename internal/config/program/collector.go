// The configuration of a Collector, as its user has it: what it names, and which of it the Collector has.

package program

import (
	"fmt"
	"slices"
	"strings"
)

// The sections of a Collector's configuration that hold components.
const (
	receiverSection  = "receivers"
	processorSection = "processors"
	exporterSection  = "exporters"
	connectorSection = "connectors"
	extensionSection = "extensions"
)

var componentSections = []string{receiverSection, processorSection, exporterSection, connectorSection, extensionSection}

// Components are the types of components that a Collector has, by section of its configuration.
type Components map[string][]string

// Sections are types of a Collector's components, by section of its configuration.
type Sections struct {
	_          struct{} `called:"components"`
	Receivers  []string `yaml:"receivers"`  // those that it has
	Processors []string `yaml:"processors"` // likewise
	Exporters  []string `yaml:"exporters"`  // likewise
	Connectors []string `yaml:"connectors"` // likewise
	Extensions []string `yaml:"extensions"` // likewise
}

func (s *Source) components(n *Node) Components {
	var has Sections
	s.Decode(n, &has)
	out := Components{}
	for section, types := range map[string][]string{
		receiverSection: has.Receivers, processorSection: has.Processors, exporterSection: has.Exporters,
		connectorSection: has.Connectors, extensionSection: has.Extensions,
	} {
		if n.Get(section) != nil {
			out[section] = types
		}
	}
	return out
}

// pipeline is one of a Collector: its own lists, which the copy changes.
type pipeline struct {
	id, signal                       string
	at                               Place
	receivers, processors, exporters *Node
}

// collector is a configuration on its way to its copy.
type collector struct {
	*Source              // of the configuration's own file
	has       Components // nil: all, since it is another program that has them
	own       map[string]string
	root      *Node
	pipelines []*pipeline
	opaque    bool // a list of a pipeline comes from a variable: what it holds is not known here
	copy      *Copy
}

// TypeOf is the type of a component of that id.
func TypeOf(id string) string {
	kind, _, _ := strings.Cut(id, "/")
	return strings.TrimSpace(kind)
}

// component is the type of anything but a receiver by its present name: the Collector takes both.
func component(id string) string {
	kind := TypeOf(id)
	if now, old := renamedComponents[kind]; old {
		return now
	}
	return kind
}

// renamedComponents are the former names of types.
var renamedComponents = map[string]string{
	"otlp": "otlp_grpc", "otlphttp": "otlp_http", "logging": "debug", "loadbalancing": "load_balancing",
	"k8sattributes": "k8s_attributes", "resourcedetection": "resource_detection", "spanmetrics": "span_metrics",
}

// section is a section of the file; an empty one where there is none.
func (c *collector) section(name string) *Node {
	if n := c.root.Get(name); n != nil && n.Kind == Mapping {
		return n
	}
	return &Node{Kind: Mapping}
}

// read takes the file apart; false where it is no configuration of a Collector.
func (c *collector) read() bool {
	service := c.root.Get("service")
	if service == nil || service.Kind != Mapping || service.Get("pipelines") == nil || service.Get("pipelines").Kind != Mapping {
		if way, at := inside(c.root, ""); way != "" {
			c.Fail(at, "this is no configuration of a Collector: the configuration lies inside, at %s; write what stands there into a file of its own", Printable(way))
		} else {
			c.Fail(c.root.At, "this is no configuration of a Collector: service has no pipelines")
		}
		return false
	}
	for _, e := range service.Get("pipelines").Entries {
		p := &pipeline{id: e.Key, signal: TypeOf(e.Key), at: e.At}
		for key, list := range map[string]**Node{receiverSection: &p.receivers, processorSection: &p.processors, exporterSection: &p.exporters} {
			*list = c.list(e, key)
		}
		c.pipelines = append(c.pipelines, p)
	}
	return len(c.Problems) == 0
}

// list is a list of a pipeline; an empty one where it is not there, or comes from a variable.
func (c *collector) list(of Entry, key string) *Node {
	n := of.Value.Get(key)
	switch {
	case n == nil || n.Kind == Null:
		return &Node{At: of.At, Kind: List}
	case n.Kind == Scalar && strings.Contains(n.Text, "${"):
		c.opaque = true
		return &Node{At: n.At, Kind: List}
	case n.Kind != List:
		c.Fail(n.At, "%s of pipeline %s must be a list, not %s", key, Printable(of.Key), n.Kind)
		return &Node{At: n.At, Kind: List}
	}
	return n
}

// lacksType reports whether the Collector does not have a component.
func (c *collector) lacksType(section, id string) bool {
	return c.has != nil && !slices.Contains(c.has[section], TypeOf(id)) && (section == receiverSection || !slices.Contains(c.has[section], component(id)))
}

// connects reports whether an id is that of a connector.
func (c *collector) connects(id string) bool { return c.section(connectorSection).Get(id) != nil }

// undefined complains of components that pipelines name and no section has.
func (c *collector) undefined() {
	for _, p := range c.pipelines {
		for _, one := range []struct {
			section string
			ids     *Node
		}{{receiverSection, p.receivers}, {processorSection, p.processors}, {exporterSection, p.exporters}} {
			for _, id := range one.ids.Items {
				if c.section(one.section).Get(id.Text) == nil && (one.section == processorSection || !c.connects(id.Text)) {
					c.Fail(id.At, "pipeline %s names %s, which is not under %s", Printable(p.id), Printable(id.Text), one.section)
				}
			}
		}
	}
}

// unheard leaves out receivers to which no tracer here sends, and which take no port of the run.
func (c *collector) unheard() {
	section := c.section(receiverSection)
	section.Entries = slices.DeleteFunc(section.Entries, func(e Entry) bool {
		if TypeOf(e.Key) != "jaeger" {
			return false
		}
		for _, p := range c.pipelines {
			p.receivers.Items = slices.DeleteFunc(p.receivers.Items, func(id *Node) bool { return id.Text == e.Key })
		}
		c.change(e.At, "receiver %s: left out, no tracer here sends to it", e.Key)
		return true
	})
}

// wayOut is the advice for a component that the built Collector lacks.
const wayOut = "take a Collector of the PATH that has it, with via: {collector: {config: FILE, program: otelcol-contrib}}, or a file without it"

// lacking complains of what the way of spans needs and the Collector lacks, and leaves out the rest of what it lacks: what takes in
// nothing that a tracer sends, and what is no part of the way of spans.
func (c *collector) lacking() {
	for _, p := range c.pipelines {
		p.receivers.Items = slices.DeleteFunc(p.receivers.Items, func(id *Node) bool {
			return !c.connects(id.Text) && c.lacksType(receiverSection, id.Text) &&
				c.leaveOut(id.At, "receiver "+id.Text, "of pipeline "+p.id)
		})
		p.processors.Items = slices.DeleteFunc(p.processors.Items, func(id *Node) bool {
			if !c.lacksType(processorSection, id.Text) {
				return false
			}
			if p.signal == "traces" {
				c.Fail(id.At, "processor %s: the Collector that is built here has no %s: %s", Printable(id.Text), Printable(TypeOf(id.Text)), wayOut)
				return false
			}
			return c.leaveOut(id.At, "processor "+id.Text, "of pipeline "+p.id)
		})
		for _, id := range slices.Concat(p.receivers.Items, p.exporters.Items) {
			if c.connects(id.Text) && c.lacksType(connectorSection, id.Text) {
				c.Fail(id.At, "connector %s: the Collector that is built here has no %s: %s", Printable(id.Text), Printable(TypeOf(id.Text)), wayOut)
			}
		}
	}
	if on := c.root.Get("service").Get(extensionSection); on != nil && on.Kind == List {
		on.Items = slices.DeleteFunc(on.Items, func(id *Node) bool {
			return c.lacksType(extensionSection, id.Text) && c.leaveOut(id.At, "extension "+id.Text, "")
		})
	}
}

func (c *collector) leaveOut(at Place, what, where string) bool {
	c.change(at, "%s: left out, the Collector that is built here has none; otelcol-contrib has it", strings.TrimSpace(what+" "+where))
	return true
}

// prune takes out pipelines that lack receivers or exporters by now, and definitions of what the Collector lacks.
func (c *collector) prune() {
	for again := true; again && !c.opaque; {
		again = false
		for _, p := range c.pipelines {
			p.receivers.Items = slices.DeleteFunc(p.receivers.Items, func(id *Node) bool { return c.connects(id.Text) && !c.named(id.Text, exportersOf) })
			p.exporters.Items = slices.DeleteFunc(p.exporters.Items, func(id *Node) bool { return c.connects(id.Text) && !c.named(id.Text, receiversOf) })
		}
		c.pipelines = slices.DeleteFunc(c.pipelines, func(p *pipeline) bool {
			if len(p.receivers.Items) > 0 && len(p.exporters.Items) > 0 {
				return false
			}
			again = true
			c.change(p.at, "pipeline %s: left out, nothing comes into it or leaves it", p.id)
			c.root.Get("service").Get("pipelines").drop(p.id)
			return true
		})
	}
	for _, section := range componentSections {
		n := c.section(section)
		n.Entries = slices.DeleteFunc(n.Entries, func(e Entry) bool { return c.lacksType(section, e.Key) })
	}
}

func receiversOf(p *pipeline) *Node { return p.receivers }
func exportersOf(p *pipeline) *Node { return p.exporters }

func processorsOf(p *pipeline) *Node { return p.processors }

// named reports whether a pipeline has an id in one of its lists.
func (c *collector) named(id string, of func(*pipeline) *Node) bool {
	return slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return of(p).holds(id) })
}

// holds reports whether a list has a text among its items.
func (n *Node) holds(text string) bool {
	return slices.ContainsFunc(n.Items, func(item *Node) bool { return item.Text == text })
}

// change notes what the copy has otherwise than the file.
func (c *collector) change(at Place, format string, args ...any) {
	c.copy.Changes = append(c.copy.Changes, Change{Line: at.Line, Text: Printable(fmt.Sprintf(format, args...))})
}
