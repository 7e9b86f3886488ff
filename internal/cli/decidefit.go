//go:build linux

// How a decision is cut to its time, and made to suit the language of the program.

package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/session"
)

// mostTaken is how long a plan may take that nobody chose a length for. It is cut until it is foreseen to take no longer than
// mostPlanned, as a program is often slower than is foreseen, and ends before all its blocks are made where it takes longer still.
const (
	mostTaken   = 10 * time.Minute
	mostPlanned = 570 * time.Second
)

// warmedLoad is how long a variant has the load in a block, at least, if its start and its warm-up take most of the block: it is
// what these are for.
const warmedLoad = 8 * time.Second

// leeway is by how much a plan that cannot be cut to that time may take longer than is foreseen before it ends with fewer blocks.
const leeway = 1.25

// The length of a plan that takes the tracer as it comes, with all ways; see wholePlan.
const (
	wholeBlocks   = 8
	wholeDuration = 6 * time.Second
)

// lengths are those of plans, the sharpest first: so many blocks, in each of which a variant has the load for so long.
var lengths = []struct {
	blocks   int
	duration time.Duration
}{
	{10, 10 * time.Second}, {8, 10 * time.Second}, {8, 8 * time.Second}, {8, 6 * time.Second},
	{8, 4 * time.Second}, {8, 3 * time.Second}, {8, 2 * time.Second},
}

// shortDelay is for how long tracers may hold spans where a plan with their own delay takes too long: each block waits for it
// several times.
const shortDelay = "500ms"

// delaysInLoad is how many delays of tracer and hops a load has that goes through the variants in turn: with fewer, a run warns
// (window-short).
const delaysInLoad = 5

// leftOut are the ways that a plan goes without where it takes too long with all, the first one first.
var leftOut = []string{"hundredth", config.WayOfErrors}

// slowStart is the longest time until ready of programs in these languages: an agent doubles what a large one takes.
const slowStart = 2 * time.Minute

// suited returns the experiments. Those of one line are made to suit the language: what compiles a program may start slowly.
func (d *deciding) suited(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	experiments, err := d.run.ready(c, args)
	if err != nil || !d.line {
		return experiments, err
	}
	for _, e := range experiments {
		d.suit(e)
	}
	return experiments, nil
}

func (d *deciding) suit(e *config.Experiment) {
	given := d.run.given
	if e.Compiles() == "" {
		return
	}
	if !d.run.quick && !given.Has("load.warmup") && e.Load.WarmupAll == 0 {
		d.warmed = e.Compiles()
	}
	for i := range e.Workload.Processes {
		if p := &e.Workload.Processes[i]; p.Patience == program.DefaultPatience && !given.Has("workload.processes") {
			p.Patience = slowStart
		}
	}
}

// fitted returns the experiments, cut to the time that they may take where their length is not the user's: with shorter blocks,
// then with a shorter delay of the tracer, then with fewer ways; and if no load is long enough for the delays, with a shorter one.
// What is warmed up for long takes longer, if it has to.
func (d *deciding) fitted(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	f := &d.run
	experiments, err := d.suited(c, args)
	if err != nil || d.of == nil || f.quick || f.given.Has("design") || f.given.Has("load.duration") {
		return experiments, err
	}
	if d.whole, err = wholePlan(experiments[0]); err != nil {
		return nil, err
	}
	for _, delays := range []int{delaysInLoad, 1} {
		for n := range 2 + len(leftOut) {
			d.take(n)
			if experiments, err = d.suited(c, args); err != nil {
				return nil, err
			}
			if fits, err := d.fit(experiments[0], delays); err != nil || fits {
				return experiments, err
			}
		}
		if e := experiments[0]; d.warmed != "" && e.Design.Within > 0 {
			e.Load.Duration = max(e.Load.Duration, warmedLoad)
			e.Design.Blocks = design.Few(e.Design.Blocks, e.Comparisons())
			taken, err := mostForeseen(e)
			e.Design.Within = time.Duration(leeway * float64(taken)).Round(time.Minute)
			return experiments, err
		}
	}
	return experiments, nil
}

// take takes the ways of a plan that is cut so far: 0 is all as they come.
func (d *deciding) take(cut int) {
	d.hurried, d.without = cut > 0, leftOut[:max(0, cut-1)]
	delay := ""
	if d.hurried {
		delay = shortDelay
	}
	d.run.line.Variants = slices.DeleteFunc(config.Ways(d.of, delay), func(v string) bool {
		name, _, _ := strings.Cut(v, ":")
		return slices.Contains(d.without, name) && !slices.Contains(d.run.variants, name)
	})
}

// wholePlan is how long an experiment takes with the tracer as it comes.
func wholePlan(e *config.Experiment) (time.Duration, error) {
	whole := *e
	whole.Design.Blocks, whole.Load.Duration = wholeBlocks, wholeDuration
	return mostForeseen(&whole)
}

// mostForeseen is how long an experiment takes, whether or not the CPUs have room for all variants at once: in turn they also warm up
// in turn.
func mostForeseen(e *config.Experiment) (time.Duration, error) {
	all, err := session.Foresee(e)
	if err != nil || e.Design.Order != config.Paired {
		return all.Schedule.Length, err
	}
	turns := *e
	turns.Design.Order = config.Windows
	inTurn, err := session.Foresee(&turns)
	return max(all.Schedule.Length, inTurn.Schedule.Length), err
}

// fit chooses the sharpest length of an experiment that keeps to the time, and else the shortest; no load is shorter than so many
// delays, nor than a tracer holds its spans, and that of all at once no shorter than these are on their way. A hop that waits to
// decide on traces does not count among the delays: its work is small, and the wait long.
func (d *deciding) fit(e *config.Experiment, delays int) (bool, error) {
	held, passed, least := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return false, err
		}
		held, passed = max(held, plan.Delay), max(passed, plan.Passed())
		if v.Name != config.WayOfErrors && !plan.Silent {
			least = max(least, time.Duration(delays)*plan.Passed())
		}
	}
	for _, one := range lengths {
		if one.duration < max(held, least) || config.AtOnce(len(e.Variants), one.duration) < passed {
			break
		}
		e.Design.Blocks, e.Load.Duration, e.Design.Within = one.blocks, one.duration, mostTaken
		if taken, err := mostForeseen(e); err != nil || taken <= mostPlanned {
			return true, err
		}
	}
	if delays == 1 {
		e.Design.Within = mostTaken
	}
	return false, nil
}
