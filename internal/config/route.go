// The way of a plan's spans over its hops.

package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/metric"
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
func (p *Plan) Process(name string) *program.Process {
	i := slices.IndexFunc(p.Processes, func(one program.Process) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Processes[i]
}

// Passed returns the longest time of spans from the traced processes to the sink: the tracer's delay and those of the hops.
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

// Direct is the route of a variant that sends its spans straight to the sink.
func (v Variant) Direct() Variant {
	v.Via, v.To = nil, nil
	return v
}

// Services returns the services of the variant's hops and of its backend.
func (v Variant) Services() []*program.Service {
	var out []*program.Service
	for _, hop := range v.Route() {
		out = append(out, hop.Service)
	}
	return out
}

// Needs are the needs of the workload and of all variants' tracers, each once.
func (e *Experiment) Needs() []program.Need {
	needs := slices.Clone(e.Workload.Needs)
	for _, v := range e.Variants {
		needs = append(needs, v.Needs()...)
		for _, service := range v.Services() {
			needs = append(needs, service.Needs...)
		}
	}
	return program.Distinct(needs)
}

// Which share of traces a plan samples, and who decides on each.

// What programs read of OpenTelemetry's sampler, and what the samplers that leave a trace at what its caller decided begin with.
const (
	samplerVariable = "OTEL_TRACES_SAMPLER"
	SamplerArgument = "OTEL_TRACES_SAMPLER_ARG" // the share
	parentBased     = "parentbased_"
)

// sampler works out the sampled share where variables say it, whoever sets them, and whether the caller of a process decides.
// A process that is not traced passes on no decision.
func (p *Plan) sampler(v Variant, w *program.Workload) {
	for _, s := range v.Tracer.Settings {
		p.Follows, p.Draws = p.Follows || s.Meaning == program.MeaningSampling && s.Follows, p.Draws || s.Draws
	}
	share, follows, said := p.sampledByVariables()
	if said {
		p.Sampling, p.Follows = share, follows
	}
	p.Follows = p.Follows && p.Driver.Row().Generator && !v.LeavesOut(w)
	p.Undeclared = !said && v.TracerName() == program.NoTracer && !p.Silent && p.NamesSink() && p.Driver.Row().Generator
}

// sampledByVariables is what the variables of the traced processes say, where they say the same; false where they say nothing
// that is known of every process.
func (p *Plan) sampledByVariables() (share float64, follows, said bool) {
	if p.Silent || !p.NamesSink() {
		return 0, false, false
	}
	for _, process := range p.Processes {
		name, set := process.Env[samplerVariable]
		if !process.Traced || !set {
			continue
		}
		one, known := samplerShare(name, process.Env[SamplerArgument])
		if !known || said && (one != share || follows != strings.HasPrefix(name, parentBased)) {
			return 0, false, false
		}
		share, follows, said = one, strings.HasPrefix(name, parentBased), true
	}
	return share, follows, said
}

// samplerShare returns a sampler's share of the traces without a decision by the caller.
func samplerShare(name, argument string) (share float64, known bool) {
	switch strings.TrimPrefix(name, parentBased) {
	case "always_on":
		return 1, true
	case "always_off":
		return 0, true
	case "traceidratio":
		if argument == "" {
			return 1, true
		}
		share, err := strconv.ParseFloat(argument, 64)
		return share, err == nil && share >= 0 && share <= 1
	}
	return 0, false
}

// Undecidable says which variants can never keep a budget of no lost span: what came of traces that chance samples does not tell
// which others were lost whole.
func (e *Experiment) Undecidable() []string {
	if !slices.ContainsFunc(e.Budget, func(l Limit) bool { return l.Metric == metric.LostShare && l.Value == 0 }) {
		return nil
	}
	var out []string
	for i, v := range e.Variants {
		p, err := e.Plan(v)
		if i == 0 || err != nil || p.Silent || p.Follows || p.Sampling <= 0 || p.Sampling >= 1 || v.Against != "" ||
			slices.ContainsFunc(p.Says, func(s program.Saying) bool { return s.What == program.SaysTraced }) {
			continue
		}
		out = append(out, fmt.Sprintf("lost: 0 can never be told of variant %q: its sampler leaves traces to chance (%s), so that one which was lost whole looks like one that was not sampled; "+
			"give it a sampler that follows its caller (such as %s=%straceidratio), sampling: 100%%, or allow what chance hides%s",
			program.Printable(v.Name), program.FormatShare(p.Sampling), samplerVariable, parentBased, e.hides(p.Sampling)))
	}
	return out
}

// hides is about what chance may hide of the operations that are planned, as a budget; "" where their number is not known.
func (e *Experiment) hides(share float64) string {
	operations := e.Load.Rate * e.Load.Duration.Seconds() * float64(max(1, e.Design.Blocks))
	if operations <= 0 {
		return ""
	}
	const errors = 3.3 // standard errors, on either side
	hidden := 2 * errors * math.Sqrt((1-share)/(share*operations))
	return fmt.Sprintf(", such as lost: %.0f%%", math.Min(100, math.Ceil(100*hidden)))
}

// Route is the way of a variant's spans: its hops, and its backend if it has one.
func (v Variant) Route() []program.Process {
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

// Whether the spans of a variant can take their route.

// passes says why the spans of a variant do not pass its hops; "" where they do.
func (e *Experiment) passes(v Variant) string {
	p, err := e.Plan(v)
	if err != nil {
		return "" // told elsewhere
	}
	sends := program.Sent(v.Tracer.Settings, v.Settings, p.textsOf(p.noHop))
	who := fmt.Sprintf("variant %q with tracer %s", program.Printable(v.Name), v.Tracer.Name)
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
			sends = program.Rows(hop.Copy.Sends)
		} else if sends = program.Sent(hop.Service.Settings, hop.Service.Values(hop.Settings), p.textsOf(func(name string) bool { return name == hop.Name })); len(sends) == 0 {
			return fmt.Sprintf("%s passes nothing on: no text of service %q has {sink.…}", hop.Name, hop.Service.Name)
		}
	}
	return ""
}

