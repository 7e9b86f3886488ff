// Which share of traces a plan samples, and who decides on each.

package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/metric"
)

// What programs read of OpenTelemetry's sampler, and what the samplers that leave a trace at what its caller decided begin with.
const (
	samplerVariable = "OTEL_TRACES_SAMPLER"
	SamplerArgument = "OTEL_TRACES_SAMPLER_ARG" // the share
	parentBased     = "parentbased_"
)

// sampler works out the sampled share where variables say it, whoever sets them, and whether the caller of a process decides.
// A process that is not traced passes on no decision.
func (p *Plan) sampler(v Variant, w *Workload) {
	for _, s := range v.Tracer.Settings {
		p.Follows, p.Draws = p.Follows || s.Meaning == "sampling" && s.Follows, p.Draws || s.Draws
	}
	share, follows, said := p.sampledByVariables()
	if said {
		p.Sampling, p.Follows = share, follows
	}
	p.Follows = p.Follows && p.Manner().Generator && !v.LeavesOut(w)
	p.Undeclared = !said && v.TracerName() == NoTracer && !p.Silent && p.NamesSink() && p.Manner().Generator
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

// samplerShare is the share that a sampler takes of traces on which nobody has decided.
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
			slices.ContainsFunc(p.Says, func(s Saying) bool { return s.What == SaysTraced }) {
			continue
		}
		out = append(out, fmt.Sprintf("lost: 0 can never be told of variant %q: its sampler leaves traces to chance (%s), so that one which was lost whole looks like one that was not sampled; "+
			"give it a sampler that follows its caller (such as %s=%straceidratio), sampling: 100%%, or allow what chance hides%s",
			printable(v.Name), formatShare(p.Sampling), samplerVariable, parentBased, e.hides(p.Sampling)))
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
