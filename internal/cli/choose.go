//go:build linux

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/session"
)

// runFlags are the flags of run; quickstart has some of them.
type runFlags struct {
	quick, dryRun, json bool
	explain             bool   // each operation is made again under a profiler
	start               bool   // the start is explained, and nothing else
	try                 bool   // the settings that tracers' rules advise are variants too
	rules               string // a file of the user's own, for the causes
	captures            bool   // packets are kept
	keepTraces          bool   // spans are kept
	goOn                bool   // also where the first runs show a mistake
	decides             bool   // the answer is a choice among the variants
	sizes               []report.Size
	out, resume         string
	name                string
	rate, duration      string
	blocks, budget      string
	sets                []string    // further keys of the experiment
	given               config.Sets // all keys that the command line gives
	drawn               uint64      // the seed that was drawn last, 0 where none was
	variants, workloads []string    // names to keep
	resumes             []string    // the folders below resume, one an experiment
	accounting          string
	keepEnv             []string     // variables of the shell that programs get though they belong to a tracer
	line                config.Flags // your service from one line

	target, namespace, context string // another place for the programs
}

func newRun(s console.Streams) *cobra.Command { return runWith(s, &runFlags{}) }

// runWith is the command run with these flags.
func runWith(s console.Streams, f *runFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "run EXPERIMENT | --op 'GET /path' --variant none --variant NAME:tracer=… -- COMMAND… | --graph FILE --variant …",
		Short: "Run an experiment: a file, a built-in one, or your service from one line",
		Long: `Run an experiment and report what its variants cost, with intervals.

EXPERIMENT is a file (see 'tracetax init') or a built-in experiment (see 'tracetax
list experiments'). Without it, --op and --variant describe your service, and the
command after -- starts it; {port} in the command is the port to listen on.

--set gives any key of the experiment by its path, as --set load.depth=8 or
--set 'load.rate=[100/s, 200/s]'. It wins over the file's, and a key that cannot stand
beside it gives way; --rate, --duration, --blocks and --budget are short for four of them.

Exit status: 0 fine; 1 the experiment failed; 2 wrong usage or a wrong file; 3 over
budget; 4 the budget is inconclusive, no span came although some should, or spans
went elsewhere.`,
		Example: `  tracetax run ladder --quick
  tracetax run shop.yaml --blocks 12 --budget cpu=5%,lost=0
  tracetax run shop.yaml --set design.precision=2%
  tracetax run shop.yaml --set 'load.capacity={cpu: 75%}'
  tracetax run --op 'GET /' --variant none --variant otel:tracer=otel-python,delay=200ms --ready / -- gunicorn -b 127.0.0.1:{port} shop:app
  tracetax run --graph shop.yaml --rate 50/s --variant none --variant otel:tracer=otel
  tracetax run --resume tracetax-results/shop-20260102-150405`,
		RunE: func(c *cobra.Command, args []string) error {
			experiments, err := f.ready(c, args)
			if err != nil {
				return err
			}
			return f.run(c.Context(), s, experiments)
		},
		ValidArgsFunction: completeExperiments,
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return console.UsageError(fmt.Errorf("%w%s (a flag of your command? Put -- before the command; see '%s --help')", err, cmp.Or(setHint(err), flagHint(c, err)), c.CommandPath()))
	})
	f.common(c)
	flags := c.Flags()
	flags.BoolVar(&f.quick, "quick", false, "short run: 6 blocks (the fewest that give intervals), short windows and warm-ups, no precision, and declared rates instead of pilots")
	flags.StringSliceVar(&f.variants, "variants", nil, "run only the variants `A,B` and their baselines (the first variant, and against:)")
	flags.StringSliceVar(&f.workloads, "workloads", nil, "run only the workloads `A,B` of an experiment over several (requests/flask, or flask)")
	flags.BoolVar(&f.goOn, "go-on", false, "make all runs, even if the first ones show a mistake: a program that never gets ready, no spans, half of the rate")
	flags.StringVar(&f.resume, "resume", "", "continue the interrupted results in `DIR`")
	flags.StringArrayVar(&f.keepEnv, "keep-env", nil, "pass the shell's variable `NAME` on to programs although it belongs to a tracer, e.g. OTEL_RESOURCE_ATTRIBUTES (repeatable)")
	flags.BoolVar(&f.captures, "captures", false, "keep captured packets in the results folder (of variants with capture: packets); 'tracetax graph rebuild' makes traces of them")
	flags.BoolVar(&f.keepTraces, "keep-traces", false, "keep the spans that the sink receives over OTLP in the results folder; 'tracetax graph import' makes topologies of them")
	flags.StringVar(&f.budget, "budget", "", "`LIMITS` for the cost, e.g. cpu=3%,p99=5%,lost=0")
	flags.StringVar(&f.rate, "rate", "",
		"`RATE` of operations, instead of the experiment's: 400/s, '[100/s, 200/s]' in turn, or '50% of slowest'")
	flags.StringVar(&f.duration, "duration", "", "`LENGTH` of a measured window or of a probe, e.g. 20s, instead of the experiment's")
	flags.StringArrayVar(&f.line.Ops, "op", nil, "operation `'[NAME=]METHOD /path'` of your service (repeatable)")
	flags.StringVar(&f.line.Image, "image", "", "container `IMAGE` that your service runs in, e.g. shop:1.2; COMMAND is then one in it (default: the image's own)")
	flags.StringVar(&f.target, "target", "", "`PLACE` of the programs: kubernetes, for pods of a cluster (default: this machine)")
	flags.StringVar(&f.line.Deployed, "deployment", "", "`DEPLOYMENT` of the namespace that is your service; it is read, and never changed. COMMAND is then that of its container (default: the template's, or the image's)")
	flags.StringVar(&f.line.Manifest, "manifests", "", "`FILE` of objects for a cluster that has the Deployment (or its only StatefulSet or Pod), instead of the cluster")
	flags.StringVar(&f.namespace, "namespace", "", "`NAMESPACE` of the cluster in which everything is made")
	flags.StringVar(&f.context, "context", "", "`CONTEXT` of kubectl's configuration (default: the current one)")
	flags.StringVar(&f.line.Graph, "graph", "", "topology `FILE` of a graph of services (see 'tracetax graph show'), instead of --op and a command")
	flags.StringArrayVar(&f.line.Variants, "variant", nil, "variant `NAME[:KEY=VALUE,…]`, with the keys tracer, its settings, env.X, arg, on, via, via.KEY of that hop, to, capture, image, against, and for pods inject, annotations.X and labels.X (repeatable; the first is the baseline)")
	flags.StringVar(&f.line.Ready, "ready", "", "when your service is ready: a `URL` answers, tcp://host:port accepts, or log:REGEXP matches a line (default: its port accepts, which gunicorn's does before the program is loaded)")
	flags.StringArrayVar(&f.line.Env, "env", nil, "environment variable `'NAME=VALUE'` of your service, e.g. 'PORT={port}' (repeatable)")
	flags.StringVar(&f.name, "name", "", "`NAME` of your service in the report (default: the program of the command)")
	flags.StringVar(&f.line.Function, "function", "", "instead of --op: `HANDLER` of a function, e.g. app.handler; the command is python3, or a client of Lambda's Runtime API")
	completeFlag(c, "variant", completeTracers)
	return c
}

