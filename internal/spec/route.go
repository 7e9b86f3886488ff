// The way of a plan's spans over its hops.
package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

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
		if sends = sent(hop.Service.Settings, hop.Service.values(hop.Settings), p.textsOf(func(name string) bool { return name == hop.Name })); len(sends) == 0 {
			return fmt.Sprintf("%s passes nothing on: no text of service %q has {sink.…}", hop.Name, hop.Service.Name)
		}
	}
	return ""
}

func titles(receives map[protocol.Name]string) string {
	var out []string
	for _, r := range protocol.Table {
		if _, takes := receives[r.Name]; takes {
			out = append(out, r.Title)
		}
	}
	return strings.Join(out, ", ")
}

func wordsOf(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, Placeholders(text)...)
	}
	return out
}

// addHops puts the hops and the backend before the workload's processes, the last one first: each is there when the one before it in a
// span's way starts.
func (p *Plan) addHops(v Variant) {
	for _, hop := range slices.Backward(v.Route()) {
		hop.Run, hop.Env = slices.Clone(hop.Run), maps.Clone(hop.Env)
		p.Processes = append(p.Processes, hop)
	}
	for _, hop := range v.Via {
		p.Via = append(p.Via, hop.Name)
	}
	if v.To != nil {
		p.To = v.To.Name
	}
	for _, one := range v.Route() {
		p.Passing += one.holds()
	}
}

// Next is the hop or the backend that takes in what a process sends to {sink.…}; "" is the sink.
func (p *Plan) Next(process string) string {
	route := p.Route()
	i := slices.Index(route, process) + 1 // 0 for all that are no hop
	if i == len(route) {
		return ""
	}
	return route[i]
}

// Process is the process of that name; nil where there is none.
func (p *Plan) Process(name string) *Process {
	i := slices.IndexFunc(p.Processes, func(one Process) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Processes[i]
}

// Passed is how long spans may take from the traced processes to the sink: the tracer's delay and those of the hops.
func (p *Plan) Passed() time.Duration { return p.Delay + p.Passing }

// Direct is a variant whose spans go straight to the sink.
func (v Variant) Direct() Variant {
	v.Via, v.To = nil, nil
	return v
}

// Services are those of the variant's hops and of its backend.
func (v Variant) Services() []*Service {
	var out []*Service
	for _, hop := range v.Route() {
		out = append(out, hop.Service)
	}
	return out
}
