//go:build linux

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
	"github.com/tracetax/tracetax/internal/stats"
)

// dryRun says what would be run: the order, about how long it takes, and how
// small a difference it could show. Drawn is whether the seeds of the orders were drawn
// for it: a run then draws others.
func dryRun(ctx context.Context, s console.Streams, experiments []*config.Experiment, drawn bool) error {
	for _, asked := range experiments {
		foreseen, err := session.Foresee(asked)
		if err != nil {
			return err
		}
		e, schedule := foreseen.Experiment, foreseen.Schedule
		fmt.Fprintf(s.Out, "%s: %s; %s (fetching, building and blocks that are made again not counted)\n", e.Name, e.Summary(), lengthText(schedule))
		for _, line := range slices.Concat(tracings(e), e.Rewritten(), e.Unmade()) {
			fmt.Fprintf(s.Out, "  %s\n", line)
		}
		if len(schedule.Calibrated) > 0 {
			fmt.Fprintf(s.Out, "  calibration: %s\n", strings.Join(schedule.Calibrated, " "))
		}
		if len(schedule.Piloted) > 0 {
			fmt.Fprintf(s.Out, "  pilot, which finds %s: %s\n", e.Load.Relative.Search.Summary(), strings.Join(schedule.Piloted, " "))
		}
		if len(schedule.Warmed) > 0 {
			fmt.Fprintf(s.Out, "  pilot, which finds the warm-up: %s\n", strings.Join(schedule.Warmed, " "))
		}
		for _, line := range lacks(foreseen.Lacking) {
			fmt.Fprintln(s.Out, "  cannot run here"+line)
		}
		for i, order := range schedule.Blocks {
			fmt.Fprintf(s.Out, "  block %d: %s\n", i+1, strings.Join(order, " "))
			if i+1 == schedule.Least && schedule.Least < len(schedule.Blocks) {
				fmt.Fprintf(s.Out, "  from here on it ends when %s is known to ±%.3g %%\n", finding.MetricName(e.Design.Metric), 100*e.Design.Precision)
			}
		}
		if err := tellBuilt(ctx, s.Out, e); err != nil {
			return err
		}
		fmt.Fprintln(s.Out, "  "+turnsText(e, schedule))
		fmt.Fprintln(s.Out, "  "+orderOf(e.Design.Seed, drawn, foreseen.None))
		text, err := resolution(e, schedule)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.Out, "  "+text)
		if tail := tailOf(e); tail != nil {
			fmt.Fprintln(s.Out, "  "+tail.String())
		}
	}
	return nil
}

// cannotRun is the error of a run where nothing of it can run here, or a variant that was asked for by name cannot.
func cannotRun(experiments []*config.Experiment, named []string) error {
	left, none := session.LackingParts(experiments)
	var out []error
	for _, l := range left {
		switch why := strings.Join(l.Missing, "; "); {
		case none && l.Variant == "":
			out = append(out, fmt.Errorf("workload %s cannot run here: %s", l.Workload, why))
		case slices.Contains(named, l.Variant):
			out = append(out, fmt.Errorf("variant %s cannot run here: %s (it was asked for by --variants)", l.Variant, why))
		}
	}
	return errors.Join(out...)
}

// builtServices are the services of an experiment, such as a Collector, that are built from source.
func builtServices(e *config.Experiment) ([]*program.Service, error) {
	var out []*program.Service
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return nil, err
		}
		for _, p := range plan.Processes {
			known := func(s *program.Service) bool { return s.Name == p.Service.Name }
			if p.Service != nil && len(p.Service.Build.Run) > 0 && !slices.ContainsFunc(out, known) {
				out = append(out, p.Service)
			}
		}
	}
	return out, nil
}

// tellBuilt names the services that are built from source, which takes minutes, and those for which the cache saves that.
func tellBuilt(ctx context.Context, to io.Writer, e *config.Experiment) error {
	services, err := builtServices(e)
	if err != nil {
		return err
	}
	cached, lacking, err := builtText(ctx, services)
	if err != nil {
		return err
	}
	if len(lacking) > 0 {
		fmt.Fprintf(to, "  built first, which takes minutes (the Collector about 6 on two CPUs): %s\n", strings.Join(lacking, ", "))
	}
	if len(cached) > 0 {
		fmt.Fprintf(to, "  built before, and in the cache: %s\n", strings.Join(cached, ", "))
	}
	return nil
}

