// The services that a variant's spans pass through, in order.

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Route is where a variant's spans go on their way: its hops, and the backend where it has one.
func (v Variant) Route() []Process {
	if v.To == nil {
		return v.Via
	}
	return append(slices.Clone(v.Via), *v.To)
}

// Route are the processes that spans go to, in the order of their way: the hops, and the backend where there is one.
func (p *Plan) Route() []string {
	if p.To == "" {
		return p.Via
	}
	return append(slices.Clone(p.Via), p.To)
}

// Hops: services that a variant's spans pass through on their way to the sink.

// viaExample is how hops are written.
const viaExample = "via: collector, via: {collector: mine.yaml}, or in a row via: [{edge: {service: collector}}, {tail: {service: collector, config: tail.yaml}}]"

// via reads the hops of a variant, in the order of a span's way.
func (s *source) via(n *node, w *Workload) []Process {
	items := []*node{n}
	if n.kind == list {
		items = n.items
	}
	var out []Process
	for _, item := range items {
		hop, ok := s.hop(item, passing)
		if !ok {
			continue
		}
		if tap, asked := s.tapOf(item, hop); asked {
			out = s.another(out, tap, item, w)
		}
		out = s.another(out, hop, item, w)
	}
	if n.kind == list && len(n.items) == 0 {
		s.fail(n.at, "via is empty; write %s", viaExample)
	}
	return out
}

// another adds a hop under a name that nothing else has.
func (s *source) another(out []Process, hop Process, item *node, w *Workload) []Process {
	taken := func(p Process) bool { return p.Name == hop.Name }
	switch {
	case slices.ContainsFunc(out, taken):
		s.fail(item.at, "a second hop called %q; give one of them a name of its own, such as {%s-2: {service: %s}}", hop.Name, hop.Name, hop.Service.Name)
	case slices.ContainsFunc(w.Processes, taken):
		s.fail(item.at, "the workload has a process called %q; give the hop a name of its own, such as {%s-hop: {service: %s}}", hop.Name, hop.Name, hop.Service.Name)
	}
	return append(out, hop)
}

// passing is a service as spans pass through it.
func passing(v *Service) *Service {
	if v.Hop != nil {
		return v.Hop
	}
	return v
}

// hop reads the name of a service, or {NAME: FILE}, or {NAME: {KEYS}}; as says what the service is there.
func (s *source) hop(n *node, as func(*Service) *Service) (Process, bool) {
	switch {
	case n.kind == scalar:
		return s.hopOf(n, n, s.line(n), as)
	case n.kind != mapping || len(n.entries) == 0:
		s.fail(n.at, "a hop is the name of a service: %s; this is %s", viaExample, n.kind)
		return Process{}, false
	case len(n.entries) > 1:
		s.fail(n.entries[1].at, "several hops are a list, because their order counts: %s", viaExample)
		return Process{}, false
	}
	e := n.entries[0]
	if e.value.kind != mapping {
		hop, ok := s.hopOf(&node{kind: scalar, text: e.key, at: e.at}, n, e.key, as)
		if ok && e.value.kind != null {
			s.hopConfig(e.value, &hop)
		}
		return hop, ok
	}
	service := e.value.get("service")
	if service == nil {
		service = &node{kind: scalar, text: e.key, at: e.at}
	}
	hop, ok := s.hopOf(service, n, e.key, as)
	if !ok {
		return hop, false
	}
	if program := e.value.get("program"); program != nil {
		s.program(program, &hop)
	}
	ok = s.decode(e.value, &Hop{process: &hop})
	s.meant(e.value, hop)
	hop.resettle()
	return hop, ok
}

// Hop is a service that spans pass through. Its other keys are settings of the service.
type Hop struct {
	_       struct{}          `called:"a hop"`
	Service string            `yaml:"service" as:"own" shape:"Text"` // name of the service; default: the hop's own name
	Tap     string            `yaml:"tap" as:"own" shape:"Text"`     // on: a tap before it counts what goes to it; default: off
	Program string            `yaml:"program" as:"own" shape:"Text"` // a program of the PATH in place of the one that the service builds, as otelcol-contrib
	Config  string            `yaml:"config" as:"own" shape:"Text"`  // a configuration of your own, a file beside this one
	Env     map[string]string `yaml:"env" as:"userEnv"`              // its environment variables
	CPUs    float64           `yaml:"cpus" range:"0..1024"`          // how many CPUs it may use
	Memory  int64             `yaml:"memory" as:"size"`              // how much memory it may use
	process *Process          // what they are of
}

