package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/session"
)

// runFlags are the flags of run; quickstart has some of them.
type runFlags struct {
	quick, dryRun, json bool
	goOn                bool // also where the first runs show a mistake
	out, resume         string
	blocks, precision   string
	order               string
	seed                uint64
	drawn               uint64   // the seed that was drawn last, 0 where none was
	variants, workloads []string // names to keep
	resumes             []string // the folders below resume, one an experiment
	budget              string
	accounting          string
	keepEnv             []string        // variables of the shell that programs get though they belong to a tracer
	line                config.Flags    // your service from one line
	load                config.Override // of the load
}

func newRun(s console.Streams) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run EXPERIMENT | --op 'GET /path' --variant none --variant NAME:tracer=… -- COMMAND…",
		Short: "Run an experiment: a file, a built-in one, or your service from one line",
		Long: `Runs an experiment and says what its variants cost, with intervals.

EXPERIMENT is a file (see 'tracetax init') or the name of a built-in experiment
(see 'tracetax list experiments'). Without it, --op and --variant describe your
service, started by the command after --. In the command, {port} is the port
that it is to listen on.

The exit status is 0 when all is well, 1 when the experiment failed, 2 for wrong
usage or a wrong file, 3 over budget, 4 when a budget is inconclusive, when no
span came of what was to be traced, or when spans went elsewhere.`,
		Example: `  tracetax run ladder --quick
  tracetax run shop.yaml --blocks 12 --budget cpu=5%,lost=0
  tracetax run shop.yaml --precision 2% --blocks 8..30
  tracetax run shop.yaml --capacity cpu=75%
  tracetax run --op 'GET /' --variant none --variant otel:tracer=otel-python,delay=200ms --ready / -- gunicorn -b 127.0.0.1:{port} shop:app
  tracetax run --resume tracetax-results/shop-20260102-150405`,
		RunE: func(c *cobra.Command, args []string) error {
			experiments, err := f.experiments(c, args)
			if err != nil {
				return console.UsageError(err)
			}
			if f.keepEnv, err = checkKeptEnv(f.keepEnv, experiments); err != nil {
				return console.UsageError(err)
			}
			return f.run(c.Context(), s, experiments)
		},
		ValidArgsFunction: completeExperiments,
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return console.UsageError(fmt.Errorf("%w%s (a flag of your command? Put -- before the command; see '%s --help')", err, flagHint(c, err), c.CommandPath()))
	})
	f.common(c)
	flags := c.Flags()
	flags.BoolVar(&f.quick, "quick", false, "the fewest blocks that give intervals (6), of seconds: shorter windows and warm-ups, no precision to reach, and no pilots where the workload declares rates")
	flags.StringSliceVar(&f.variants, "variants", nil, "run only these variants `a,b`, and the baselines that they have (the first, and against:)")
	flags.StringSliceVar(&f.workloads, "workloads", nil, "of an experiment over several workloads, run only these `a,b` (requests/flask, or flask)")
	flags.BoolVar(&f.goOn, "go-on", false, "make all runs, even if the first ones show a mistake: a program that does not get ready, no span, half of the rate")
	flags.StringVar(&f.resume, "resume", "", "go on with the results folder `DIR`")
	flags.StringArrayVar(&f.keepEnv, "keep-env", nil, "let programs have the shell's variable `NAME` though it belongs to a tracer, e.g. OTEL_RESOURCE_ATTRIBUTES (repeatable)")
	flags.StringVar(&f.budget, "budget", "", "hold the cost against limits, e.g. `cpu=3%,p99=5%,lost=0`")
	flags.StringArrayVar(&f.line.Ops, "op", nil, "operation `'[NAME=]METHOD /path'` of your service (repeatable)")
	flags.StringArrayVar(&f.line.Variants, "variant", nil, "variant `NAME[:tracer=T,setting=value,env.X=y,arg=z]` (repeatable; the first is the baseline)")
	flags.StringVar(&f.line.Ready, "ready", "", "how your service says that it is ready: `URL`, tcp://host:port or log:REGEXP (default: its port answers, which a master such as gunicorn's does before the program is loaded)")
	flags.StringVar(&f.line.Patience, "patience", "", "how long your service may take to become ready, e.g. `60s` (default 30s)")
	flags.StringArrayVar(&f.line.Headers, "header", nil, "header `'Name: value'` of every operation of your service (repeatable)")
	flags.StringArrayVar(&f.line.Env, "env", nil, "environment variable `'NAME=VALUE'` of your service; {port} in it is filled in, e.g. 'PORT={port}' (repeatable)")
	flags.StringVar(&f.line.Prepare, "prepare", "", "`command` before each run of your service, not measured, e.g. 'sh reset.sh'; if it fails, so does the run")
	flags.StringVar(&f.line.Cleanup, "cleanup", "", "`command` after each run of your service, also after one that failed or was interrupted")
	flags.StringVar(&f.line.Body, "body", "", "body of every operation of your service: `text`, or @file")
	flags.IntVar(&f.line.Port, "port", 0, "the fixed `port` of your service, if it cannot be told by {port}")
	flags.StringVar(&f.line.Language, "language", "", "`language` of your service, so that tracer=otel means otel-LANGUAGE")
	flags.StringVar(&f.load.Connections, "connections", "", "closed loop: keep `N` connections busy, or 1,2,4 in turn; with --rate, the most that may be open")
	flags.StringVar(&f.line.Name, "name", "", "what the report calls your service: `NAME` (default: the program of the command)")
	flags.StringVar(&f.load.Rate, "rate", "", "operations a second, instead of the experiment's: `400/s`, 100/s,200/s in turn, or '50% of slowest'")
	flags.StringVar(&f.load.Capacity, "capacity", "", "search for a capacity, e.g. `cpu=75%`, p99=50ms or lost=0 (and method=, from=, max=, step=, resolution=)")
	flags.StringVar(&f.load.Duration, "duration", "", "length of a measured window or of a probe, e.g. `20s`, instead of the experiment's")
	flags.StringVar(&f.load.Calls, "calls", "", "self-driving workloads: the most operations of a measured window, e.g. `2000000`")
	flags.StringVar(&f.load.Depth, "depth", "", "self-driving workloads: calls in one another that make one operation, `8`, or 2,4,8 in turn")
	flags.StringVar(&f.load.Threads, "threads", "", "self-driving workloads: threads that call, `2`, or 1,2,4 in turn")
	flags.BoolVar(&f.load.Samples, "samples", false, "self-driving workloads: keep every duration of a measured window, in the form of MooBench's scripts")
	flags.StringVar(&f.load.Warmup, "warmup", "", "length of a warm-up, e.g. `5s`, or auto (a pilot finds it), instead of the experiment's")
	completeFlag(c, "variant", completeTracers)
	return c
}

