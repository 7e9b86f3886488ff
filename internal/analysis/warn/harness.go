// Checks of the harness and the machine.

package warn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// The thresholds of the checks of the harness.
const (
	lateLag     = 0.001 // seconds of the generator's own lag
	leastLags   = 100   // operations, from which on its mean and its median are judged; its 99th percentile takes 2,000
	veryLate    = 0.050 // seconds, in a single run
	busySink    = 0.7   // of a core
	busyHarness = 0.25  // of a core; at 0.2, with windows of 100 ms, the same program twice does not differ
	stolenShare = 0.01  // of the machine's CPU time
	leastWindow = 0.5   // seconds, for shares of a CPU to be meaningful
	mostOthers  = 0.15  // of the run's CPUs; the work of the kernel for the network is charged to no process, and is part of it
	busyStart   = 0.5   // load average per CPU, before the first run
)

// findLate looks at the median lag of the runs: one late run is no pattern, and is reported only if its figures are of little
// use.
func (s *checker) findLate() []hit {
	judged := []struct {
		what string
		of   func(*dataset.Phase) (float64, bool)
	}{
		{"at its 99th percentile", func(p *dataset.Phase) (float64, bool) { return p.Lag.At(99) }},
		{"on average", func(p *dataset.Phase) (float64, bool) {
			lag, ok := p.Lag.Mean()
			return lag, ok && p.Lag.Values() >= leastLags
		}},
		{"at its median", func(p *dataset.Phase) (float64, bool) {
			lag, ok := p.Lag.At(50)
			return lag, ok && p.Lag.Values() >= leastLags
		}},
	}
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			phases := s.PhasesOf(v.Name, at)
			for _, one := range judged {
				var lags []float64
				for _, p := range phases {
					if lag, ok := one.of(p); ok {
						lags = append(lags, lag)
					}
				}
				if lag := stats.Center(lags); lag > lateLag {
					hits = append(hits, hit{text: fmt.Sprintf("the load generator was %s late %s", finding.FormatValue(lag, "s"), one.what), where: place(at, v.Name), worst: lag})
					break
				}
				if n, worst := over(lags, veryLate); n > 0 {
					hits = append(hits, hit{text: fmt.Sprintf("the load generator was up to %s late %s", finding.FormatValue(worst, "s"), one.what), where: place(at, v.Name), worst: worst, runs: n, of: len(phases), at: at})
					break
				}
			}
		}
	}
	return hits
}

// over counts the values above a threshold, and finds the largest.
func over(values []float64, threshold float64) (n int, worst float64) {
	for _, value := range values {
		if value > threshold {
			n, worst = n+1, max(worst, value)
		}
	}
	return n, worst
}

func (s *checker) findShared() []hit {
	switch {
	case !s.Any(func(r *dataset.Run) bool { return r.Harness.Placement == "none" }):
		return nil
	case s.Generators() > 0: // they have pods of their own, on other nodes where there are some
		return []hit{{text: "sink and app shared their CPUs"}}
	}
	return []hit{{text: "load generator, sink and app shared their CPUs"}}
}

func (s *checker) findClock() []hit {
	if s.Any(func(r *dataset.Run) bool { return r.Harness.Accounting == record.ByClock }) {
		return []hit{{text: "CPU time was charged by process clocks, not by cgroups"}}
	}
	bySidecar := func(r *dataset.Run) bool {
		return r.Harness.Accounting == record.BySidecar && slices.ContainsFunc(r.Phases, func(p record.Phase) bool {
			return slices.ContainsFunc(p.Usage, func(u record.Usage) bool { return u.Source == record.ByClock && !u.Role.Harness() })
		})
	}
	if s.Any(bySidecar) {
		return []hit{{text: "CPU time was charged by process clocks, which a container of another user read beside the program's: " +
			"name that in the template (runAsUser)"}}
	}
	return nil
}

// findUnseen warns of processes that may not be the ones that answer.
func (s *checker) findUnseen() []hit {
	var hits []hit
	for _, v := range s.Variants {
		var unseen []string
		for _, r := range s.All[v.Name] {
			unseen = append(unseen, r.Start.Unseen...)
		}
		if slices.Sort(unseen); len(unseen) > 0 {
			names := strings.Join(slices.Compact(unseen), ", ")
			hits = append(hits, seen("it cannot be seen whether what answers is a process of the run: "+names, v.Name))
		}
	}
	return hits
}

