// The comparison in words.

package analysis

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

func (s *study) describe() (finding.Experiment, error) {
	e := s.Experiment
	d := finding.Experiment{
		Name: e.Name, Load: wording.Load(e), Blocks: e.Design.Blocks, Seed: e.Design.Seed,
		Operations: []string{}, Variants: []finding.Variant{}, Pilot: s.pilotTexts(), Warmup: wording.Warmup(s.Warmups()), Faults: wording.Faults(e),
		Order: string(e.Design.Order), Rates: s.relativeRates(),
		LeftOut: s.in.LeftOut, Shadowed: s.in.Shadowed, Published: Published(e), Claims: Claims(e),
	}
	if s.Stops() {
		d.Most, d.Precision, d.Metric = e.Design.Most, e.Design.Precision, s.PrecisionName()
	}
	if e.Workload != nil {
		d.Workload = e.Workload.Name
		file, err := e.YAML()
		if err != nil {
			return d, err
		}
		d.File = string(file)
	}
	for _, o := range e.Operations {
		d.Operations = append(d.Operations, o.Name)
	}
	for _, v := range e.Variants {
		d.Variants = append(d.Variants, finding.Variant{
			Steps: v.Steps(), Partial: s.Partial(v), On: v.On,
			Name: v.Name, Tracer: v.TracerName(), Settings: shown(v.Settings), Via: viaNames(v), To: toName(v), Against: v.Against, Description: variantText(v, e.Variants), Runtime: s.Runtime(v.Name), Instrumented: s.Instrumented(v.Name), Missed: slices.Sorted(maps.Keys(s.Missed(v.Name))),
		})
	}
	return d, nil
}

