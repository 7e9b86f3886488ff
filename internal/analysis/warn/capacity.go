// Checks of rates, capacities and numbers of blocks.

package warn

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// The thresholds of the checks of searches and of what stands beside the app.
const (
	busyGenerator = 0.9 // of a CPU: it makes operations with one thread
	busyDatabase  = 0.7 // of the CPU that it may use
	boundShare    = 0.5 // of a variant's searches that the database bound
)

// What bounds a search, in a record's words, or how they begin.
const (
	byGenerator = "generator"
	byDatabase  = "database"
)

func (s *checker) findFaults() []hit {
	texts := wording.Faults(s.Experiment)
	if len(texts) == 0 {
		return nil
	}
	return []hit{{text: "injected faults: " + strings.Join(texts, "; ")}}
}

func (s *checker) findPilot() []hit {
	if !s.HasPilots() {
		return nil
	}
	return []hit{{text: "a pilot on this machine chose the rate, by the capacity of the slowest variant"}}
}

func (s *checker) findWoven() []hit {
	if !s.Woven() {
		return nil
	}
	return []hit{{text: "woven: all variants had their load at the same time, and disturbed each other; differences in CPU are sound, latencies are not compared, and figures of one variant are not those of a program that has the machine to itself"}}
}

// findInTurn warns where the load of all variants did not fit on the CPUs at once.
func (s *checker) findInTurn() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		if s.Experiment.Design.Order != config.Paired {
			break
		}
		for _, p := range s.PhasesOf(s.Baseline, at) {
			if len(p.Windows) > 0 {
				hits = append(hits, seen("together the variants leave the CPUs too little room: CPU, memory and bytes were measured in turn, as latency was", at.String()))
				break
			}
		}
	}
	return hits
}

// findConstant warns where requests of several variants kept step with the kernel's timer.
func (s *checker) findConstant() []hit {
	if s.Experiment.Load.Arrivals != load.Constant || len(s.Variants) < 2 || s.Experiment.Regime()&metric.Open == 0 {
		return nil
	}
	return []hit{{text: "requests came at constant intervals, and keep step with the kernel's timer: it may hit one variant and not another for a whole block, so blocks differ by several per cent more"}}
}

// findConstantCalls warns of self-driving programs that do.
func (s *checker) findConstantCalls() []hit {
	return s.perCell(0, func(p *dataset.Phase) float64 {
		if p.Load.Driven == nil || !p.Load.Driven.Constant {
			return 0
		}
		return 1
	}, func(float64) string {
		return "operations came at constant intervals, and keep step with the kernel's timer, as requests that do"
	})
}

func (s *checker) findGroups() []hit {
	blocks, most := s.Grouped()
	switch {
	case blocks == 0:
		return nil
	case most == 1:
		return []hit{{text: fmt.Sprintf("memory did not suffice for two variants at the same time: in %s they ran one after the other", wording.Blocks(blocks))}}
	}
	return []hit{{text: fmt.Sprintf("memory did not suffice for all variants at the same time: %s ran in groups of up to %d, each with %s", wording.Blocks(blocks), most, s.Baseline)}}
}

// searchHits makes one hit a cell and variant of searches that is true of.
func (s *checker) searchHits(is func(*record.Search) bool, text func(*record.Search) string) []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			phases, n := s.PhasesOf(v.Name, at), 0
			var last *record.Search
			for _, p := range phases {
				if p.Capacity != nil && is(p.Capacity) {
					last, n = p.Capacity, n+1
				}
			}
			if n > 0 {
				hits = append(hits, seen(fmt.Sprintf("%s (%d of %d searches)", text(last), n, len(phases)), place(at, v.Name)))
			}
		}
	}
	return hits
}

