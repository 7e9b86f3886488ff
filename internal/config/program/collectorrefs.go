// What a Collector's configuration names that is not there, and a configuration that lies inside another file.

package program

import (
	"fmt"
	"slices"
	"strings"
)

// inside is the way of keys to a configuration within a tree, such as an object of Kubernetes or the values of a chart, and
// where it begins; "" where none is there.
func inside(n *Node, way string) (string, Place) {
	for _, e := range n.Entries {
		below := strings.TrimPrefix(way+"."+e.Key, ".")
		service := e.Value.Get("service")
		text := ParseYAML(&Source{}, []byte(e.Value.Text))
		switch {
		case service != nil && service.Get("pipelines") != nil,
			text != nil && text.Get("service") != nil && text.Get("service").Get("pipelines") != nil:
			return below, e.At
		}
		if found, at := inside(e.Value, below); found != "" {
			return found, at
		}
	}
	for i, item := range n.Items {
		if found, at := inside(item, fmt.Sprintf("%s[%d]", way, i)); found != "" {
			return found, at
		}
	}
	return "", Place{}
}

// dangling complains of what names an extension that the Collector lacks, in components that it starts.
func (c *collector) dangling(lacked []string) {
	var look func(n *Node, way string)
	look = func(n *Node, way string) {
		if n.Kind == Scalar && slices.Contains(lacked, n.Text) {
			c.Fail(n.At, "%s names extension %s, and the Collector that is built here has no %s: %s",
				Printable(way), Printable(n.Text), Printable(TypeOf(n.Text)), wayOut)
		}
		for _, item := range n.Items {
			look(item, way)
		}
		for _, e := range n.Entries {
			look(e.Value, way+"."+e.Key)
		}
	}
	for _, one := range []struct {
		section string
		of      func(*pipeline) *Node
	}{{receiverSection, receiversOf}, {processorSection, processorsOf}, {exporterSection, exportersOf}, {connectorSection, receiversOf}} {
		c.entered(one.section, one.of, func(e Entry) { look(e.Value, one.section+"."+e.Key) })
	}
	for _, e := range c.section(extensionSection).Entries {
		if c.extended(e.Key) {
			look(e.Value, extensionSection+"."+e.Key)
		}
	}
}

// lackedExtensions are the extensions of the file that the Collector lacks.
func (c *collector) lackedExtensions() []string {
	var ids []string
	for _, e := range c.section(extensionSection).Entries {
		if c.lacksType(extensionSection, e.Key) {
			ids = append(ids, e.Key)
		}
	}
	return ids
}

// extended reports whether the Collector starts an extension, as far as is known.
func (c *collector) extended(id string) bool {
	on := c.root.Get("service").Get(extensionSection)
	return on != nil && (on.Kind != List || on.holds(id))
}