// common adds the flags that run and quickstart share.
func (f *runFlags) common(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.json, "json", false, "print findings.json on stdout and nothing else; with --dry-run the plan")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would run, in which order, for how long, and what it can show; run nothing")
	flags.StringVar(&f.out, "out", "", "results folder `DIR` (default tracetax-results/NAME-DATE-TIME)")
	flags.StringVar(&f.blocks, "blocks", "", "number of blocks `N` (one run of every variant each), instead of the experiment's; a range (8..30) with a precision")
	flags.StringArrayVar(&f.sets, "set", nil, "any key of the experiment, `KEY=VALUE`, e.g. load.depth=8, design.order=windows "+
		"or design.precision=2% (repeatable; the value is YAML; keys: docs/experiment-file.md)")
	flags.StringVar(&f.accounting, "accounting", "auto", "`HOW` CPU time is charged: by cgroup, clock, or auto, which takes cgroup where it can")
}

// ready finds what is to be run, and checks what programs are to keep of the shell's variables.
func (f *runFlags) ready(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	experiments, err := f.experiments(c, args)
	if err != nil {
		return nil, console.UsageError(err)
	}
	if f.target != "" && slices.ContainsFunc(experiments, func(e *config.Experiment) bool { return !e.Target.Kubernetes.Is() }) {
		return nil, console.UsageError(errors.New("--target kubernetes needs --namespace: the one in which pods are made"))
	}
	if f.keepEnv, err = checkKeptEnv(f.keepEnv, experiments); err != nil {
		return nil, console.UsageError(err)
	}
	return experiments, nil
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
		tell := func() error { return dryRun(ctx, s, experiments, f.drawn != 0) }
		if f.json {
			tell = func() error { return dryRunJSON(s, experiments, f.drawn != 0) }
		}
		return errors.Join(tell(), cannotRun(experiments, f.variants), f.tellCluster(ctx, s, experiments))
	}
	series := session.Series{
		Experiments: experiments, Top: cmp.Or(f.resume, f.out), Folders: f.resumes, Resume: f.resume != "",
		Options: sessionOptions(s.Err, f.accounting),
	}
	series.Options.Named, series.Options.KeepEnv = f.variants, f.keepEnv
	series.Options.GoOn = f.goOn
	if f.decides {
		series.Options.Command, series.Options.Listener = "decide", listener{s.Err, true}
	}
	series.Options.Rules = func(tracers ...string) (*profile.Rules, error) { return BuiltIn().Rules(f.rules, tracers...) }
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
		if err := errors.Join(f.print(s, doc), o.Err); err != nil {
			return err
		}
		ran++
		lost = append(lost, allFailed(doc, f.variants)...)
		worst = max(worst, f.status(doc))
		tellUntraced(s.Err, doc)
		left = append(left, omissions(workload, several, doc.Experiment.LeftOut)...)
		return nil
	})
	if err != nil && f.decides {
		f.tellSoFar(s, series.Top)
	}
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

