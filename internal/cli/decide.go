//go:build linux

// tracetax decide: which way of tracing a program to choose.

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
	"golang.org/x/term"
)

// deciding is the command decide: a run whose variants are chosen for it, and whose answer is a choice among them.
type deciding struct {
	run          runFlags
	tracer       string // instead of OpenTelemetry's for the language
	yes          bool
	cores, fleet float64
	of           *program.Tracer // whose ways were chosen here; nil: the user names the variants
	hurried      bool            // the tracer sends sooner than it comes, for time
	without      []string        // the ways that are left out for time
}

func newDecide(s console.Streams) *cobra.Command {
	d := &deciding{}
	c := runWith(s, &d.run)
	c.Use = "decide EXPERIMENT | RESULTS | --op 'GET /path' --rate RATE -- COMMAND…"
	c.Short = "Choose a way of tracing your service: what each keeps, what it costs, what is within a budget"
	c.Long = `Measure the ways of tracing a service beside each other, and say what each keeps and costs:
without tracing, with every trace, with 10 % and 1 % of them, and by way of a Collector.
They are chosen by the language of COMMAND; --variant or an EXPERIMENT takes others. A plan
of at most 10 minutes is shown and asked for first. RESULTS is shown again, as of any run
at a rate.

--budget picks the way within it that keeps most. --cores or --fleet tell the cost for so
many cores or machines that run the service without tracing.

Exit status: as of run, but with a budget 0 where any way is within it, 3 where all are
over, 4 otherwise.`
	c.Example = `  tracetax decide --op 'GET /orders' --rate 200 --ready /health -- uvicorn shop:app --port {port}
  tracetax decide shop.yaml --budget cpu=10%
  tracetax decide tracetax-results/shop-20260102-150405 --budget cpu=20% --cores 40`
	flags := c.Flags()
	flags.StringVar(&d.tracer, "tracer", "", "`NAME` of the tracer (default: OpenTelemetry's for the language of the command)")
	flags.BoolVar(&d.yes, "yes", false, "start without asking")
	flags.Float64Var(&d.cores, "cores", 0, "tell the cost for `N` cores that the service uses without tracing")
	flags.Float64Var(&d.fleet, "fleet", 0, "tell the cost for `N` machines that the service uses without tracing")
	c.RunE = func(c *cobra.Command, args []string) error {
		if d.cores < 0 || d.fleet < 0 || math.IsInf(d.cores+d.fleet, 0) || math.IsNaN(d.cores+d.fleet) {
			return console.UsageError(errors.New("--cores and --fleet take a number above 0, such as 40"))
		}
		d.run.decides, d.run.sizes = true, d.sizes()
		if len(args) == 1 && c.ArgsLenAtDash() < 0 && isFolder(args[0]) {
			return d.show(s, c, args[0])
		}
		return d.measure(c, s, args)
	}
	return c
}

// sizes are what the cost is told in beside per cent.
func (d *deciding) sizes() (out []report.Size) {
	for _, one := range []report.Size{{Number: d.cores, Unit: "cores"}, {Number: d.fleet, Unit: "machines"}} {
		if one.Number > 0 {
			out = append(out, one)
		}
	}
	return out
}