// common adds the flags that run and quickstart share.
func (f *runFlags) common(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.json, "json", false, "print findings.json alone on stdout; with --dry-run the plan")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be run, in which order and for how long, and run nothing")
	flags.StringVar(&f.out, "out", "", "results folder `DIR` (default tracetax-results/NAME-DATE-TIME)")
	flags.StringVar(&f.blocks, "blocks", "", "number of blocks `N`, or the least and the most (8..30) with a precision, instead of the experiment's")
	flags.StringVar(&f.order, "order", "", "how the load goes through the variants of a block: `windows` (all live at once, one at a time has the load), woven (all have it at once) or apart (one run after the other); by default windows, or apart where the variants cannot live beside each other")
	flags.StringVar(&f.precision, "precision", "", "stop when the interval is as narrow as this: `2%` (of the CPU per operation), or '2% of latency_p99'")
	flags.Uint64Var(&f.seed, "seed", 0, "`seed` of the random order, instead of the experiment's or a drawn one")
	flags.StringVar(&f.accounting, "accounting", "auto", "how CPU time is charged: `auto`, cgroup or clock")
}

// run makes the experiments one after the other, each in a results folder of its
// own below the given one when there are several.
func (f *runFlags) run(ctx context.Context, s console.Streams, experiments []*config.Experiment) error {
	if f.resume == "" { // what was begun stays as it is
		printHints(s.Err, experiments, len(f.line.Command) > 0)
		warnOfBlocks(s.Err, experiments)
		tellKeptAway(s.Err, f.keepEnv)
	}
	if f.dryRun {
		tell := dryRun
		if f.json {
			tell = dryRunJSON
		}
		return errors.Join(tell(s, experiments, f.drawn != 0), cannotRun(experiments, f.variants))
	}
	series := session.Series{
		Experiments: experiments, Top: cmp.Or(f.resume, f.out), Folders: f.resumes, Resume: f.resume != "",
		Options: sessionOptions(s.Err, f.accounting),
	}
	series.Options.Named, series.Options.KeepEnv = f.variants, f.keepEnv
	series.Options.GoOn = f.goOn
	worst, ran, several := console.Fine, 0, len(experiments) > 1
	var left []omission
	var lost []error
	err := series.Run(ctx, func(o session.Outcome) error {
		doc, workload := o.Document, o.Experiment.Workload.Name
		if doc == nil {
			complain(s.Err, fmt.Errorf("workload %s: %w\nthe other workloads are run", workload, o.Err))
			left = append(left, omission{what: "workload " + workload, reason: firstLine(o.Err.Error()), err: o.Err})
			return nil
		}
		if err := errors.Join(print(s, doc, f.json), o.Err); err != nil {
			return err
		}
		ran++
		lost = append(lost, allFailed(doc, f.variants)...)
		worst = max(worst, statusOf(doc))
		tellUntraced(s.Err, doc)
		left = append(left, omissions(workload, several, doc.Experiment.LeftOut)...)
		return nil
	})
	if mistake := new(experiment.MistakeError); errors.As(err, &mistake) && mistake.Mistake == experiment.NoSpans {
		return &console.StatusError{Code: console.Inconclusive, Err: err}
	}
	if err != nil {
		return err
	}
	tellOmissions(s.Err, left)
	if lost != nil {
		return errors.Join(lost...)
	}
	return conclude(worst, ran, left)
}