// print shows a result as the command does.
func (f *runFlags) print(s console.Streams, doc *finding.Document) error {
	if f.decides && !f.json {
		return report.Decision(s.Out, doc, TerminalOptions(s.Out, false), f.sizes...)
	}
	return print(s, doc, f.json, f.start)
}

// status is the exit status that a result calls for.
func (f *runFlags) status(doc *finding.Document) int {
	if f.decides {
		return choiceStatus(doc)
	}
	return statusOf(doc)
}

// allFailed complains of named variants without a successful run.
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
		Short: "Measure what OpenTelemetry costs a small built-in service, in a minute or two",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			experiments, err := f.experiments(c, []string{"quickstart"})
			if err == nil && slices.ContainsFunc(experiments, func(e *config.Experiment) bool { return len(artifact.Missing(e.Needs())) > 0 }) {
				fmt.Fprintln(s.Err, "without Go the service that tracetax has in it is measured (quickstart-built-in)")
				experiments, err = f.experiments(c, []string{"quickstart-built-in"})
			}
			if err != nil {
				return err
			}
			return f.run(c.Context(), s, experiments)
		},
	}
	f.common(c)
	return c
}

// experiments finds what is to be run, with what the flags change in it.
func (f *runFlags) experiments(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	if err := results.NotAFolder(f.resume); err != nil {
		return nil, err
	}
	var err error
	if f.given, err = f.keys(); err != nil {
		return nil, err
	}
	found, err := f.find(c, args)
	if err != nil {
		return nil, err
	}
	kept, err := f.keptSeeds()
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		if err := e.Keep(f.variants); err != nil {
			return nil, fmt.Errorf("--variants: %w", err)
		}
		switch {
		case f.start:
			e.ExplainStart(f.given...)
		case f.explain:
			e.Explain()
		}
		if f.try {
			if err := e.Try(f.advised); err != nil {
				return nil, err
			}
		}
		if f.quick {
			e.Quicken(f.given...)
		}
		if err := e.Check(); err != nil {
			return nil, err
		}
		if never := e.Undecidable(); never != nil && f.resume == "" { // what was begun stays as it is
			return nil, fmt.Errorf("budget: %s", strings.Join(never, "; "))
		}
		f.chooseSeed(e, kept)
	}
	return found, nil
}

// keys are those of the experiment that the command line gives: by --set, and by the flags that are short for it.
func (f *runFlags) keys() (config.Sets, error) {
	given, err := config.ParseSets(f.sets)
	for _, short := range []struct{ flag, path, value string }{
		{"--name", "name", f.name}, {"--rate", "load.rate", f.rate}, {"--duration", "load.duration", f.duration},
		{"--blocks", "design.blocks", f.blocks}, {"--budget", "budget", f.budget},
	} {
		if short.value != "" {
			given = append(given, config.Set{Path: short.path, Value: short.value, Flag: short.flag})
		}
	}
	if f.captures {
		given = append(given, config.Set{Path: "captures", Value: "true", Flag: "--captures"})
	}
	if f.keepTraces {
		given = append(given, config.Set{Path: "keep_traces", Value: "true", Flag: "--keep-traces"})
	}
	place, wrong := f.place()
	return append(given, place...), errors.Join(err, wrong)
}