// variantText returns the user's description of a variant, or else its settings that are no defaults. Values of variables
// and arguments may be secret: only those by which variants differ are shown. experiment.yaml has all, redacted.
func variantText(v config.Variant, all []config.Variant) string {
	if v.Description != "" {
		return v.Description
	}
	var parts []string
	if v.On != nil {
		parts = append(parts, "on "+wording.FewNames(v.On))
	}
	if v.Replicas > 0 {
		parts = append(parts, wording.Counted(v.Replicas, "replica")+" of each service that others call")
	}
	chosen := shown(v.Chosen)
	if v.Tracer != nil {
		for _, set := range v.Tracer.Settings { // a resolved file has all of them
			if v.Chosen[set.Name] == set.Default {
				delete(chosen, set.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		parts = append(parts, name+" "+chosen[name])
	}
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		values := func(o config.Variant) string { return o.Env[name] }
		parts = append(parts, toldApart(name, v, all, values, name+" set"))
	}
	if len(v.Args) == 1 {
		name, _, _ := strings.Cut(v.Args[0], "=")
		values := func(o config.Variant) string { return argument(o.Args, name) }
		parts = append(parts, toldApart(name, v, all, values, "arguments set"))
	} else if len(v.Args) > 1 {
		parts = append(parts, "arguments set")
	}
	return strings.Join(parts, ", ")
}

// plainValue matches a version, a switch, the name of a build; likeSecret matches names of possible secrets. A report is
// passed on: it omits them, although experiment.yaml needs them to repeat the run.
var (
	plainValue = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,15}$`)
	likeSecret = regexp.MustCompile(`(?i)key|pin$|pw|user|login|session|cert|dsn|auth|cred|hook`)
)

// toldApart returns "SDK=1.1" if another variant has another value of that name and the value is no secret; else less.
func toldApart(name string, v config.Variant, all []config.Variant, of func(config.Variant) string, less string) string {
	value := of(v)
	another := slices.ContainsFunc(all, func(o config.Variant) bool { other := of(o); return other != "" && other != value })
	if !another || !plainValue.MatchString(value) || likeSecret.MatchString(name) || program.IsSecret(strings.TrimLeft(name, "-"), value) {
		return less
	}
	return name + "=" + value
}

// argument is the value of a "--name=value"; "" without one.
func argument(args []string, name string) string {
	for _, arg := range args {
		if value, has := strings.CutPrefix(arg, name+"="); has {
			return value
		}
	}
	return ""
}

// shown returns settings without the values that may be secret.
func shown(settings map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range settings {
		if program.IsSecret(name, value) {
			value = "(redacted)"
		}
		out[name] = value
	}
	return out
}

// toName is the backend of a variant; "" where it has none.
func toName(v config.Variant) string {
	if v.To == nil {
		return ""
	}
	return v.To.Name
}

// viaNames are the hops of a variant.
func viaNames(v config.Variant) []string {
	var out []string
	for _, hop := range v.Via {
		out = append(out, hop.Name)
	}
	return out
}

// The origin of relative rates in words.

// pilotTexts returns the origin of relative rates, a sentence an operation.
func (s *study) pilotTexts() []string {
	relative := s.Experiment.Load.Relative
	var out []string
	for _, operation := range s.Operations() {
		var found []string
		for _, p := range s.Piloted(operation) {
			found = append(found, wording.Pilot(p.Variant, p.Found))
		}
		if len(found) == 0 {
			continue
		}
		rate, share := 0.0, 0.0
		if relative != nil && len(relative.Shares) == 0 {
			rate, _ = s.RateOf(operation)
			share = relative.Share
		}
		out = append(out, operation+": "+wording.Pilots(found, rate, share))
	}
	return out
}

// relativeRates are the rates that a relative one came to, by operation; nil where
// the rate was a given one.
func (s *study) relativeRates() map[string]float64 {
	if relative := s.Experiment.Load.Relative; relative == nil || len(relative.Shares) > 0 {
		return nil
	}
	out := map[string]float64{}
	for _, operation := range s.Operations() {
		if rate, ok := s.RateOf(operation); ok {
			out[operation] = rate
		}
	}
	return out
}

// The published figures and claims of a study, in the findings of the results that repeat it.

// Published are the figures of the workload that the experiment is of.
func Published(e *config.Experiment) []finding.Published {
	var out []finding.Published
	for _, p := range e.Published {
		if p.Workload != "" && (e.Workload == nil || p.Workload != e.Workload.Name) {
			continue
		}
		out = append(out, finding.Published{
			Source: p.Source, Operation: p.Operation, Variant: p.Variant, Metric: p.Metric, Parameter: maps.Clone(p.Parameter),
			Value: p.Value, Spread: p.Spread, Note: p.Note,
		})
	}
	return out
}

// Claims are the claims, whole: they may be about several workloads.
func Claims(e *config.Experiment) []finding.Claim {
	var out []finding.Claim
	for _, c := range e.Claims {
		out = append(out, finding.Claim{
			Name: c.Name, Text: c.Text, Metric: c.Metric, Of: c.Of, Beside: c.Beside, Variants: slices.Clone(c.Variants), Workloads: slices.Clone(c.Workloads),
			Operation: slices.Clone(c.Operation), Over: c.Over, Above: c.Above, Below: c.Below,
		})
	}
	return out
}

// Records and accounts of spans together.

// study is an experiment's records, sorted out.
type study struct {
	*effect.Estimator
	in Input
}

// newStudy sorts the records out, and accounts for the spans.
func newStudy(in Input) (*study, error) {
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return nil, err
	}
	return &study{Estimator: effect.New(delivery.New(set)), in: in}, nil
}

// packets returns the packets that variants captured, in all good runs; unknown if one run does not report them.
func (s *study) packets() []finding.Packets {
	var out []finding.Packets
	for _, v := range s.Variants {
		if !v.Captures() {
			continue
		}
		sum := finding.Packets{Variant: v.Name, Captured: new(int64), Dropped: new(int64)}
		for _, block := range dataset.BlocksIn(s.All[v.Name]) {
			sum.Runs++
			said := s.All[v.Name][block].Packets
			if said == nil {
				said = &record.Packets{Unreported: "a run has no word of them"}
			}
			sum.Captured, sum.Dropped = plus(sum.Captured, said.Captured), plus(sum.Dropped, said.Dropped)
			sum.Bytes += said.Bytes
			sum.Unreported = cmp.Or(sum.Unreported, said.Unreported)
		}
		if sum.Runs > 0 {
			out = append(out, sum)
		}
	}
	return out
}

func plus(sum *int64, more *uint64) *int64 {
	if sum == nil || more == nil {
		return nil
	}
	all := *sum + int64(*more)
	return &all
}

// proxied are the calls that the proxies of variants counted, in all good runs, beside those that the graph makes.
func (s *study) proxied() []finding.Proxied {
	var out []finding.Proxied
	for _, v := range s.Variants {
		sum, told := finding.Proxied{Variant: v.Name, Calls: new(int64)}, false
		if w := s.Experiment.Workload; w != nil && w.Graph != nil {
			sum.Makes = &finding.Calls{}
		}
		for _, block := range dataset.BlocksIn(s.All[v.Name]) {
			r := s.All[v.Name][block]
			sum.Runs++
			told, sum.Calls = told || r.Tracer.Calls != nil, plus(sum.Calls, r.Tracer.Calls)
			if sum.Makes != nil {
				sum.Makes.Low += callsMade(s.Experiment.Workload.Graph, r.Record)
				sum.Makes.High = sum.Makes.Low
			}
		}
		if told {
			out = append(out, sum)
		}
	}
	return out
}

// callsMade returns the number of calls in a graph for the operations of a run, those under profilers included.
func callsMade(g program.Graph, r *record.Record) (calls int64) {
	started := map[string]uint64{r.Start.FirstOperation: 1}
	for i := range r.Phases {
		p := &r.Phases[i]
		did := record.Counted(p.Made()...)
		if len(did.Parts) == 0 {
			started[p.Operation] += did.Started
		}
		for _, part := range did.Parts {
			started[part.Operation] += part.Started
		}
	}
	for operation, n := range started {
		edges := g.Calls(operation)
		if edges == nil {
			continue
		}
		each := 1.0
		for _, calls := range edges {
			each += calls
		}
		calls += int64(float64(n) * math.Round(each)) // replicas share whole calls
	}
	return calls
}

// Answers by their status, where several are right.

// answers are the counted answers of each operation and variant, in the blocks that count.
func (s *study) answers() []finding.Answers {
	var out []finding.Answers
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			if sum := s.answersOf(v.Name, at); len(sum) > 0 {
				out = append(out, finding.Answers{Operation: at.Operation, Parameter: at.Level.Map(), Variant: v.Name, Statuses: sum})
			}
		}
	}
	return out
}

func (s *study) answersOf(variant string, at cell.At) map[int]uint64 {
	sum := map[int]uint64{}
	for _, p := range s.PhasesOf(variant, at) {
		for status, n := range p.Load.Answers {
			sum[status] += n
		}
	}
	return sum
}