// builtText names these services, by whether the cache has them.
func builtText(ctx context.Context, services []*program.Service) (cached, lacking []string, err error) {
	store, err := artifact.Look("")
	if err != nil {
		return nil, nil, err
	}
	for _, s := range services {
		if _, err := prepare.BuildService(ctx, store, s, nil); err == nil || artifact.Instead(s.Needs) != "" {
			cached = append(cached, s.Name)
		} else { // why it cannot be looked for, building it tells
			lacking = append(lacking, s.Name)
		}
	}
	return cached, lacking, nil
}

// tracings says of each variant that chooses processes or brings some which these are.
func tracings(e *config.Experiment) []string {
	var out []string
	for _, v := range e.Variants {
		if text := e.Tracing(v); text != "" {
			out = append(out, fmt.Sprintf("variant %s: %s", v.Name, text))
		}
	}
	return out
}

// lacks says what cannot run here and why, what lacks the same in one line.
func lacks(left []session.Lack) []string {
	var order []string
	names := map[string][]string{}
	for _, l := range left {
		why := strings.Join(l.Missing, "; ")
		if _, known := names[why]; !known {
			order = append(order, why)
		}
		if l.Variant != "" {
			names[why] = append(names[why], l.Variant)
		}
	}
	for i, why := range order {
		order[i] = ": " + why
		if of := names[why]; len(of) > 0 {
			order[i] = ", and is left out: " + strings.Join(of, ", ") + order[i]
		}
	}
	return order
}

// orderOf says which seed the order that is shown has, and, where it can run here, how to
// run in it.
func orderOf(seed uint64, drawn, none bool) string {
	text := fmt.Sprintf("order with seed %d", seed)
	switch {
	case none:
		return text + ", once it can run"
	case drawn:
		return fmt.Sprintf("%s; to run in this order: --set design.seed=%d", text, seed)
	}
	return text
}

// lengthText says about how long an experiment takes.
func lengthText(s experiment.Schedule) string {
	if s.Shortest < s.Length {
		return "about " + about(s.Shortest) + " to " + about(s.Length)
	}
	return "about " + about(s.Length)
}

// turnsText says how the load goes through the variants of a block.
func turnsText(e *config.Experiment, schedule experiment.Schedule) string {
	switch {
	case e.Design.Order == config.Woven:
		return "order woven: all variants of a block have their load at the same time; no verdicts on latency"
	case e.Design.Order == config.Apart:
		return "order apart: one run after the other"
	case e.Load.Capacity != nil:
		return "order windows: all variants of a block live at the same time, and search in turn, probe by probe"
	}
	least, most := schedule.Windows[0], schedule.Windows[0]
	for _, w := range schedule.Windows {
		if w.Number < least.Number {
			least = w
		}
		if w.Number > most.Number {
			most = w
		}
	}
	how := "order windows: all variants of a block live at the same time, and have the load in turn"
	if e.Design.Order == config.Paired {
		how = "order paired: all variants of a block have their load at the same time, for CPU, memory and bytes, if the first block shows " +
			"that it fits into 60 % of the CPUs, and else in turn; for latency in turn"
	}
	if e.Design.Order == config.Paired && most.Number == 1 && (e.Workload == nil || e.Workload.Driver.Row().Generator) {
		return how + ", in slices"
	}
	text := fmt.Sprintf("%s: %d %s of %v a phase", how, most.Number, console.Noun(most.Number, "window"), most.Length.Round(time.Millisecond))
	if least.Number != most.Number {
		text += fmt.Sprintf(" (%s: %d of %v)", least.Operation, least.Number, least.Length.Round(time.Millisecond))
	}
	return text
}

// dryTells is the smallest difference in CPU per operation that the experiment can show.
type dryTells struct {
	Order    config.Order `json:"order"`              // that the noise is of: apart where an operation has one window, for the machine changes from one to the next
	Noise    float64      `json:"noise"`              // standard deviation of the blocks' log-ratios, in this order, of a small service
	Seconds  float64      `json:"seconds"`            // of load that each of its runs had
	Measured string       `json:"measured,omitempty"` // when it was, on this machine, by 'doctor --noise'; absent: it is what is usual elsewhere
	selfcheck.Tells
}