// place returns the keys of the place of the programs.
func (f *runFlags) place() (config.Sets, error) {
	var out config.Sets
	for _, short := range []struct{ flag, key, value string }{{"--namespace", "namespace", f.namespace}, {"--context", "context", f.context}} {
		if short.value != "" {
			out = append(out, config.Set{Path: "target.kubernetes." + short.key, Value: short.value, Flag: short.flag})
		}
	}
	switch {
	case f.target != "" && f.target != kubernetesTarget:
		return nil, errTarget(f.target)
	case f.target == "" && out != nil:
		return nil, errors.New("--namespace and --context go with --target kubernetes")
	}
	return out, nil
}

// kubernetesTarget is the place of programs besides this machine.
const kubernetesTarget = "kubernetes"

// keptSeeds are the seeds of the experiments in the folder that a named experiment goes on
// in, by workload: its order is theirs.
func (f *runFlags) keptSeeds() (map[string]uint64, error) {
	seeds := map[string]uint64{}
	if f.resume == "" || len(f.resumes) > 0 {
		return seeds, nil // what is read back from the folders has its own
	}
	begun, _, err := session.Begun(f.resume, BuiltIn())
	if err != nil {
		return nil, err
	}
	for _, e := range begun {
		seeds[e.Workload.Name] = e.Design.Seed
	}
	return seeds, nil
}

// chooseSeed draws a seed where the experiment has none, nor the result that
// it goes on with. A dry run draws one for all workloads, so one --set can repeat every
// order that it shows.
func (f *runFlags) chooseSeed(e *config.Experiment, kept map[string]uint64) {
	if e.Design.Seed == 0 {
		e.Design.Seed = kept[e.Workload.Name]
	}
	drawn := e.Design.Seed == 0
	if drawn && f.dryRun {
		e.Design.Seed = f.drawn
	}
	e.ChooseOrder()
	if drawn {
		f.drawn = e.Design.Seed
	}
}

func (f *runFlags) find(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	line := c.ArgsLenAtDash() >= 0 || f.line.Image != "" || f.line.Deployed != "" || f.line.Manifest != "" || len(f.line.Ops) > 0 || f.line.Function != "" || f.line.Graph != "" || len(f.line.Variants) > 0
	switch {
	case len(f.workloads) > 0 && (line || len(args) == 0):
		return nil, errors.New("--workloads chooses among the workloads of an experiment over several: name the experiment (a single workload's folder can be given to --resume)")
	case line && c.ArgsLenAtDash() > 0:
		return nil, fmt.Errorf("%q stands before --: give either an experiment or a command", args[0])
	case line:
		f.line.Command, f.line.Sets = args, f.given
		e, err := config.FromFlags(f.line, BuiltIn())
		if err != nil {
			return nil, err
		}
		return []*config.Experiment{e}, nil
	case len(args) == 0 && f.resume != "" && len(f.given) > 0:
		return nil, fmt.Errorf("%s: %s goes on with the keys that it was begun with; leave this out", f.given[0].Text(), f.resume)
	case len(args) == 0 && f.resume != "":
		begun, folders, err := session.Begun(f.resume, BuiltIn())
		f.resumes = folders
		return begun, err
	case len(args) == 0:
		return nil, errors.New("which experiment? Give a file, or a name from 'tracetax list experiments', or --op and --variant with a command after --")
	case isProgram(args[0]):
		return nil, fmt.Errorf("%q is a program: put -- before your command: tracetax run --op 'GET /' --variant none --variant … -- %s", args[0], strings.Join(args, " "))
	case len(args) > 1:
		return nil, fmt.Errorf("one experiment at a time, not %d: %s (for your command, put -- before it)", len(args), strings.Join(args, " "))
	}
	for _, flag := range []string{"ready", "env", "name"} {
		if c.Flags().Changed(flag) {
			return nil, fmt.Errorf("--%s is for your service from one line (--op … -- COMMAND); write it into the experiment file", flag)
		}
	}
	found, err := config.Find(args[0], BuiltIn(), f.given...)
	if err != nil {
		return nil, err
	}
	if found, err = config.KeepWorkloads(found, f.workloads); err != nil {
		return nil, fmt.Errorf("--workloads: %w", err)
	}
	return found, nil
}

// isProgram reports whether a word is a program and no experiment, nor near one.
func isProgram(word string) bool {
	names, err := BuiltIn().Experiments()
	if err != nil || slices.Contains(names, word) || isFile(word) || isFile(word+".yaml") || isFile(word+".yml") {
		return false
	}
	_, err = exec.LookPath(word)
	return err == nil
}
