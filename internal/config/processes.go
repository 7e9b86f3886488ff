// The processes that a workload's or a tracer's file lists.

package config

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/role"
)

// processAs reads a process; what names it in errors. Before its keys, or those of the service
// that it is, stands what p has; more are keys besides; settled says at last whether it is traced,
// where nil is as the file says.
func (s *source) processAs(n *node, what string, p Process, known []string, more fields, settled func(*Process)) Process {
	p.Patience, p.Env = DefaultPatience, map[string]string{}
	service := n.get("service")
	if service != nil {
		if of, ok := s.ofService(service); ok {
			p = of
		}
	} else {
		known = without(known, "service")
	}
	var traced *bool
	keys := s.processFields(&p, &traced, known)
	keys["name"] = func(v *node) {
		p.Name = s.line(v)
		if !processName.MatchString(p.Name) {
			s.fail(v.at, "process %q: a name has lower-case letters, digits, - and _, and begins with a letter", printable(p.Name))
		}
	}
	keys["service"] = func(*node) {} // read above: the other keys win over it
	maps.Copy(keys, more)
	if !s.mapping(n, what, keys) {
		return p
	}
	switch {
	case settled != nil:
		settled(&p)
	case service == nil || n.get("role") != nil || traced != nil:
		p.settle(traced)
	}
	if n.get("name") == nil {
		s.lacks(n, "name", n.at, "a process needs a name")
	}
	if n.get("run") == nil && service == nil && !slices.Contains(n.meant, "service") {
		s.lacks(n, "run", n.at, "a process needs run: the command that starts it")
	}
	return p
}

func (s *source) processes(n *node, known []string) []Process {
	if n.kind != list {
		s.fail(n.at, "processes must be a list, not %s", n.kind)
		return nil
	}
	if len(n.items) == 0 {
		s.fail(n.at, "processes is empty; name at least the program itself")
	}
	seen := map[string]bool{}
	var out []Process
	for _, item := range n.items {
		p := s.process(item, known)
		if seen[p.Name] && p.Name != "" {
			s.fail(item.at, "a second process called %q", p.Name)
		}
		seen[p.Name] = true
		out = append(out, p)
	}
	return out
}

func (s *source) process(n *node, known []string) Process {
	var templates *node
	p := s.processAs(n, "a process", Process{Role: role.App}, known, fields{"templates": func(v *node) { templates = v }}, nil)
	if templates != nil {
		p.Templates = s.ownTemplates(templates, known)
	}
	return p
}

// processPorts are the placeholders {NAME.port} and {NAME.port.FURTHER} of those of a list of
// processes that is not read yet which are wanted; nil: of all.
func (s *source) processPorts(n *node, wanted func(*node) bool) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, item := range n.items {
		name := item.get("name")
		if name == nil || name.kind != scalar || wanted != nil && !wanted(item) {
			continue
		}
		for _, word := range append([]string{"port"}, s.ownPorts(item)...) {
			out = append(out, name.text+"."+word)
		}
	}
	return out
}

// ownPorts are the placeholders of further ports in all texts of a process that is not read yet, and in its templates.
func (s *source) ownPorts(n *node) []string {
	out := further(Placeholders(n.text))
	for _, item := range n.items {
		out = append(out, s.ownPorts(item)...)
	}
	for _, e := range n.entries {
		out = append(out, s.ownPorts(e.value)...)
	}
	if templates := n.get("templates"); templates != nil && s.files != nil {
		for _, one := range append([]*node{templates}, templates.items...) {
			out = append(out, further(Placeholders(s.templateText(one.text)))...)
		}
	}
	return out
}
