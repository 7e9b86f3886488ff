// The configuration of a Collector, as its user has it: what it names, and which of it the Collector has.

package config

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

func (s *source) components(n *node) Components {
	var has Sections
	s.decode(n, &has)
	out := Components{}
	for section, types := range map[string][]string{
		receiverSection: has.Receivers, processorSection: has.Processors, exporterSection: has.Exporters,
		connectorSection: has.Connectors, extensionSection: has.Extensions,
	} {
		if n.get(section) != nil {
			out[section] = types
		}
	}
	return out
}

// pipeline is one of a Collector: its own lists, which the copy changes.
type pipeline struct {
	id, signal                       string
	at                               place
	receivers, processors, exporters *node
}

// collector is a configuration on its way to its copy.
type collector struct {
	*source              // of the configuration's own file
	has       Components // nil: all, since it is another program that has them
	own       map[string]string
	root      *node
	pipelines []*pipeline
	opaque    bool // a list of a pipeline comes from a variable: what it holds is not known here
	copy      *Copy
}

// typeOf is the type of a component of that id.
func typeOf(id string) string {
	kind, _, _ := strings.Cut(id, "/")
	return strings.TrimSpace(kind)
}

// component is the type of anything but a receiver by its present name: the Collector takes both.
func component(id string) string {
	kind := typeOf(id)
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
func (c *collector) section(name string) *node {
	if n := c.root.get(name); n != nil && n.kind == mapping {
		return n
	}
	return &node{kind: mapping}
}

// read takes the file apart; false where it is no configuration of a Collector.
func (c *collector) read() bool {
	service := c.root.get("service")
	if service == nil || service.kind != mapping || service.get("pipelines") == nil || service.get("pipelines").kind != mapping {
		c.fail(c.root.at, "this is no configuration of a Collector: service has no pipelines")
		return false
	}
	for _, e := range service.get("pipelines").entries {
		p := &pipeline{id: e.key, signal: typeOf(e.key), at: e.at}
		for key, list := range map[string]**node{receiverSection: &p.receivers, processorSection: &p.processors, exporterSection: &p.exporters} {
			*list = c.list(e, key)
		}
		c.pipelines = append(c.pipelines, p)
	}
	return len(c.problems) == 0
}

// list is a list of a pipeline; an empty one where it is not there, or comes from a variable.
func (c *collector) list(of entry, key string) *node {
	n := of.value.get(key)
	switch {
	case n == nil || n.kind == null:
		return &node{at: of.at, kind: list}
	case n.kind == scalar && strings.Contains(n.text, "${"):
		c.opaque = true
		return &node{at: n.at, kind: list}
	case n.kind != list:
		c.fail(n.at, "%s of pipeline %s must be a list, not %s", key, printable(of.key), n.kind)
		return &node{at: n.at, kind: list}
	}
	return n
}

// lacksType reports whether the Collector does not have a component.
func (c *collector) lacksType(section, id string) bool {
	return c.has != nil && !slices.Contains(c.has[section], typeOf(id)) && (section == receiverSection || !slices.Contains(c.has[section], component(id)))
}

// connects reports whether an id is that of a connector.
func (c *collector) connects(id string) bool { return c.section(connectorSection).get(id) != nil }

// undefined complains of components that pipelines name and no section has.
func (c *collector) undefined() {
	for _, p := range c.pipelines {
		for _, one := range []struct {
			section string
			ids     *node
		}{{receiverSection, p.receivers}, {processorSection, p.processors}, {exporterSection, p.exporters}} {
			for _, id := range one.ids.items {
				if c.section(one.section).get(id.text) == nil && (one.section == processorSection || !c.connects(id.text)) {
					c.fail(id.at, "pipeline %s names %s, which is not under %s", printable(p.id), printable(id.text), one.section)
				}
			}
		}
	}
}

// unheard leaves out receivers to which no tracer here sends, and which take no port of the run.
func (c *collector) unheard() {
	section := c.section(receiverSection)
	section.entries = slices.DeleteFunc(section.entries, func(e entry) bool {
		if typeOf(e.key) != "jaeger" {
			return false
		}
		for _, p := range c.pipelines {
			p.receivers.items = slices.DeleteFunc(p.receivers.items, func(id *node) bool { return id.text == e.key })
		}
		c.change(e.at, "receiver %s: left out, no tracer here sends to it", e.key)
		return true
	})
}

// wayOut is what helps where the built Collector lacks something.
const wayOut = "take a Collector of the PATH that has it, with via: {collector: {config: FILE, program: otelcol-contrib}}, or a file without it"

// lacking complains of what the way of spans needs and the Collector lacks, and leaves out the rest of what it lacks: what takes in
// nothing that a tracer sends, and what is no part of the way of spans.
func (c *collector) lacking() {
	for _, p := range c.pipelines {
		p.receivers.items = slices.DeleteFunc(p.receivers.items, func(id *node) bool {
			return !c.connects(id.text) && c.lacksType(receiverSection, id.text) &&
				c.leaveOut(id.at, "receiver "+id.text, "of pipeline "+p.id)
		})
		p.processors.items = slices.DeleteFunc(p.processors.items, func(id *node) bool {
			if !c.lacksType(processorSection, id.text) {
				return false
			}
			if p.signal == "traces" {
				c.fail(id.at, "processor %s: the Collector that is built here has no %s: %s", printable(id.text), printable(typeOf(id.text)), wayOut)
				return false
			}
			return c.leaveOut(id.at, "processor "+id.text, "of pipeline "+p.id)
		})
		for _, id := range slices.Concat(p.receivers.items, p.exporters.items) {
			if c.connects(id.text) && c.lacksType(connectorSection, id.text) {
				c.fail(id.at, "connector %s: the Collector that is built here has no %s: %s", printable(id.text), printable(typeOf(id.text)), wayOut)
			}
		}
	}
	if on := c.root.get("service").get(extensionSection); on != nil && on.kind == list {
		on.items = slices.DeleteFunc(on.items, func(id *node) bool {
			return c.lacksType(extensionSection, id.text) && c.leaveOut(id.at, "extension "+id.text, "")
		})
	}
}

func (c *collector) leaveOut(at place, what, where string) bool {
	c.change(at, "%s: left out, the Collector that is built here has none; otelcol-contrib has it", strings.TrimSpace(what+" "+where))
	return true
}

// prune takes out pipelines that lack receivers or exporters by now, and definitions of what the Collector lacks.
func (c *collector) prune() {
	for again := true; again && !c.opaque; {
		again = false
		for _, p := range c.pipelines {
			p.receivers.items = slices.DeleteFunc(p.receivers.items, func(id *node) bool { return c.connects(id.text) && !c.named(id.text, exportersOf) })
			p.exporters.items = slices.DeleteFunc(p.exporters.items, func(id *node) bool { return c.connects(id.text) && !c.named(id.text, receiversOf) })
		}
		c.pipelines = slices.DeleteFunc(c.pipelines, func(p *pipeline) bool {
			if len(p.receivers.items) > 0 && len(p.exporters.items) > 0 {
				return false
			}
			again = true
			c.change(p.at, "pipeline %s: left out, nothing comes into it or leaves it", p.id)
			c.root.get("service").get("pipelines").drop(p.id)
			return true
		})
	}
	for _, section := range componentSections {
		n := c.section(section)
		n.entries = slices.DeleteFunc(n.entries, func(e entry) bool { return c.lacksType(section, e.key) })
	}
}

func receiversOf(p *pipeline) *node { return p.receivers }
func exportersOf(p *pipeline) *node { return p.exporters }

// named reports whether a pipeline has an id in one of its lists.
func (c *collector) named(id string, of func(*pipeline) *node) bool {
	return slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return of(p).holds(id) })
}

// holds reports whether a list has a text among its items.
func (n *node) holds(text string) bool {
	return slices.ContainsFunc(n.items, func(item *node) bool { return item.text == text })
}

// change notes what the copy has otherwise than the file.
func (c *collector) change(at place, format string, args ...any) {
	c.copy.Changes = append(c.copy.Changes, Change{Line: at.line, Text: printable(fmt.Sprintf(format, args...))})
}
