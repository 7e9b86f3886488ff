//go:build linux

// tracetax decide: which way of tracing a program to choose.

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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
	whole        time.Duration   // how long it would take with all ways, and the tracer as it comes
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
		if slices.ContainsFunc(one.Ways, func(w finding.Way) bool { return !w.Kept.Known() }) {
			status = console.Inconclusive
		}
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
			if err := d.plan(c.Context(), to, e); err != nil {
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

// waysByVariable are ways of a program that traces itself.
const waysByVariable = "--variant none:env.TRACING=off --variant 'all:env.TRACING=on,env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.http}'"

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
	case len(line.Variants) > 0 || len(args) == 0 && line.Image == "": // without a command the parser tells
		return nil
	case line.Image != "" && d.tracer == "":
		return errors.New("which language the program in the image is written in is not known: name a tracer, such as --tracer otel-java")
	}
	name, err := d.tracerFor(args)
	if err != nil {
		return err
	}
	tracer, err := BuiltIn().Tracer(name)
	if language, derived := strings.CutPrefix(name, "otel-"); err != nil && derived && d.tracer == "" {
		return fmt.Errorf("there is no tracer for the language %s: name one of 'tracetax list tracers' with --tracer, "+
			"or the ways themselves with %s", language, waysByVariable)
	}
	if err != nil {
		return fmt.Errorf("%w; name one of 'tracetax list tracers' with --tracer, or the ways themselves with --variant", err)
	}
	if tracer.Compiled {
		return fmt.Errorf("the tracer %s is compiled into a program, and cannot be switched on from outside: "+
			"name the ways by variables or arguments of the program's, with %s", name, waysByVariable)
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
			"(--tracer otel-python), or the ways themselves (%s)", command[0], waysByVariable)
	}
	return "otel-" + language, nil
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