// show tells the decision of a result again, under a budget of its own.
func (d *deciding) show(s console.Streams, c *cobra.Command, dir string) error {
	if err := onlyShows(c, "deciding on", "json", "budget", "cores", "fleet"); err != nil {
		return err
	}
	limits, err := reportFlags{budget: d.run.budget}.limits()
	if err != nil {
		return console.UsageError(err)
	}
	docs, err := results.ReadResults(dir)
	if limits != nil && err == nil {
		for i := range docs {
			if docs[i], err = results.Judge(docs[i].Results, limits, BuiltIn(), Version()); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	worst := console.Fine
	for _, doc := range docs {
		if len(doc.Decisions) == 0 {
			return fmt.Errorf("%s has no variants at a rate of requests to choose among "+
				"(if an earlier tracetax wrote it: tracetax report %s --reanalyze)", doc.Results, doc.Results)
		}
		if err := d.run.print(s, doc); err != nil {
			return err
		}
		tellUntraced(s.Err, doc)
		worst = max(worst, choiceStatus(doc))
	}
	if worst != console.Fine {
		return &console.StatusError{Code: worst}
	}
	return nil
}

// choiceStatus is the exit status of a decision: with a budget, whether any way is within it.
func choiceStatus(doc *finding.Document) int {
	status := console.Fine
	if len(doc.Untraced)+len(doc.Elsewhere) > 0 {
		status = console.Inconclusive
	}
	for _, one := range doc.Decisions {
		budgeted := func(w finding.Way) bool { return w.InBudget != finding.None }
		over := func(w finding.Way) bool { return w.InBudget == finding.Over }
		switch {
		case one.Choice != "" || !slices.ContainsFunc(one.Ways, budgeted):
		case slices.ContainsFunc(one.Ways, func(w finding.Way) bool { return !over(w) }):
			status = console.Inconclusive
		default:
			status = max(status, console.OverBudget)
		}
	}
	return status
}

// measure plans, asks, and runs.
func (d *deciding) measure(c *cobra.Command, s console.Streams, args []string) error {
	f := &d.run
	if err := d.choose(c, args); err != nil {
		return console.UsageError(err)
	}
	experiments, err := d.fitted(c, args)
	if err != nil {
		return err
	}
	if f.resume == "" {
		to := s.Err
		if f.dryRun {
			to = s.Out
		}
		for _, e := range experiments {
			if err := d.plan(to, e); err != nil {
				return err
			}
		}
		if f.dryRun {
			return cannotRun(experiments, f.variants)
		}
		if err := d.agreed(c.Context(), s); err != nil {
			return err
		}
	}
	return lowerRate(f.run(c.Context(), s, experiments))
}

// lowerRate adds to the error of a rate that was too high one that may be held.
func lowerRate(err error) error {
	mistake := new(experiment.MistakeError)
	if !errors.As(err, &mistake) || mistake.Reached <= 0 {
		return err
	}
	rate := roomyShare * mistake.Reached
	if ten := math.Pow(10, math.Floor(math.Log10(rate))-1); ten > 0 {
		rate = math.Floor(rate/ten+1e-9) * ten
	}
	return fmt.Errorf("%w\nthe dearest way may hold --rate %g", err, rate)
}

// roomyShare is the part of what a way reached in vain that it holds easily.
const roomyShare = 0.6

// choose fills in the ways of a program that is given by its command alone.
func (d *deciding) choose(c *cobra.Command, args []string) error {
	line := &d.run.line
	switch {
	case c.ArgsLenAtDash() < 0 && len(line.Ops) == 0 && line.Function == "":
		if d.tracer != "" {
			return errors.New("--tracer is for your service from one line (--op … -- COMMAND); an experiment names its tracers")
		}
		return nil
	case d.run.rate == "" && !strings.Contains(strings.Join(d.run.sets, "\n"), "load.rate"):
		return errors.New("--rate is missing: the requests that one instance gets in a second, such as --rate 200; the cost depends on it")
	case len(line.Variants) > 0 && d.tracer != "":
		return errors.New("--tracer chooses the ways, and --variant names them: leave one of them out")
	case len(line.Variants) > 0 || len(args) == 0: // without a command the parser tells
		return nil
	}
	name, err := d.tracerFor(args)
	if err != nil {
		return err
	}
	tracer, err := BuiltIn().Tracer(name)
	if err != nil {
		return fmt.Errorf("%w; name one of 'tracetax list tracers' with --tracer, or the ways themselves with --variant", err)
	}
	if tracer.Compiled {
		return fmt.Errorf("the tracer %s is compiled into a program, and cannot be switched on from outside: "+
			"name the ways with --variant, such as --variant none --variant 'all:env.TRACING=on'", name)
	}
	line.Variants, d.of = config.Ways(tracer, ""), tracer
	return nil
}

// tracerFor is the name of the tracer for a command.
func (d *deciding) tracerFor(command []string) (string, error) {
	if d.tracer != "" {
		return d.tracer, nil
	}
	given, err := config.ParseSets(d.run.sets)
	if err != nil {
		return "", err
	}
	language := prepare.LanguageOf(command, ".")
	for _, one := range given {
		if one.Path == "workload.language" {
			language = one.Value
		}
	}
	if language == "" {
		return "", fmt.Errorf("the language of %q cannot be told: name it (--set workload.language=python), the tracer "+
			"(--tracer otel-python), or the ways themselves (--variant none --variant 'all:env.TRACING=on')", command[0])
	}
	return "otel-" + language, nil
}

// mostPlanned is how long a plan may take that nobody chose a length for.
const mostPlanned = 10 * time.Minute

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
		if fits, err := fit(experiments[0]); err != nil || fits {
			return experiments, err
		}
	}
	return experiments, nil
}

