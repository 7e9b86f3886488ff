// Processes that a tracer brings, as its file has them.

package config

import (
	"slices"

	"github.com/tracetax/tracetax/internal/role"
)

// Brought is a process that a tracer brings.
type Brought struct {
	Process            // its Name is that of the tracer's file
	Beside    bool     // there is one beside each process that the variant is on; otherwise one a run
	Front     bool     // requests to that process go through it
	Templates []string // files of the tracer's folder, filled in for it
}

// besidePrefix begins the placeholders of the process beside which one stands.
const besidePrefix = "beside."

// besidePlaceholders are what a process beside another one may say of that.
var besidePlaceholders = []string{besidePrefix + "port", besidePrefix + "process"}

// brought reads the processes that a tracer brings; the tracer's settings are read.
func (s *source) brought(n *node, t *Tracer) []Brought {
	if n.kind != list {
		s.fail(n.at, "processes must be a list, not %s", n.kind)
		return nil
	}
	if len(n.items) == 0 {
		s.fail(n.at, "processes is empty; leave it out where the tracer brings none")
	}
	var out []Brought
	for _, item := range n.items {
		b := s.broughtProcess(item, n, t)
		if b.Name != "" && slices.ContainsFunc(out, func(o Brought) bool { return o.Name == b.Name }) {
			s.fail(item.at, "a second process called %q", b.Name)
		}
		out = append(out, b)
	}
	return out
}

func (s *source) broughtProcess(n, all *node, t *Tracer) Brought {
	var b Brought
	b.Beside = isTrue(n.get("beside"))
	known := slices.Concat(runPlaceholders, t.settingPlaceholders(), s.processPorts(all, func(item *node) bool {
		return b.Beside || !isTrue(item.get("beside"))
	}))
	own := role.Collector
	if s.several = namesBeside(all); b.Beside {
		own, known, s.several = role.Sidecar, append(known, besidePlaceholders...), nil
	}
	defer func() { s.several = nil }()
	var templates, given *node
	b.Process = s.processAs(n, "a process of a tracer", Process{Role: own}, known, fields{
		"beside":    func(v *node) { s.flag(v) },
		"front":     func(v *node) { b.Front = s.flag(v) },
		"templates": func(v *node) { templates = v },
		"role":      func(v *node) { given = v },
		"traced": func(v *node) {
			s.fail(v.at, "what a tracer brings is not traced itself; leave traced out")
		},
	}, func(p *Process) {
		if p.Traced = false; p.Dir == "" {
			p.Dir = "{tmp}"
		}
		if given != nil {
			p.Role = s.broughtRole(given)
		}
	})
	if b.Name+"." == besidePrefix {
		s.fail(n.get("name").at, "a process that a tracer brings cannot be called %q: {%sport} is another one's port", b.Name, besidePrefix)
	}
	if templates != nil {
		b.Templates = s.templates(templates, known)
	}
	s.inFront(n, b)
	return b
}

// namesBeside are the names of those of a list of processes that is not read yet that stand beside others.
func namesBeside(n *node) []string {
	var out []string
	for _, item := range n.items {
		if name := item.get("name"); name != nil && isTrue(item.get("beside")) {
			out = append(out, name.text)
		}
	}
	return out
}

// isTrue reports whether a value that is not read yet says so.
func isTrue(n *node) bool { return n != nil && n.kind == scalar && n.text == "true" }

// broughtRole is a role that a tracer may give: the program under test is the workload's.
func (s *source) broughtRole(n *node) role.Role {
	if s.text(n) == string(role.App) {
		s.fail(n.at, "role app is that of the program under test; what a tracer brings is a sidecar, a collector, a backend or a database")
		return role.Sidecar
	}
	return s.role(n)
}

// inFront complains of a process in front of another one that cannot be that.
func (s *source) inFront(n *node, b Brought) {
	front := n.get("front")
	if !b.Front {
		return
	}
	if !b.Beside {
		s.fail(front.at, "front: true is for a process beside another one, whose requests go through it; write beside: true as well")
		return
	}
	if len(b.Run) == 0 || len(b.Templates) > 0 && s.files == nil {
		return // what it says is not known
	}
	said := b.words(s.templateText)
	for _, one := range []struct{ word, what string }{
		{"port", "where requests come to"}, {besidePrefix + "port", "where they are to go on to"},
	} {
		if !slices.Contains(said, one.word) {
			s.fail(front.at, "process %q stands in front, and nothing tells it %s: put {%s} into its run, env or a template", printable(b.Name), one.what, one.word)
		}
	}
}

// Where says where the process stands: "in front of" or "beside" one of the workload's, or "once a run".
func (b Brought) Where() string {
	switch {
	case b.Front:
		return "in front of"
	case b.Beside:
		return "beside"
	}
	return "once a run"
}

// words are the placeholders of a process that a tracer brings; read gives its templates.
func (b Brought) words(read func(name string) string) []string {
	var out []string
	for _, text := range texts(b.Process) {
		out = append(out, Placeholders(text)...)
	}
	for _, name := range b.Templates {
		out = append(out, Placeholders(read(name))...)
	}
	return out
}