// tellsOf says what so many blocks can tell, if they differ as those of a small service do; nil where they have no interval, and of a search,
// of which that says nothing.
func tellsOf(e *config.Experiment, schedule experiment.Schedule) (*dryTells, error) {
	if e.Load.Capacity != nil {
		return nil, nil
	}
	order := e.Design.Order
	if order == config.Windows && slices.ContainsFunc(schedule.Windows, func(w experiment.Windows) bool { return w.Number < 2 }) {
		order = config.Apart
	}
	n, measured, err := noiseHere(order)
	if err != nil {
		return nil, err
	}
	n = n.Over(atOnce(e, order).Seconds())
	tells, ok := n.Tell(len(schedule.Blocks))
	if !ok || e.Design.Quick {
		return nil, nil
	}
	out := &dryTells{Order: order, Noise: n.Deviation, Seconds: n.Seconds, Tells: tells}
	if !measured.IsZero() {
		out.Measured = measured.Format(time.DateOnly)
	}
	return out, nil
}

// atOnce is for how long each run has its load where its CPU is measured.
func atOnce(e *config.Experiment, order config.Order) time.Duration {
	length := e.Average().Duration
	if order == config.Paired {
		length = config.AtOnce(len(e.Variants), length)
	}
	return length
}

// sharedNoise is by how much blocks can differ on a machine that others use.
const sharedNoise = 0.08

// resolution says what a number of blocks can show. How much blocks of this program differ is known only afterwards: it is said
// for those of a small service.
func resolution(e *config.Experiment, schedule experiment.Schedule) (string, error) {
	blocks := len(schedule.Blocks)
	if need := stats.MinBlocks(0.95); blocks < need {
		return fmt.Sprintf("%d %s: figures only; an interval needs %d", blocks, console.Noun(blocks, "block"), need), nil
	}
	t, err := tellsOf(e, schedule)
	if err != nil {
		return "", err
	}
	if t == nil {
		const quiet, noisy = 0.01, 0.05
		return fmt.Sprintf("differences that it could show: about %.1f %% if blocks differ by 1 %%, %.0f %% if they differ by 5 %%",
			100*stats.HalfWidth(blocks, quiet), 100*stats.HalfWidth(blocks, noisy)), nil
	}
	load := fmt.Sprintf("%g s of load in each run", t.Seconds)
	if t.Order != e.Design.Order {
		load += ", all of it in one window"
	}
	told := func(n float64, where string, tells selfcheck.Tells) string {
		return fmt.Sprintf("\n    if blocks differ by %s (%s): a difference of %s is found in 8 of 10 cases, and told to within ± %s%s",
			finding.FormatBound(n, "1", true), where, finding.FormatBound(tells.Findable, "1", true), finding.FormatBound(tells.HalfWidth, "1", true), decided(e, tells))
	}
	of := strconv.Itoa(blocks)
	if schedule.Least < blocks {
		of = "all " + of
	}
	text := "what " + of + " blocks tell of CPU per operation:"
	if t.Measured != "" {
		return text + told(t.Noise, "as tracetax doctor --noise saw here on "+t.Measured+", "+load, t.Tells), nil
	}
	text += told(t.Noise, "as those of a small service usually do, "+load, t.Tells)
	if tells, ok := (selfcheck.Noise{Deviation: sharedNoise}).Tell(blocks); ok && t.Noise < sharedNoise {
		text += told(sharedNoise, "as they can on a machine that others use", tells)
	}
	return text + "\n    tracetax doctor --noise measures how much they differ here", nil
}

// decided says what the true difference has to be for a budget of CPU to be decided as often as a difference is found; "" where
// several claims on budgets are corrected for each other.
func decided(e *config.Experiment, tells selfcheck.Tells) string {
	if len(e.Budget)*len(e.Operations)*len(e.Load.Steps())*(len(e.Variants)-1) != 1 {
		return ""
	}
	l := e.Budget[0]
	if l.Metric != metric.CPUPerOperation || l.Unit != "" {
		return ""
	}
	percent := func(v float64, digits int) string {
		return strings.Replace(strconv.FormatFloat(100*v, 'f', digits, 64), "-", "−", 1) + " %"
	}
	return fmt.Sprintf("; the budget of %s is decided as often if the true difference is over %s or under %s",
		percent(math.Round(l.Value*1e6)/1e6, -1), percent((1+l.Value)*(1+tells.Findable)-1, 1), percent((1+l.Value)/(1+tells.Findable)-1, 1))
}
