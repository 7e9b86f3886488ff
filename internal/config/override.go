// What the command line changes in an experiment.

package config

import (
	"fmt"
	"slices"
	"strings"
)

// Override is what flags replace in the load of an experiment; "" leaves it as it is.
type Override struct {
	Rate        string // "400/s", "100/s,200/s" or "50% of slowest"
	Connections string // "4" or "1,2,4"
	Capacity    string // "cpu=75%" or "p99=50ms,method=staircase,step=100/s"
	Duration    string
	Warmup      string
	Calls       string // "2000000"; self-driving workloads only, and so the next two
	Depth       string // "8" or "2,4,8"
	Threads     string // "2" or "1,2,4"
	Samples     bool   // every duration is kept; likewise
}

// OverrideLoad replaces what the load of an experiment says by flags. One that
// says what kind of load it is takes the place of whatever kind it was; with
// --rate, one number of connections is the most that may be open. A list takes the
// place of what was swept. Errors name the flag.
func (e *Experiment) OverrideLoad(o Override) error {
	if o.Samples && !e.self() {
		return fmt.Errorf("--samples: %s", wayText("samples", e.Workload))
	}
	e.Samples = e.Samples || o.Samples
	b := flagBuilder{source: &source{}, Flags: Flags{
		Rate: o.Rate, Connections: o.Connections, Capacity: o.Capacity, Duration: o.Duration, Warmup: o.Warmup,
	}}
	root := b.loadTree()
	b.word(root, "calls", o.Calls)
	b.list(root, "depth", o.Depth)
	b.list(root, "threads", o.Threads)
	b.goesWith(tree(""), root, e.Workload, &Experiment{})
	if o.Duration == "" {
		// A rate is held against the window that it is for.
		root.set("duration", word("", formatDuration(e.Load.Duration)))
	}
	l := b.load(root)
	if err := b.err(); err != nil {
		return err
	}
	to := &e.Load
	if o.Rate != "" || o.Connections != "" || o.Capacity != "" {
		most := to.Connections
		to.Rate, to.Rates, to.Relative, to.Capacity = l.Rate, l.Rates, l.Relative, l.Capacity
		to.Connections, to.Levels = l.Connections, l.Levels
		if o.Connections == "" {
			to.Connections = most
		}
		if to.Connections == 0 && len(to.Levels) == 0 && !e.self() {
			to.Connections = DefaultConnections
		}
		if o.Capacity == "" && l.Relative == nil {
			e.yieldRates()
		}
	}
	to.overrideDriven(o, l)
	if o.Duration != "" {
		to.Duration = l.Duration
	}
	if o.Warmup != "" {
		to.Warmup, to.WarmupMost = l.Warmup, l.WarmupMost
	}
	return nil
}

// overrideDriven replaces what only self-driving workloads have. One
// thing is swept at a time, so that a new list ends an old one.
func (l *Load) overrideDriven(o Override, by Load) {
	if o.Calls != "" {
		l.Calls = by.Calls
	}
	if o.Depth != "" {
		l.Depth, l.Depths = by.Depth, by.Depths
	}
	if o.Threads != "" {
		l.Threads, l.Crowds = by.Threads, by.Crowds
	}
	if len(by.swept()) == 0 {
		return
	}
	for _, key := range l.swept() {
		if slices.Contains(by.swept(), key) {
			continue
		}
		switch key { // what was swept is at its default again
		case "rate":
			l.Rates, l.Relative = nil, nil
		case "depth":
			l.Depths = nil
		case "threads":
			l.Crowds = nil
		}
	}
}

// OverrideDesign replaces the numbers of blocks and the precision by flags that
// are not empty: "12" or "8..30", "2%" or "2% of latency_p99". Errors name the flag.
func (e *Experiment) OverrideDesign(blocks, precision string) error {
	if blocks == "" && precision == "" {
		return nil
	}
	b := flagBuilder{source: &source{}}
	root := tree("")
	b.word(root, "blocks", blocks)
	b.word(root, "precision", precision)
	old := e.Design
	if precision == "" && strings.Contains(blocks, "..") && old.Most > 0 {
		// The range is new, the precision stays the experiment's.
		root.set("precision", word("--blocks "+blocks, formatShare(old.Precision)+" of "+old.Metric))
	}
	if precision != "" && blocks == "" && old.Most > 0 {
		root.set("blocks", word("--precision "+quote(precision), fmt.Sprintf("%d..%d", old.Blocks, old.Most)))
	}
	d := b.design(root)
	if err := b.err(); err != nil {
		return err
	}
	e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = d.Blocks, d.Most, d.Precision, d.Metric
	e.Design.complete(e.Load)
	return nil
}
