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

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
)

// plan says what is going to be measured, for how long, and what has to be fetched or built before.
func (d *deciding) plan(ctx context.Context, to io.Writer, e *config.Experiment) error {
	foreseen, err := session.Foresee(e)
	if err != nil {
		return err
	}
	e = foreseen.Experiment
	longest, err := mostForeseen(e)
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "%s: %s of tracing, %s (fetching and building not counted)\n  %s\n",
		e.Name, counted(len(e.Variants)-1, "way"), planText(foreseen.Schedule, longest), e.Summary())
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
	if least, within := design.Few(e.Design.Blocks, e.Comparisons()), e.Design.Within; within > 0 && least < e.Design.Blocks {
		fmt.Fprintf(to, "  it ends after %d blocks or more, where the next would take it over %s\n", least, about(within))
	}
	if d.warmed != "" {
		faster := ""
		if rate := e.Load.WarmupRate; rate > 0 {
			faster = fmt.Sprintf(", at up to %g/s,", rate)
		}
		fmt.Fprintf(to, "  up to %s of warm-up%s for each variant in each block, as %s compiles a program while it runs, and what has hardly run costs too much\n",
			program.FormatDuration(e.Load.Warmup), faster, d.warmed)
	}
	if longest > mostTaken {
		text, err := d.cutText(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "  this takes more than 10 minutes%s\n", text)
	}
	fmt.Fprintln(to, "  "+turnsText(e, foreseen.Schedule))
	return nil
}

// few are the ways of a plan that is to be short: they say whether sampling saves anything.
var few = []string{"all", "tenth"}

// cutText says what makes a plan shorter.
func (d *deciding) cutText(e *config.Experiment) (string, error) {
	shorter := *e
	shorter.Variants = slices.DeleteFunc(slices.Clone(e.Variants), func(v config.Variant) bool {
		return v.Name != e.Variants[0].Name && !slices.Contains(few, v.Name)
	})
	if d.warmed == "" || len(shorter.Variants) != 1+len(few) || len(e.Variants) == len(shorter.Variants) {
		return ": fewer --op, --variants or --blocks, or a shorter --duration, cut it", nil
	}
	takes, err := mostForeseen(&shorter)
	return fmt.Sprintf(", because of starts and warm-ups: --variants %s takes %s, and fewer --op or --blocks cut it, too", strings.Join(few, ","), about(takes)), err
}

// planText says how long a plan takes, and how long where the CPUs have no room for all variants at once.
func planText(s experiment.Schedule, longest time.Duration) string {
	if shortest := min(s.Shortest, s.Length); about(longest) != about(shortest) {
		return "about " + about(shortest) + " to " + about(longest)
	}
	return "about " + about(longest)
}

// wayText is a variant in a few words.
func wayText(v config.Variant) string {
	if v.Untraced() {
		return "the program as it is"
	}
	parts := []string{v.TracerName()}
	if v.TracerName() == program.NoTracer {
		parts = []string{"no tracer", "variables, arguments or annotations of its own"}
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