func (h *Hop) begin(s *source, _ *node) { s.known = servicePlaceholders }

// more are the settings of its service.
func (h Hop) more() (behind string, names []string) {
	return "config", namesOf(h.process.Service.Settings)
}

// read reads the configuration and the settings: service, program and tap are read before, since what others may say depends
// on them.
func (h *Hop) read(s *source, n *node, key string) {
	of := h.process.Service
	i := slices.IndexFunc(of.Settings, func(set Setting) bool { return set.Name == key })
	switch {
	case key == "config":
		s.hopConfig(n, h.process)
	case i >= 0:
		value, err := of.Settings[i].canonical(s.line(n))
		if err != nil {
			s.fail(n.at, "setting %s of service %s: %v", key, of.Name, err)
			return
		}
		if h.process.Settings == nil {
			h.process.Settings = map[string]string{}
		}
		h.process.Settings[key] = value
	}
}

func (h *Hop) check(_ *source, n *node) {
	p := h.process
	p.Own = h.Env
	if n.get("cpus") != nil {
		p.CPUs = h.CPUs
	}
	if n.get("memory") != nil {
		p.Memory = h.Memory
	}
}

func (h Hop) write(w writer, key string) any {
	p := h.process
	switch value, chosen := p.Settings[key]; {
	case key == "service":
		return p.Service.Name
	case key == "config" && p.Copy != nil:
		return p.Copy.Given
	case key == "config" && p.Config != "":
		return p.Config
	case key == "program" && p.Program != "":
		return p.Program
	case chosen:
		return w.value(key, value)
	}
	return nil
}

// hopOf is the process of a service, under a name, as a hop.
func (s *source) hopOf(service, at *node, name string, as func(*Service) *Service) (Process, bool) {
	p, ok := s.ofService(service)
	if !ok {
		return p, false
	}
	p = as(p.Service).process(nil)
	p.Name = name
	switch {
	case !processName.MatchString(name):
		s.fail(at.at, "hop %q: a name has lower-case letters, digits, - and _, and begins with a letter", printable(name))
	case len(p.Service.Receives) == 0:
		s.fail(service.at, "service %q receives no spans (receives: in its file), so that nothing can go via it", p.Service.Name)
	default:
		return p, true
	}
	return p, false
}

// program reads the program that stands in for what a service builds.
func (s *source) program(n *node, hop *Process) {
	of := hop.Service
	if len(of.Build.Run) == 0 || len(of.Process.Run) == 0 {
		s.fail(n.at, "service %q builds no program that another one could stand in for", of.Name)
		return
	}
	hop.Program = s.line(n)
	own := *of
	own.Build, own.Process.Run = Build{}, slices.Clone(of.Process.Run)
	own.Process.Run[0] = hop.Program
	own.Needs = []Need{{Command: hop.Program, Install: "install it, or leave program out of the hop: then " + of.Name + " is built"}}
	hop.Service = &own
	hop.resettle()
}

// hopConfig reads a configuration of a hop: a file beside this one, or, in several lines, the text itself.
func (s *source) hopConfig(n *node, hop *Process) {
	name, text := s.configText(n, hop.Service)
	hop.Config = text
	if text == "" || hop.Service.Components == nil {
		return
	}
	hop.Config, hop.Copy = s.copyOf(name, text, hop.Service, hop.Program != "")
	own := *hop.Service
	own.Says = hop.Copy.Routes.says(own.Says)
	own.Receives = maps.Clone(own.Receives)
	maps.DeleteFunc(own.Receives, func(by protocol.Name, _ string) bool { return !slices.Contains(hop.Copy.Receives, by) })
	if _, first := own.Receives[protocol.OTLPGRPC]; !first {
		for _, by := range hop.Copy.Receives {
			own.Process.Ready = "tcp://" + own.Receives[by]
			break
		}
	}
	hop.Service = &own
	hop.resettle()
}