// findLeavers warns of programs that ran in part outside their cgroups. Where none of them was seen there, a thread was, or
// processes that ended.
func (s *checker) findLeavers() []hit {
	var hits []hit
	for _, v := range s.Variants {
		told := map[string]bool{}
		for _, r := range s.All[v.Name] {
			for i := range r.Phases {
				for _, u := range r.Phases[i].Usage {
					apart := u.Role == role.Engine || r.Harness.Node != "" && u.Role.Harness() // neither is in a cgroup of its own
					if u.Source != record.ByClock || apart || r.Harness.Accounting == record.ByClock || r.Harness.Accounting == record.BySidecar || told[u.Process] {
						continue
					}
					told[u.Process] = true
					text := fmt.Sprintf("a part of %s ran outside its cgroup, and is charged by its CPU clocks", u.Process)
					if len(u.Outside) > 0 {
						text += ": " + quote.Lines(u.Outside, ", ")
					}
					hits = append(hits, seen(text, v.Name))
				}
			}
		}
	}
	return hits
}

// findUnmet warns of each unmet limit once, whatever the number of runs.
func (s *checker) findUnmet() []hit {
	var hits []hit
	told := map[string]bool{}
	for _, v := range s.Variants {
		for _, r := range s.All[v.Name] {
			for _, limit := range r.Harness.Unmet {
				if !told[limit] {
					told[limit] = true
					hits = append(hits, hit{text: "a limit was not kept: " + limit})
				}
			}
		}
	}
	return hits
}

func (s *checker) findSinkBusy() []hit {
	return s.perCell(busySink, func(p *dataset.Phase) float64 {
		if p.Load.WallSeconds < leastWindow {
			return 0
		}
		return p.CPU(role.Charge{Role: role.Sink}) / p.Load.WallSeconds
	}, func(worst float64) string {
		return fmt.Sprintf("the sink used %s of a CPU", finding.FormatValue(worst, "1"))
	})
}

func (s *checker) findHarnessBusy() []hit {
	return s.perVariant(busyHarness, func(r *dataset.Run) float64 {
		if r.Harness.OwnSeconds < leastWindow {
			return 0 // not known, or too short to tell
		}
		return r.Harness.OwnCPU / r.Harness.OwnSeconds
	}, func(worst float64) string {
		return fmt.Sprintf("tracetax itself used %s of a CPU", finding.FormatValue(worst, "1"))
	})
}

func (s *checker) findStolen() []hit {
	return s.perVariant(stolenShare, s.Steal, func(worst float64) string {
		return fmt.Sprintf("the host took up to %s of the CPU time", finding.FormatValue(worst, "1"))
	})
}

func (s *checker) findNeighbours() []hit {
	return s.perCell(mostOthers, func(p *dataset.Phase) float64 {
		if p.Load.WallSeconds < leastWindow {
			return 0
		}
		return p.Others
	}, func(worst float64) string {
		return fmt.Sprintf("programs outside the run, or the kernel, took up to %s of its CPUs", finding.FormatValue(worst, "1"))
	})
}

// findBusyStart looks at the first run only: later the experiment itself is the
// load.
func (s *checker) findBusyStart() []hit {
	var first *record.Record
	for i := range s.Records {
		if r := &s.Records[i]; first == nil || r.Started.Before(first.Started) {
			first = r
		}
	}
	if first == nil || first.Harness.LoadAverage <= busyStart*s.CPUs {
		return nil
	}
	return []hit{{text: fmt.Sprintf("the load average was %.2g on %.0f CPUs before the first run", first.Harness.LoadAverage, s.CPUs)}}
}

// findBackend finds backends that return another number of spans than they report as stored, or none that can be counted.
func (s *checker) findBackend() []hit {
	var hits []hit
	for _, v := range s.Variants {
		for _, r := range s.RunsOf(v.Name) {
			if text := wording.BackendDiffers(r.Backend); text != "" {
				hits = append(hits, seen(text, v.Name))
				break
			}
		}
	}
	return hits
}

func (s *checker) findKilled() []hit {
	hits := s.perVariant(0, func(r *dataset.Run) float64 {
		if r.Stop.Killed {
			return 1
		}
		return 0
	}, func(float64) string { return "a process had to be killed" })
	for i := range hits {
		for _, v := range s.Variants {
			if v.Name == hits[i].where && v.Tracer != nil && v.Tracer.Ends != "" {
				hits[i].text += ": " + v.Tracer.Ends
			}
		}
	}
	return hits
}
