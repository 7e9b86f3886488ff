package series

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
)

// CPU per operation by service of a program under test that has several, and the calls between them.

// named bounds the services in short tables.
const named = 5

// Services returns what each service costs, cell by cell: the dearest first, which is the one to which any variant adds most, and
// behind those that the short tables name all others together. A pair whose CPU cannot be read in some run has none.
func (s Builder) Services() []finding.ServiceCost {
	roles := s.Set.Services()
	if roles == nil {
		return nil
	}
	var out []finding.ServiceCost
	for _, at := range s.Cells() {
		pairs := map[dataset.Pair]map[string][]finding.Sample{}
		most := map[string]float64{} // that a variant adds
		for _, p := range s.Pairs() {
			samples := s.byService(p, at, roles)
			if samples == nil {
				continue
			}
			pairs[p] = samples
			for name, one := range samples {
				base, value := claim.Sides(one)
				if !p.Extra {
					most[name] = max(most[name], value.Minus(base).Center())
				}
			}
		}
		dearest := slices.SortedFunc(maps.Keys(roles), func(a, b string) int { return cmp.Or(cmp.Compare(most[b], most[a]), strings.Compare(a, b)) })
		for _, p := range s.Pairs() {
			if pairs[p] != nil {
				out = append(out, s.costs(p, at, dearest, roles, pairs[p])...)
			}
		}
	}
	return out
}

// byService are the samples of a pair, by service; nil where there are none, or they cannot be compared.
func (s Builder) byService(p dataset.Pair, at cell.At, roles map[string][]role.Role) map[string][]finding.Sample {
	how, row := s.RegimeOf(at), metric.Must(metric.CPUPerOperation)
	if !row.In.Has(how) || row.Uncompared.Has(how) {
		return nil
	}
	out := map[string][]finding.Sample{}
	for name := range roles {
		samples := measure.Of(row, role.Charge{Service: name}, how).Samples(s.Set, p, at)
		if len(samples) == 0 {
			return nil
		}
		out[name] = samples
	}
	return out
}

// costs are those of a pair: of each service in this order, and of all behind the first few together.
func (s Builder) costs(p dataset.Pair, at cell.At, order []string, roles map[string][]role.Role, samples map[string][]finding.Sample) []finding.ServiceCost {
	var out []finding.ServiceCost
	one := func(name string, of []role.Role, samples []finding.Sample) *finding.ServiceCost {
		base, value := claim.Sides(samples)
		c := finding.ServiceCost{
			Operation: at.Operation, Parameter: at.Level.Map(), Variant: p.Variant, Against: p.Against, Service: name,
			Baseline: finding.AtLeastZero(base.Center()), Value: finding.AtLeastZero(value.Center()), Blocks: len(samples),
		}
		for _, r := range of {
			c.Roles = append(c.Roles, string(r))
		}
		if s.OverloadOfWork(p, at) == nil { // otherwise one side did another amount of work
			c.Absolute = claim.Paired(value.Minus(base), false, s.Confidence).Interval(claim.Confidence)
		}
		out = append(out, c)
		return &out[len(out)-1]
	}
	for _, name := range order {
		one(name, roles[name], samples[name])
	}
	if len(order) <= named+1 { // the last one can be named too
		return out
	}
	rest := slices.Clone(samples[order[named]])
	of := map[role.Role]bool{}
	for i, name := range order[named:] {
		for _, r := range roles[name] {
			of[r] = true
		}
		for j := range rest {
			if i > 0 {
				rest[j].Baseline, rest[j].Value = rest[j].Baseline+samples[name][j].Baseline, rest[j].Value+samples[name][j].Value
			}
		}
	}
	one("", slices.Sorted(maps.Keys(of)), rest).Others = len(order) - named
	return out
}

// Calls returns who calls whom in each operation, where the workload is a graph of services.
func (s Builder) Calls() []finding.Call {
	w := s.Experiment.Workload
	if w == nil || w.Graph == nil {
		return nil
	}
	var out []finding.Call
	for _, o := range s.Experiment.Operations {
		weights, all := map[string]float64{o.Name: 1}, 1.0
		if len(o.Mix) > 0 {
			weights, all = map[string]float64{}, 0
			for _, part := range o.Mix {
				weights[part.Operation.Name] += part.Weight
				all += part.Weight
			}
		}
		calls := map[program.Edge]float64{}
		for _, part := range slices.Sorted(maps.Keys(weights)) {
			for edge, n := range w.Graph.Calls(part) {
				calls[edge] += weights[part] / all * n
			}
		}
		for _, edge := range slices.SortedFunc(maps.Keys(calls), func(a, b program.Edge) int {
			return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
		}) {
			if n := calls[edge]; n > 0 {
				out = append(out, finding.Call{Operation: o.Name, From: edge.From, To: edge.To, Low: n, High: n})
			}
		}
	}
	return out
}