// configText is the text of a configuration, and what its file is called.
func (s *source) configText(n *node, of *Service) (file, text string) {
	if of.Config == "" {
		s.fail(n.at, "service %q takes no configuration (config: in its file)", of.Name)
		return "", ""
	}
	text, file = s.text(n), "the configuration of "+of.Name
	if !strings.Contains(text, "\n") {
		name := s.line(n)
		if s.open == nil {
			s.fail(n.at, "config: there is no folder to read %q from", printable(name))
			return "", ""
		}
		read, err := s.open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.fail(n.at, "config: there is no file %q beside this one", printable(name))
			return "", ""
		case err != nil:
			s.fail(n.at, "config: %v", err)
			return "", ""
		}
		file, text = name, string(read)
	}
	s.bodies += len(text)
	if s.bodies > maxBody {
		s.fail(n.at, "the configurations and bodies are too large: %d bytes up to here; the most is %d together", s.bodies, maxBody)
		return "", ""
	}
	for _, pair := range configPair.FindAllStringSubmatch(text, -1) {
		if IsSecret(pair[1], pair[2]) && !inVariable.MatchString(pair[2]) {
			s.fail(n.at, "config: the value of %q looks like a credential, which would stand in the results folder: write %s: ${env:NAME} there, and env: {NAME: \"${env:NAME}\"} beside config",
				printable(pair[1]), printable(pair[1]))
			return "", ""
		}
	}
	return file, strings.TrimRight(text, "\n") + "\n"
}

// configPair is a key of a configuration with a value on the same line.
var configPair = regexp.MustCompile(`(?m)([A-Za-z0-9_.-]+)["']?[ \t]*:[ \t]+["']?([^\s,{}\[\]#"'][^\s,{}\[\]"']*)`)

// inVariable is a value, as configPair finds it, that a variable is a part of: ${env:NAME} ends for it at the brace. $$ is a
// dollar sign.
var inVariable = regexp.MustCompile(`(^|[^$])\$($|[^$])`)

// hop is one as it is written.
func (w writer) hop(p Process) Object {
	h := Hop{process: &p, Env: p.Own}
	if p.CPUs != p.Service.Process.CPUs {
		h.CPUs = p.CPUs
	}
	if p.Memory != p.Service.Process.Memory {
		h.Memory = p.Memory
	}
	return single(p.Name, w.written(&h, inExperiment))
}

// Whether the spans of a variant can take their route.

// passes says why the spans of a variant do not pass its hops; "" where they do.
func (e *Experiment) passes(v Variant) string {
	p, err := e.Plan(v)
	if err != nil {
		return "" // told elsewhere
	}
	sends := sent(v.Tracer.Settings, v.Settings, p.textsOf(p.noHop))
	who := fmt.Sprintf("variant %q with tracer %s", printable(v.Name), v.Tracer.Name)
	if len(sends) == 0 {
		return who + " is not told where the sink is (no {sink.…}), so that nothing of it would go to " + v.Route()[0].Name + "; leave via and to out"
	}
	for i, hop := range v.Route() {
		for _, r := range sends {
			if _, takes := hop.Service.Receives[r.Name]; !takes {
				return fmt.Sprintf("%s sends %s, which %s does not receive: it takes in %s", who, r.Title, hop.Name, titles(hop.Service.Receives))
			}
		}
		if i == len(v.Via) { // the backend passes nothing on
			break
		}
		who = hop.Name
		if hop.Copy != nil {
			sends = rows(hop.Copy.Sends)
		} else if sends = sent(hop.Service.Settings, hop.Service.values(hop.Settings), p.textsOf(func(name string) bool { return name == hop.Name })); len(sends) == 0 {
			return fmt.Sprintf("%s passes nothing on: no text of service %q has {sink.…}", hop.Name, hop.Service.Name)
		}
	}
	return ""
}

// hops finds variants whose spans the hops do not take in.
func (e *Experiment) hops() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if len(v.Route()) == 0 {
			continue
		}
		if text := e.passes(v); text != "" {
			at := "via"
			if len(v.Via) == 0 {
				at = "to"
			}
			out = append(out, misfit{at: []string{"variants", v.Name, at}, text: text})
		}
	}
	return out
}

// A tap before a hop counts every span that goes to it.

// tapService is the service that counts and passes on.
const tapService = "tap"

// tapOf is the tap before a hop; false where none is asked for.
func (s *source) tapOf(n *node, hop Process) (Process, bool) {
	if n.kind != mapping || len(n.entries) == 0 {
		return Process{}, false
	}
	at := n.entries[0].value.get("tap")
	if at == nil || s.oneOf(at, "tap", "on", "off") != "on" {
		return Process{}, false
	}
	return s.hopOf(&node{kind: scalar, text: tapService, at: at.at}, at, hop.Name+"-"+tapService, passing)
}
