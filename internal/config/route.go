// The way of a plan's spans over its hops.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

func titles(receives map[protocol.Name]string) string {
	var out []string
	for _, r := range protocol.Table {
		if _, takes := receives[r.Name]; takes {
			out = append(out, r.Title)
		}
	}
	return strings.Join(out, ", ")
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
		p.Renames = p.Renames || hop.Copy != nil && hop.Copy.Renames
	}
	if v.To != nil {
		p.To = v.To.Name
	}
	for _, one := range v.Route() {
		p.Passing += one.Holds()
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

// Patience is how long they can take, as far as anybody knows: whoever waits for spans waits so long for the last ones.
func (p *Plan) Patience() time.Duration { return max(p.Delay, p.MayDelay) + p.Passing }

// SaysPassed is Passed in words.
func (p *Plan) SaysPassed() string {
	if p.Passing == 0 {
		return fmt.Sprintf("the tracer's delay of %s", p.Delay)
	}
	return fmt.Sprintf("the delays of the tracer and of its hops, %s", p.Passed())
}

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

// Needs are the needs of the workload and of all variants' tracers, each once.
func (e *Experiment) Needs() []Need {
	needs := slices.Clone(e.Workload.Needs)
	for _, v := range e.Variants {
		needs = append(needs, v.Tracer.Needs...)
		for _, service := range v.Services() {
			needs = append(needs, service.Needs...)
		}
	}
	return Distinct(needs)
}