// allFailed complains of variants that were named and of which no run succeeded.
func allFailed(doc *finding.Document, named []string) []error {
	var out []error
	for _, v := range doc.Runs.Variants {
		if v.Good == 0 && slices.Contains(named, v.Variant) {
			out = append(out, fmt.Errorf("variant %s failed in every run (it was asked for by --variants): see what it wrote under %s/logs", v.Variant, doc.Results))
		}
	}
	return out
}

// conclude is how a command ends whose experiments have all been tried: well where
// some ran and the others cannot run here.
func conclude(worst, ran int, left []omission) error {
	var failed error
	for _, one := range left {
		var final *experiment.FinalError
		var mistake *experiment.MistakeError
		if one.err != nil && (ran == 0 || errors.As(one.err, &final) || errors.As(one.err, &mistake)) {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", one.what, one.err))
		}
	}
	switch {
	case ran == 0 && failed != nil:
		return failed
	case failed != nil:
		return &console.StatusError{Code: console.Failed}
	case worst != console.Fine:
		return &console.StatusError{Code: worst}
	}
	return nil
}

func newQuickstart(s console.Streams) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "quickstart",
		Short: "What OpenTelemetry costs a small built-in service, in about a minute",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			experiments, err := f.experiments(c, []string{"quickstart"})
			if err != nil {
				return err
			}
			return f.run(c.Context(), s, experiments)
		},
	}
	f.common(c)
	return c
}
