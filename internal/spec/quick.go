// An experiment as a matter of a minute.

package spec

import (
	"cmp"
	"math"
	"time"
)

// What a quick experiment is cut down to, where it asks for more.
const (
	quickBlocks     = 2
	quickWindows    = 10 // with more of them in a block, one block is enough
	quickWarmup     = 500 * time.Millisecond
	quickWarmupAll  = 10 * time.Second
	quickWindow     = 2 * time.Second
	quickIdle       = 300 * time.Millisecond
	quickResolution = 0.1 // of a search
	quickConfirm    = 5 * time.Second
	quickCalls      = 200_000
	quickDriven     = time.Second     // window of a self-driving workload
	quickDrivenWarm = 3 * time.Second // and its warm-up: agents of Java are not compiled before
)

// Quicken makes the experiment a matter of a minute: figures, but no intervals
// and no verdicts, so that there is no precision to stop at either.
func (e *Experiment) Quicken() {
	d := &e.Design
	d.Quick, d.Blocks = true, min(d.Blocks, quickBlocks)
	if len(e.Variants)*len(e.Operations)*len(e.Load.Steps()) > quickWindows {
		d.Blocks = 1
	}
	d.Most, d.Precision, d.Metric = 0, 0, ""
	e.declareRates()
	l := &e.Load
	warmup := quickWarmup
	if e.self() {
		warmup = quickDrivenWarm
	}
	if l.WarmupMost > 0 {
		l.Warmup, l.WarmupMost = warmup, 0 // there is no time to find it
	}
	l.Warmup, l.WarmupAll = min(l.Warmup, warmup), min(l.WarmupAll, quickWarmupAll)
	l.Duration = min(l.Duration, e.quickest())
	if l.Calls > 0 {
		l.Calls = min(l.Calls, quickCalls)
	}
	l.Idle = min(l.Idle, quickIdle)
	// The searches are shared with the same experiment over other workloads.
	if l.Capacity != nil {
		c := l.Capacity.quick()
		l.Capacity = &c
	}
	if l.Relative != nil {
		l.Relative = &Relative{Share: l.Relative.Share, Shares: l.Relative.Shares, Search: l.Relative.Search.quick()}
	}
}

// declareRates puts the rates that the workload declares in the place of a share of what the slowest variant can do: pilots
// that find that take longer than all the rest. Where it declares none, or several shares are swept, pilots find it all the same.
func (e *Experiment) declareRates() {
	l := &e.Load
	if l.Relative == nil || len(l.Relative.Shares) > 0 {
		return
	}
	most := 0.0
	for _, o := range e.Operations {
		rate := cmp.Or(o.Rate, e.Workload.Rate)
		if rate == 0 {
			return
		}
		most = max(most, rate)
	}
	e.Design.Unpiloted, l.Relative = l.Relative.Text(), nil
	l.Rate = cmp.Or(e.Workload.Rate, most) // of the operations that have none of their own
}

func (c Capacity) quick() Capacity {
	c.Resolution = max(c.Resolution, quickResolution)
	c.Confirm = min(c.Confirm, quickConfirm)
	return c
}

// quickest is the length of a quick window: in it each operation happens at least once.
func (e *Experiment) quickest() time.Duration {
	length := quickWindow
	if e.self() {
		length = quickDriven
	}
	longer := func(rate float64) {
		if !happens(rate, length) {
			length = time.Duration(math.Ceil(float64(time.Second) / rate))
		}
	}
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			longer(cmp.Or(o.Rate, level.Load.Rate))
		}
	}
	if c := e.Load.search(); c != nil {
		longer(c.From)
	}
	return length
}
