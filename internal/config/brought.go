// Processes that a tracer brings, as its file has them.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/role"
)

// Brought is a process that a tracer brings. It may hold {setting.NAME}.
type Brought struct {
	_         struct{} `called:"a process of a tracer"`
	_         struct{} `refuse:"traced" text:"what a tracer brings is not traced itself; leave traced out"`
	Process   `yaml:",inline"`
	Beside    bool     `yaml:"beside"`                   // true: one beside each traced process; otherwise one a run; default: false
	Front     bool     `yaml:"front"`                    // true, with beside: takes that process's requests at {port} and passes them on to {beside.port}; default: false
	Templates []string `yaml:"templates" as:"templates"` // files of the tracer's folder, filled in
}

func (b *Brought) begin(s *source, n *node) {
	beside := isTrue(n.get("beside"))
	s.known = slices.Concat(runPlaceholders, s.settings, s.processPorts(s.siblings, func(item *node) bool {
		return beside || !isTrue(item.get("beside"))
	}))
	own := role.Collector
	if s.several = namesBeside(s.siblings); beside {
		own, s.known, s.several = role.Sidecar, append(s.known, besidePlaceholders...), nil
	}
	b.start(s, n, own)
}

func (b *Brought) check(s *source, n *node) {
	if b.Traced = false; b.Dir == "" {
		b.Dir = "{tmp}"
	}
	b.named(s, n)
	if b.Name+"." == besidePrefix {
		s.fail(n.get("name").at, "a process that a tracer brings cannot be called %q: {%sport} is another one's port", b.Name, besidePrefix)
	}
	s.inFront(n, *b)
}

// besidePrefix begins the placeholders of the process beside which one stands.
const besidePrefix = "beside."

// besidePlaceholders are what a process beside another one may say of that.
var besidePlaceholders = []string{besidePrefix + "port", besidePrefix + "process"}

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

// The processes of a plan: the workload's, and among them those that a tracer brings.

// Placed says where a process of a plan stands that a tracer brought; zero: it is the workload's own.
type Placed struct {
	Name  string // in the tracer's file
	Of    string // the workload's process that it stands beside; "": it is there once a run
	Front bool   // requests to that process go through it
}

// Brought reports whether a tracer brought the process.
func (p Process) Brought() bool { return p.Placed.Name != "" }

// placed are the processes of a variant in start order: once-per-run processes; then, per workload process, its sidecars, the
// process, and its front proxies from inner to outer. Stop order is the reverse.
func (e *Experiment) placed(v Variant) ([]Process, error) {
	var out, around []Process
	add := func(of string, b Brought) error {
		p, err := v.place(of, b)
		around = append(around, p)
		return err
	}
	for _, b := range v.Tracer.Processes {
		if !b.Beside {
			if err := add("", b); err != nil {
				return nil, err
			}
		}
	}
	out, around = around, nil
	added := v.tracerEnv()
	for _, process := range e.Workload.Processes {
		on := v.Traces(process)
		merged, err := process.merged(v, on, added)
		if err != nil {
			return nil, err
		}
		around = nil
		for _, b := range v.Tracer.Processes {
			if on && b.Beside {
				if err := add(process.Name, b); err != nil {
					return nil, err
				}
			}
		}
		for _, p := range around {
			if !p.Placed.Front {
				out = append(out, p)
			}
		}
		out = append(out, merged)
		for _, p := range slices.Backward(around) {
			if p.Placed.Front {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// place is a process that the tracer brings beside one of the workload's, or once a run. Its name is told apart from
// every name in a file.
func (v Variant) place(of string, b Brought) (Process, error) {
	p := b.Process
	p.Placed = Placed{Name: b.Name, Of: of, Front: b.Front}
	if of != "" {
		p.Name += "@" + of
	}
	words := v.settingWords()
	var missing string
	fill := func(text string) string {
		filled, lacks := withSettings(text, words)
		if lacks != "" {
			missing = lacks
		}
		return filled
	}
	p.Run, p.Env = slices.Clone(p.Run), maps.Clone(p.Env)
	for i, word := range p.Run {
		p.Run[i] = fill(word)
	}
	for name, text := range p.Env {
		p.Env[name] = fill(text)
	}
	p.Ready, p.Dir = fill(p.Ready), fill(p.Dir)
	if missing != "" {
		return p, fmt.Errorf("process %s of tracer %s: there is no {%s}", b.Name, v.Tracer.Name, missing)
	}
	var err error
	p.Templates, err = v.templates(b.Templates)
	return p, err
}

// merged is a process of the workload as the variant starts it.
func (p Process) merged(v Variant, on bool, tracer added) (Process, error) {
	env := map[string]string{}
	maps.Copy(env, p.Env)
	run, starts := p.Run, p.Starts
	p.Run, p.Starts, p.Templates = slices.Concat(run, starts), nil, maps.Clone(p.Templates)
	// What a variant leaves out is as untraced as in the baseline.
	p.Off = on && v.Untraced() || !on && p.Traced
	p.Traced = on
	if !on {
		p.Env = env
		return p, nil
	}
	p.Inherit = slices.DeleteFunc(tracer.to(env), func(name string) bool {
		_, said := v.Env[name]
		return said
	})
	maps.Copy(env, v.Env)
	if starts == nil {
		run, starts = nil, run
	}
	p.Run = slices.Concat(run, v.Tracer.Wrap, starts, v.Tracer.Args, v.Args)
	p.Env, p.Page = env, v.Tracer.Metrics
	of, err := v.templates(v.Tracer.Templates)
	for name, text := range of {
		if _, twice := p.Templates[name]; twice {
			return p, fmt.Errorf("the template %s is one of process %s and one of tracer %s: give one of them another name", name, p.Name, v.Tracer.Name)
		}
		if p.Templates == nil {
			p.Templates = map[string]string{}
		}
		p.Templates[name] = text
	}
	return p, err
}

// tracerEnv is what the tracer and its settings, in their order, add.
func (v Variant) tracerEnv() added {
	a := added{set: maps.Clone(v.Tracer.Env), behind: map[string][]string{}}
	if a.set == nil {
		a.set = map[string]string{}
	}
	a.append(v.Tracer.Append)
	var unset []string
	for _, s := range v.Tracer.Settings {
		set, behind, gone := s.environment(v.Settings[s.Name])
		maps.Copy(a.set, set)
		a.append(behind)
		unset = append(unset, gone...)
	}
	for _, name := range unset {
		delete(a.set, name)
		delete(a.behind, name)
	}
	return a
}

// to changes the environment of a process, and returns the variables that stand behind
// what the shell has, since the process says nothing of them itself.
func (a added) to(env map[string]string) (inherit []string) {
	maps.Copy(env, a.set)
	for name, texts := range a.behind {
		if _, said := env[name]; !said {
			inherit = append(inherit, name)
		}
		if env[name] != "" {
			texts = slices.Insert(slices.Clone(texts), 0, env[name])
		}
		env[name] = strings.Join(texts, " ")
	}
	slices.Sort(inherit)
	return inherit
}

// added is what a tracer and its settings do to the environment of a process.
type added struct {
	set    map[string]string   // in the place of what is there
	behind map[string][]string // behind what is there, after a space
}

func (a added) append(texts map[string]string) {
	for name, text := range texts {
		if text != "" {
			a.behind[name] = append(a.behind[name], text)
		}
	}
}