// hops finds variants with spans that their hops do not receive.
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

// checkApart checks that the backend of a variant is none of its hops.
func checkApart(s *program.Source, n *program.Node, v *Variant) {
	if v.To != nil && slices.ContainsFunc(v.Via, func(hop program.Process) bool { return hop.Name == v.To.Name }) {
		s.Fail(n.Get("to").At, "a hop and the backend are both called %q; give one of them a name of its own, such as {%s-2: {service: %s}}", v.To.Name, v.To.Name, v.To.Service.Name)
	}
}

// misplaced finds faults of the sink where a variant's spans do not go there.
func (e *Experiment) misplaced() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if f := e.FaultsOf(v); v.To != nil && (f.SinkLoses > 0 || f.SinkLate > 0 || f.SinkGone != "") {
			out = append(out, misfit{at: []string{"variants", v.Name, "to"}, text: "the spans of variant " + program.Printable(v.Name) + " go to " + v.To.Name +
				", not to the sink, so that faults of the sink say nothing of them; leave out to, or the faults"})
		}
	}
	return out
}

// adapt makes hops send a protocol that the next one receives, if they can choose and the user has not.
func (v *Variant) adapt() {
	route := v.Route()
	for i := range v.Via {
		if i+1 == len(route) {
			return // the sink takes in everything
		}
		hop, next := &v.Via[i], route[i+1].Service
		for _, set := range hop.Service.Settings {
			if hop.Settings[set.Name] != "" || next.Takes(set.Choices[set.Default].Sends) {
				continue
			}
			for _, word := range slices.Sorted(maps.Keys(set.Choices)) {
				if next.Takes(set.Choices[word].Sends) {
					hop.Choose(set.Name, word)
					break
				}
			}
		}
	}
}
