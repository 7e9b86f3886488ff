// The services that a variant's spans pass through, in order.

package program

import (
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Hops: services that a variant's spans pass through on their way to the sink.

// viaExample is an example for errors.
const viaExample = "via: collector, via: {collector: mine.yaml}, or in a row via: [{edge: {service: collector}}, {tail: {service: collector, config: tail.yaml}}]"

// Via reads the hops of a variant, in the order of a span's way.
func (s *Source) Via(n *Node, w *Workload) []Process {
	items := []*Node{n}
	if n.Kind == List {
		items = n.Items
	}
	var out []Process
	for _, item := range items {
		if hop, ok := s.hop(item, passing); ok {
			out = s.another(out, hop, item, w)
		}
	}
	if n.Kind == List && len(n.Items) == 0 {
		s.Fail(n.At, "via is empty; write %s", viaExample)
	}
	return out
}

// another adds a hop under a name that nothing else has.
func (s *Source) another(out []Process, hop Process, item *Node, w *Workload) []Process {
	taken := func(p Process) bool { return p.Name == hop.Name }
	switch {
	case slices.ContainsFunc(out, taken):
		s.Fail(item.At, "a second hop called %q; give one of them a name of its own, such as {%s-2: {service: %s}}", hop.Name, hop.Name, hop.Service.Name)
	case slices.ContainsFunc(w.Processes, taken):
		s.Fail(item.At, "the workload has a process called %q; give the hop a name of its own, such as {%s-hop: {service: %s}}", hop.Name, hop.Name, hop.Service.Name)
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
func (s *Source) hop(n *Node, as func(*Service) *Service) (Process, bool) {
	switch {
	case n.Kind == Scalar:
		return s.hopOf(n, n, s.Line(n), as)
	case n.Kind != Mapping || len(n.Entries) == 0:
		s.Fail(n.At, "a hop is the name of a service: %s; this is %s", viaExample, n.Kind)
		return Process{}, false
	case len(n.Entries) > 1:
		s.Fail(n.Entries[1].At, "several hops are a list, because their order counts: %s", viaExample)
		return Process{}, false
	}
	e := n.Entries[0]
	if e.Value.Kind != Mapping {
		hop, ok := s.hopOf(&Node{Kind: Scalar, Text: e.Key, At: e.At}, n, e.Key, as)
		if ok && e.Value.Kind != Null {
			s.hopConfig(e.Value, &hop)
		}
		return hop, ok
	}
	service := e.Value.Get("service")
	if service == nil {
		service = &Node{Kind: Scalar, Text: e.Key, At: e.At}
	}
	hop, ok := s.hopOf(service, n, e.Key, as)
	if !ok {
		return hop, false
	}
	if program := e.Value.Get("program"); program != nil {
		s.program(program, &hop)
	}
	ok = s.Decode(e.Value, &Hop{process: &hop})
	s.meant(e.Value, hop)
	hop.resettle()
	return hop, ok
}

// Hop is a service that spans pass through. Its other keys are settings of the service.
type Hop struct {
	_       struct{}          `called:"a hop"`
	Service string            `yaml:"service" as:"own" shape:"Text"` // name of the service; default: the hop's own name
	Program string            `yaml:"program" as:"own" shape:"Text"` // a program of the PATH in place of the one that the service builds, as otelcol-contrib
	Config  string            `yaml:"config" as:"own" shape:"Text"`  // a configuration of your own, a file beside this one
	Env     map[string]string `yaml:"env" as:"userEnv"`              // its environment variables
	CPUs    float64           `yaml:"cpus" range:"0..1024"`          // how many CPUs it may use
	Memory  int64             `yaml:"memory" as:"size"`              // how much memory it may use
	process *Process          // what they are of
}

func (h *Hop) Begin(s *Source, _ *Node) { s.Known = servicePlaceholders }

// more are the settings of its service.
func (h Hop) more() (behind string, names []string) {
	return "config", namesOf(h.process.Service.Settings)
}

// ReadKey reads the configuration and the settings: service and program are read before, since what others may say depends
// on them.
func (h *Hop) ReadKey(s *Source, n *Node, key string) {
	of := h.process.Service
	i := slices.IndexFunc(of.Settings, func(set Setting) bool { return set.Name == key })
	switch {
	case key == "config":
		s.hopConfig(n, h.process)
	case i >= 0:
		value, err := of.Settings[i].Canonical(s.Line(n))
		if err != nil {
			s.Fail(n.At, "setting %s of service %s: %v", key, of.Name, err)
			return
		}
		if h.process.Settings == nil {
			h.process.Settings = map[string]string{}
		}
		h.process.Settings[key] = value
	}
}

func (h *Hop) Finish(_ *Source, n *Node) {
	p := h.process
	p.Own = h.Env
	if n.Get("cpus") != nil {
		p.CPUs = h.CPUs
	}
	if n.Get("memory") != nil {
		p.Memory = h.Memory
	}
}

func (h Hop) WriteKey(w Writer, key string) any {
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
		return w.Value(key, value)
	}
	return nil
}

// hopOf is the process of a service, under a name, as a hop.
func (s *Source) hopOf(service, at *Node, name string, as func(*Service) *Service) (Process, bool) {
	p, ok := s.ofService(service)
	if !ok {
		return p, false
	}
	p = as(p.Service).process(nil)
	p.Name = name
	switch {
	case !processName.MatchString(name):
		s.Fail(at.At, "hop %q: a name has lower-case letters, digits, - and _, and begins with a letter", Printable(name))
	case len(p.Service.Receives) == 0:
		s.Fail(service.At, "service %q receives no spans (receives: in its file), so that nothing can go via it", p.Service.Name)
	default:
		return p, true
	}
	return p, false
}

// program reads the program that stands in for what a service builds.
func (s *Source) program(n *Node, hop *Process) {
	of := hop.Service
	if len(of.Build.Run) == 0 || len(of.Process.Run) == 0 {
		s.Fail(n.At, "service %q builds no program that another one could stand in for", of.Name)
		return
	}
	hop.Program = s.Line(n)
	own := *of
	own.Build, own.Process.Run = Build{}, slices.Clone(of.Process.Run)
	own.Process.Run[0] = hop.Program
	own.Needs = []Need{{Command: hop.Program, Install: "install it, or leave program out of the hop: then " + of.Name + " is built"}}
	hop.Service = &own
	hop.resettle()
}

// hopConfig reads a configuration of a hop: a file beside this one, or, in several lines, the text itself.
func (s *Source) hopConfig(n *Node, hop *Process) {
	name, text := s.configText(n, hop.Service)
	hop.Config = text
	if text == "" || hop.Service.Components == nil {
		return
	}
	hop.Config, hop.Copy = s.CopyOf(name, text, hop.Service, hop.Program != "")
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
func (s *Source) configText(n *Node, of *Service) (file, text string) {
	if of.Config == "" {
		s.Fail(n.At, "service %q takes no configuration (config: in its file)", of.Name)
		return "", ""
	}
	text, file = s.Text(n), "the configuration of "+of.Name
	if !strings.Contains(text, "\n") {
		name := s.Line(n)
		if s.Open == nil {
			s.Fail(n.At, "config: there is no folder to read %q from", Printable(name))
			return "", ""
		}
		read, err := s.Open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.Fail(n.At, "config: there is no file %q beside this one", Printable(name))
			return "", ""
		case err != nil:
			s.Fail(n.At, "config: %v", err)
			return "", ""
		}
		file, text = name, string(read)
	}
	if s.inlined += len(text); s.inlined > maxInline {
		s.Fail(n.At, "the configurations and bodies are too large: %d bytes up to here; the most is %d together", s.inlined, maxInline)
		return "", ""
	}
	for _, pair := range configPair.FindAllStringSubmatch(text, -1) {
		if IsSecret(pair[1], pair[2]) && !inVariable.MatchString(pair[2]) {
			s.Fail(n.At, "config: the value of %q looks like a credential, which would stand in the results folder: write %s: ${env:NAME} there, and env: {NAME: \"${env:NAME}\"} beside config",
				Printable(pair[1]), Printable(pair[1]))
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

// Hop is one as it is written.
func (w Writer) Hop(p Process) Object {
	h := Hop{process: &p, Env: p.Own}
	if p.CPUs != p.Service.Process.CPUs {
		h.CPUs = p.CPUs
	}
	if p.Memory != p.Service.Process.Memory {
		h.Memory = p.Memory
	}
	return single(p.Name, w.Written(&h, InExperiment))
}