// findGeneratorBound looks at searches that the generator ended, and at loads that
// it could not make more of: closed loops, and rates that were not held.
func (s *checker) findGeneratorBound() []hit {
	hits := s.searchHits(func(c *record.Search) bool {
		return c.Outcome == record.ByGenerator || c.Binding == byGenerator
	}, func(c *record.Search) string {
		if c.Outcome == record.Found {
			return "the load generator keeps it from more than " + finding.FormatValue(c.Rate, "1/s")
		}
		if c.Passing <= 0 {
			return "limited by the generator: the service can do more than the generator can ask"
		}
		return "limited by the generator: the service can do more than " + finding.FormatValue(c.Passing, "1/s")
	})
	return append(hits, s.perCell(busyGenerator, func(p *dataset.Phase) float64 {
		if held, asked := s.Held(p); p.Capacity != nil || asked && held {
			return 0
		}
		share, _ := dataset.Over(p.CPU(role.Charge{Role: role.Load}), p.Load.WallSeconds) // 0 without a window
		return share
	}, func(worst float64) string {
		return fmt.Sprintf("limited by the generator, which used %s of a CPU: what was reached is its limit", finding.FormatValue(worst, "1"))
	})...)
}

func (s *checker) findSearchLimit() []hit {
	return s.searchHits(func(c *record.Search) bool {
		return c.Outcome == record.AboveMax || c.Outcome == record.BelowLeast
	}, func(c *record.Search) string {
		if c.Outcome == record.AboveMax {
			return "the capacity is above the highest rate allowed, " + finding.FormatValue(c.Passing, "1/s")
		}
		return "the capacity is below the lowest rate tried, " + finding.FormatValue(c.Failing, "1/s")
	})
}

func (s *checker) findSaturated() []hit {
	return s.searchHits(func(c *record.Search) bool { return c.Outcome == record.Saturated }, func(c *record.Search) string {
		return "the service does not hold more than " + finding.FormatValue(c.Passing, "1/s") + ", though the app has CPU to spare"
	})
}

func (s *checker) findUnsteady() []hit {
	return s.searchHits(func(c *record.Search) bool { return c.Outcome == record.Unsteady }, func(c *record.Search) string {
		text := "unsteady, so no rate was found: " + wording.Unsteady([]*record.Search{c})
		if c.Passing > 0 && c.Failing > 0 {
			text += fmt.Sprintf(" (%s passed, %s failed)", finding.FormatValue(c.Passing, "1/s"), finding.FormatValue(c.Failing, "1/s"))
		}
		return text
	})
}

// findDatabaseBusy looks at the CPU of databases, and at what bound the searches.
func (s *checker) findDatabaseBusy() []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			phases := s.PhasesOf(v.Name, at)
			worst, busy, bound := 0.0, 0, 0
			for _, p := range phases {
				share, _ := dataset.Over(p.CPU(role.Charge{Role: role.Database}), p.Load.WallSeconds*s.databaseCPUs(p)) // 0 without a window
				if share > busyDatabase {
					worst, busy = max(worst, share), busy+1
				}
				if p.Capacity != nil && strings.HasPrefix(p.Capacity.Binding, byDatabase) {
					bound++
				}
			}
			switch {
			case bound > 0 && float64(bound) >= boundShare*float64(len(phases)):
				hits = append(hits, seen(fmt.Sprintf("the capacity is bound by the database (%d of %d searches)", bound, len(phases)), place(at, v.Name)))
			case busy > 0:
				hits = append(hits, seen(fmt.Sprintf("the database used %s of the CPU that it may use (%d of %d runs)",
					finding.FormatValue(worst, "1"), busy, len(phases)), place(at, v.Name)))
			}
		}
	}
	return hits
}

// databaseCPUs returns the number of CPUs that the databases of a phase may use: as recorded,
// at most all of the machine; or what an app of one CPU leaves.
func (s *checker) databaseCPUs(p *dataset.Phase) float64 {
	var sum float64
	for _, u := range p.Usage {
		if u.Role == role.Database {
			sum += u.CPUs
		}
	}
	if sum > 0 {
		return min(sum, s.CPUs)
	}
	return max(1, s.CPUs-1)
}
