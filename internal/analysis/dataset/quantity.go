// Quantities of a phase: the use of its processes by role, less their idle use.

package dataset

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/steady"
)

// CPU is the CPU seconds that the window cost: all from its start to the quiet
// after it, less what the processes use when idle over the time without load, where that is known. Over the window
// itself nothing is taken off: what a process does beside its work is part of
// what it costs while it works.
func (p *Phase) CPU(of role.Charge) float64 {
	return p.Used(of, func(u record.Usage) float64 { return u.CPUSeconds })
}

// Used sums a quantity over processes, less its idle rate over the time without load where that is known.
func (p *Phase) Used(of role.Charge, quantity func(record.Usage) float64) float64 {
	return p.used(func(u record.Usage) bool { return of.Of(u.Role, u.Whose()) }, quantity)
}

// CPUOf is CPU, of some processes.
func (p *Phase) CPUOf(is func(record.Usage) bool) float64 {
	return p.used(is, func(u record.Usage) float64 { return u.CPUSeconds })
}

func (p *Phase) used(is func(record.Usage) bool, quantity func(record.Usage) float64) float64 {
	var sum float64
	for _, u := range p.Usage {
		if !is(u) {
			continue
		}
		sum += quantity(u)
		if idle := p.Idle[u.Process]; idle.Seconds > 0 {
			sum -= quantity(idle) / idle.Seconds * p.off()
		}
	}
	return sum
}

// off returns the time of a phase without load: while others of its block had it, and in its drain; at most the time of the
// readings, because after a jump of the clock more would be taken off than was used.
func (p *Phase) off() float64 {
	most := p.PausedSeconds + p.DrainSeconds
	for _, u := range p.Usage {
		most = min(most, max(0, u.Seconds))
	}
	return most
}

// Over is a quotient; false where there is nothing to divide by.
func Over(sum, by float64) (float64, bool) {
	if by <= 0 {
		return 0, false
	}
	return sum / by, true
}

// Roles returns the roles of all processes, sorted, the harness's last.
func (s *Set) Roles() []role.Role {
	seen := map[role.Role]bool{}
	for _, byBlock := range s.Runs {
		for _, r := range byBlock {
			for _, p := range r.ByCell {
				for _, u := range p.Usage {
					seen[u.Role] = true
				}
			}
		}
	}
	roles := slices.Sorted(maps.Keys(seen))
	slices.SortStableFunc(roles, func(a, b role.Role) int {
		switch {
		case a.Harness() == b.Harness():
			return 0
		case b.Harness():
			return -1
		}
		return 1
	})
	return roles
}

// LagAt is the generator's lag at a percentile; its mean for 0.
func (p *Phase) LagAt(percentile float64) (float64, bool) {
	if percentile == 0 {
		return p.Lag.Mean()
	}
	return p.Lag.At(percentile)
}

// The needed figures of a latency histogram, read once: the histograms
// themselves are too large to be kept.

// Grid is the percentiles that are read: those of curves and metrics.
var Grid = []float64{
	0, 1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 96, 97, 98, 99, 99.5, 99.9, 99.95, 99.99,
}

// distribution has the figures of a histogram. Times are in seconds.
type distribution struct {
	n, censored uint64
	least, most float64
	average     float64
	quantiles   []float64 // at the grid
	pace        steady.Latencies
}

func distributionOf(h record.Histogram, censored uint64) (distribution, error) {
	if h == "" {
		return distribution{censored: censored}, nil
	}
	decoded, err := h.Decode()
	if err != nil {
		return distribution{}, err
	}
	const ns = 1e-9
	d := distribution{
		n: uint64(decoded.TotalCount()), censored: censored,
		least: float64(decoded.Min()) * ns, most: float64(decoded.Max()) * ns, average: decoded.Mean() * ns,
		pace: steady.LatenciesOf(decoded),
	}
	for _, p := range Grid {
		d.quantiles = append(d.quantiles, float64(decoded.ValueAtQuantile(p))*ns)
	}
	return d, nil
}

// At returns a percentile of the grid; false if too few values support it, or if it
// reaches into values with only a known lower bound.
func (d distribution) At(percentile float64) (float64, bool) {
	if !stats.QuantileSupported(d.n, percentile) {
		return 0, false
	}
	if above := float64(d.n) * (100 - percentile) / 100; float64(d.censored) > above {
		return 0, false
	}
	for i, p := range Grid {
		if p == percentile && i < len(d.quantiles) {
			return d.quantiles[i], true
		}
	}
	return 0, false
}

// Values returns their number.
func (d distribution) Values() uint64 { return d.n }

// Mean is not known where some values are censored.
func (d distribution) Mean() (float64, bool) { return d.average, d.n > 0 && d.censored == 0 }

func (d distribution) Max() (float64, bool) { return d.most, d.n > 0 && d.censored == 0 }

// The order of the phases of a run: by operation, and by the level of what is
// varied between the phases of one operation.

// Cells returns every operation at each of its levels: the operations in the
// experiment's order, the levels by their size. An operation without any phase has
// one cell.
func (s *Set) Cells() []cell.At { return s.places }

// findCells makes the list of cells.
func (s *Set) findCells() []cell.At {
	levels := map[string]map[cell.Level]bool{}
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			for at := range r.ByCell {
				if levels[at.Operation] == nil {
					levels[at.Operation] = map[cell.Level]bool{}
				}
				levels[at.Operation][at.Level] = true
			}
		}
	}
	var out []cell.At
	for _, operation := range s.Operations() {
		of := slices.SortedFunc(maps.Keys(levels[operation]), cell.Level.Compare)
		if len(of) == 0 {
			of = []cell.Level{{}}
		}
		for _, level := range of {
			out = append(out, cell.At{Operation: operation, Level: level})
		}
	}
	return out
}

// RegimeOf returns the kind of load of a cell; before any run, the planned one.
func (s *Set) RegimeOf(at cell.At) metric.Regimes {
	regime := s.Experiment.Regime()
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			p := r.ByCell[at]
			switch {
			case p == nil:
				continue
			case p.Capacity != nil:
				return metric.Search
			case p.OfferedRate > 0:
				return s.Experiment.RegimeAt(p.OfferedRate)
			}
			regime = s.Experiment.RegimeAt(0)
		}
	}
	return regime
}

// Operations are the names of all operations, in the experiment's order.
func (s *Set) Operations() []string {
	var names []string
	for _, o := range s.Experiment.Operations {
		names = append(names, o.Name)
	}
	return names
}
