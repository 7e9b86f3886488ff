// Backends: services that a variant's spans are stored in, in the place of the sink.

package config

import (
	"slices"

	"github.com/tracetax/tracetax/internal/role"
)

// Answers is how a backend is asked for the spans that it has stored.
type Answers struct {
	Spans string   // URL of all of them, as JSON
	None  int      // status of the answer with which it says that it has none; 0: it answers as ever
	Each  []string // the way from the whole to one span: keys of objects, and * for all members
}

// answersExample is how they are written.
const answersExample = `answers: {spans: "http://127.0.0.1:{port}/api/traces?limit=100000", each: data.*.spans.*}`

// to reads the backend of a variant.
func (s *source) to(n *node, w *Workload) *Process {
	if n.kind == list {
		s.fail(n.at, "to names one backend, where a span's way ends; what spans pass through is via")
		return nil
	}
	p, ok := s.hop(n, func(v *Service) *Service { return v })
	if !ok {
		return nil
	}
	switch taken := func(one Process) bool { return one.Name == p.Name }; {
	case !p.Service.Stores():
		s.fail(n.at, "service %q stores no spans (role: backend, says: received, and answers: in its file), so that none can go to it; what spans pass through is via", p.Service.Name)
	case slices.ContainsFunc(w.Processes, taken):
		s.fail(n.at, "the workload has a process called %q; give the backend a name of its own, such as {%s-backend: {service: %s}}", p.Name, p.Name, p.Service.Name)
	}
	return &p
}

// apart checks that the backend of a variant is none of its hops.
func (s *source) apart(n *node, v *Variant) {
	if v.To != nil && slices.ContainsFunc(v.Via, func(hop Process) bool { return hop.Name == v.To.Name }) {
		s.fail(n.get("to").at, "a hop and the backend are both called %q; give one of them a name of its own, such as {%s-2: {service: %s}}", v.To.Name, v.To.Name, v.To.Service.Name)
	}
}

// AsksFor is where a backend is asked for its spans, with its settings filled in.
func (p Process) AsksFor() string {
	text, _ := withSettings(p.Service.Answers.Spans, wordsOfSettings(p.Service.Settings, p.Service.values(p.Settings)))
	return text
}

// Stores reports whether a service is a backend: it says what it has stored, and can be asked for it.
func (v *Service) Stores() bool {
	return v.Process.Role == role.Backend && v.Answers.Spans != "" &&
		slices.ContainsFunc(v.Says, func(s Saying) bool { return s.What == SaysReceived && s.Metrics != "" })
}

// misplaced finds faults of the sink where a variant's spans do not go there.
func (e *Experiment) misplaced() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if f := e.FaultsOf(v); v.To != nil && (f.SinkLoses > 0 || f.SinkLate > 0 || f.SinkGone != "") {
			out = append(out, misfit{at: []string{"variants", v.Name, "to"}, text: "the spans of variant " + printable(v.Name) + " go to " + v.To.Name +
				", not to the sink, so that faults of the sink say nothing of them; leave out to, or the faults"})
		}
	}
	return out
}