// fit chooses the sharpest length of an experiment that keeps to the time, and else the shortest; no window is shorter than a
// tracer holds its spans, and the load of all at once no shorter than these are on their way.
func fit(e *config.Experiment) (bool, error) {
	held, passed := time.Duration(0), time.Duration(0)
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
func (d *deciding) plan(to io.Writer, e *config.Experiment) error {
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
	var fetched []string
	for _, v := range e.Variants {
		made, err := prepare.Makes(e, v)
		if err != nil {
			return err
		}
		for _, m := range made {
			if text := m.Of + " (" + m.Kind + ")"; !slices.Contains(fetched, text) {
				fetched = append(fetched, text)
			}
		}
	}
	if len(fetched) > 0 {
		fmt.Fprintf(to, "  fetched or built first, where the cache lacks it: %s\n", strings.Join(fetched, ", "))
	}
	minutes, err := builtServices(e)
	if err != nil {
		return err
	}
	if len(minutes) > 0 {
		fmt.Fprintf(to, "  of these take minutes (the Collector about 6 on two CPUs): %s\n", strings.Join(minutes, ", "))
	}
	if d.hurried {
		fmt.Fprintf(to, "  a delay of %s, not the tracer's own, keeps it short: exports are more and smaller; "+
			"--blocks 8 --duration 6s takes the tracer as it comes\n", shortDelay)
	}
	if len(d.without) > 0 {
		fmt.Fprintf(to, "  left out for time: %s; --blocks 8 --duration 6s takes all ways in\n", strings.Join(d.without, ", "))
	}
	if foreseen.Schedule.Length > mostPlanned {
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

// agreed asks whether to start, where somebody is there to ask.
func (d *deciding) agreed(ctx context.Context, s console.Streams) error {
	if d.yes {
		return nil
	}
	in, is := s.In.(*os.File)
	if !is || !term.IsTerminal(int(in.Fd())) {
		return console.UsageError(errors.New("nobody is there to ask whether to start: --yes starts at once, --dry-run shows the plan alone"))
	}
	fmt.Fprint(s.Err, "Start? [Y/n] ")
	answers := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			line = "no"
		}
		answers <- line
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case line := <-answers:
		if word := strings.ToLower(strings.TrimSpace(line)); word != "" && word != "y" && word != "yes" {
			return &console.StatusError{Code: console.Failed, Err: errors.New("not started")}
		}
		return nil
	}
}

// tellSoFar shows what an interrupted decision has.
func (f *runFlags) tellSoFar(s console.Streams, top string) {
	docs, err := results.ReadResults(top)
	if err != nil || f.json {
		return // there is none yet: why is told
	}
	for _, doc := range docs {
		if len(doc.Decisions) == 0 {
			continue
		}
		if err := f.print(s, doc); err != nil {
			complain(s.Err, err)
		}
		note(s.Err, "this is what there is so far")
	}
}
