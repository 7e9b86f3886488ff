//go:build linux

// The plan of a decision: its length, its ways, and what has to be fetched or built.

package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
)

// mostTaken is how long a plan may take that nobody chose a length for. It is cut until it is foreseen to take no longer than
// mostPlanned, as a program is often slower than is foreseen, and ends before all its blocks are made where it takes longer still.
const (
	mostTaken   = 10 * time.Minute
	mostPlanned = 570 * time.Second
)

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

// leftOut are the ways that a plan goes without where it takes too long with all, the first one first.
var leftOut = []string{"hundredth", config.WayOfErrors}

// fitted returns the experiments, cut to the time that they may take where their length is not the user's: with shorter blocks,
// then with a shorter delay of the tracer, then with fewer ways.
func (d *deciding) fitted(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	f := &d.run
	experiments, err := f.ready(c, args)
	if err != nil || d.of == nil || f.quick || f.given.Has("design") || f.given.Has("load.duration") {
		return experiments, err
	}
	for n := range 2 + len(leftOut) {
		if n > 0 {
			d.hurried, d.without = true, leftOut[:n-1]
			f.line.Variants = slices.DeleteFunc(config.Ways(d.of, shortDelay), func(v string) bool {
				name, _, _ := strings.Cut(v, ":")
				return slices.Contains(d.without, name) && !slices.Contains(f.variants, name)
			})
			if experiments, err = f.ready(c, args); err != nil {
				return nil, err
			}
		}
		if n == 0 {
			if d.whole, err = wholePlan(experiments[0]); err != nil {
				return nil, err
			}
		}
		if fits, err := fit(experiments[0]); err != nil || fits {
			return experiments, err
		}
	}
	return experiments, nil
}

// wholePlan is how long an experiment takes with the tracer as it comes.
func wholePlan(e *config.Experiment) (time.Duration, error) {
	whole := *e
	whole.Design.Blocks, whole.Load.Duration = wholeBlocks, wholeDuration
	foreseen, err := session.Foresee(&whole)
	return foreseen.Schedule.Length, err
}

// fit chooses the sharpest length of an experiment that keeps to the time, and else the shortest; no window is shorter than a
// tracer holds its spans, and the load of all at once no shorter than these are on their way.
func fit(e *config.Experiment) (bool, error) {
	held, passed := time.Duration(0), time.Duration(0)
	e.Design.Within = mostTaken
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return false, err
		}
		held, passed = max(held, plan.Delay), max(passed, plan.Passed())
	}
	for _, one := range lengths {
		if one.duration < held || config.AtOnce(len(e.Variants), one.duration) < passed {
			break
		}
		e.Design.Blocks, e.Load.Duration = one.blocks, one.duration
		if foreseen, err := session.Foresee(e); err != nil || foreseen.Schedule.Length <= mostPlanned {
			return true, err
		}
	}
	return false, nil
}

// plan says what is going to be measured, for how long, and what has to be fetched or built before.
func (d *deciding) plan(ctx context.Context, to io.Writer, e *config.Experiment) error {
	foreseen, err := session.Foresee(e)
	if err != nil {
		return err
	}
	e = foreseen.Experiment
	fmt.Fprintf(to, "%s: %s of tracing, %s (fetching and building not counted)\n  %s\n",
		e.Name, counted(len(e.Variants)-1, "way"), lengthText(foreseen.Schedule), e.Summary())
	for _, v := range e.Variants {
		fmt.Fprintf(to, "  %-10s  %s\n", v.Name, wayText(v))
	}
	for _, line := range lacks(foreseen.Lacking) {
		fmt.Fprintln(to, "  cannot run here"+line)
	}
	var fetched []string // what is built of services is told below
	for _, v := range e.Variants {
		made, err := prepare.Makes(e, v)
		if err != nil {
			return err
		}
		for _, m := range made {
			service := m.Kind == "build" && strings.HasPrefix(m.Of, "service ")
			if text := m.Of + " (" + m.Kind + ")"; !service && !slices.Contains(fetched, text) {
				fetched = append(fetched, text)
			}
		}
	}
	if len(fetched) > 0 {
		fmt.Fprintf(to, "  fetched or built first, where the cache lacks it: %s\n", strings.Join(fetched, ", "))
	}
	if err := tellBuilt(ctx, to, e); err != nil {
		return err
	}
	asItComes := fmt.Sprintf("--blocks %d --duration %s", wholeBlocks, wholeDuration)
	if d.hurried {
		fmt.Fprintf(to, "  a delay of %s, not the tracer's own, keeps it short: exports are more and smaller; "+
			"%s takes the tracer as it comes, and %s\n", shortDelay, asItComes, about(d.whole))
	}
	if len(d.without) > 0 {
		fmt.Fprintf(to, "  left out for time: %s; %s takes all ways in, and %s\n", strings.Join(d.without, ", "), asItComes, about(d.whole))
	}
	if few, within := design.Few(e.Design.Blocks, e.Comparisons()), e.Design.Within; within > 0 && few < e.Design.Blocks {
		fmt.Fprintf(to, "  it ends after %d blocks or more, where the next would take it over %s\n", few, about(within))
	}
	if foreseen.Schedule.Length > mostTaken {
		fmt.Fprintln(to, "  this takes more than 10 minutes: fewer --op, --variants or --blocks, or a shorter --duration, cut it")
	}
	fmt.Fprintln(to, "  "+turnsText(e, foreseen.Schedule))
	return nil
}

// wayText is a variant in a few words.
func wayText(v config.Variant) string {
	if v.Untraced() {
		return "the program as it is"
	}
	parts := []string{v.TracerName()}
	if v.TracerName() == program.NoTracer {
		parts = []string{"no tracer", "variables or arguments of its own"}
	}
	for name, value := range dryVariantOf(v).Settings {
		if _, chosen := v.Chosen[name]; chosen {
			parts = append(parts, name+" "+value)
		}
	}
	slices.Sort(parts[1:])
	if len(parts) == 1 {
		parts = append(parts, "as it comes")
	}
	for _, hop := range v.Via {
		chosen := make([]string, 0, len(hop.Settings))
		for _, name := range slices.Sorted(maps.Keys(hop.Settings)) {
			chosen = append(chosen, name+" "+hop.Settings[name])
		}
		text := "via " + hop.Name
		if len(chosen) > 0 {
			text += " (" + strings.Join(chosen, ", ") + ")"
		}
		parts = append(parts, text)
	}
	if v.To != nil {
		parts = append(parts, "to "+v.To.Name)
	}
	return strings.Join(parts, ", ")
}
