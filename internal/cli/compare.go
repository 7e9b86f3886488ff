// tracetax compare: what changed between results of one experiment.

package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/study"
	"github.com/tracetax/tracetax/internal/study/view"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	filter, budget, markdown string
	variants                 []string
	json, all, force         bool
}

func newCompare(s console.Streams) *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare BASE NEW [NEW…] | compare RESULT --variants a,b",
		Short: "Compare two or more results of one experiment",
		Long: `Report what changed between two or more results of one experiment.

BASE and NEW are results folders, or findings.json files. The command compares the
cost of tracing over each result's own baseline: a machine that is slower today
changes nothing. It refuses results of different experiments or machines; --force
compares what they have in common.

--variants compares variants of one result with the first of them.

A filter has benchstat's syntax: KEY:VALUE, KEY:/REGEXP/, KEY:(A OR B), -X for the
opposite of X; all terms must hold. KEY is metric, operation, variant, role, service
or the name of a parameter.

Exit status: 0 fine; 2 wrong usage, or results that cannot be compared; 3 the change
is over budget; 4 inconclusive.`,
		Example: `  tracetax compare results/main results/branch --budget cpu=2%
  tracetax compare results/main results/branch --filter 'metric:cpu_per_operation variant:/^otel/'
  tracetax compare results/1.0 results/1.1 results/1.2 --markdown -
  tracetax compare results/main --variants otel,otel-10`,
		RunE: func(_ *cobra.Command, args []string) error { return f.run(s, args) },
	}
	flags := c.Flags()
	flags.StringVar(&f.filter, "filter", "", "compare only findings that meet the `conditions`, e.g. 'metric:/^latency_/ operation:json'")
	flags.StringVar(&f.budget, "budget", "", "`limits` for the change, e.g. cpu=2%,p99=5%")
	flags.StringSliceVar(&f.variants, "variants", nil, "compare the variants `a,b` of one result")
	flags.StringVar(&f.markdown, "markdown", "", "write Markdown for a pull request to `FILE` (- is standard output)")
	flags.BoolVar(&f.json, "json", false, "print the comparison as JSON")
	flags.BoolVar(&f.all, "all", false, "print every metric, role and warning")
	flags.BoolVar(&f.force, "force", false, "compare what different experiments or machines have in common")
	return c
}

func (f compareFlags) run(s console.Streams, args []string) error {
	outputs, err := f.outputs(s)
	if err != nil {
		return console.UsageError(err)
	}
	doc, err := f.compare(args)
	if err != nil {
		return err
	}
	for _, o := range outputs {
		if err := o.to(s, doc); err != nil {
			return err
		}
	}
	if status := changeStatus(doc); status != console.Fine {
		return &console.StatusError{Code: status}
	}
	return nil
}

// compare reads the results and compares them.
func (f compareFlags) compare(args []string) (*finding.Comparison, error) {
	in := compare.Input{Force: f.force, Tool: Version(), Now: time.Now()}
	var err error
	if in.Filter, err = compare.ParseFilter(f.filter); err != nil {
		return nil, console.UsageError(fmt.Errorf("--filter: %w", err))
	}
	if f.budget != "" {
		if in.Budget, err = config.ParseBudget(f.budget); err != nil {
			return nil, console.UsageError(fmt.Errorf("--budget: %w", err))
		}
	}
	if len(f.variants) > 0 {
		return f.compareVariants(in, args)
	}
	if len(args) < 2 {
		return nil, console.UsageError(fmt.Errorf("compare takes two or more results, not %d (see 'tracetax compare --help')", len(args)))
	}
	docs, err := readResults(args)
	if err != nil {
		return nil, err
	}
	in.Base, in.News = docs[0], docs[1:]
	doc, err := compare.Compare(in)
	var different *compare.DifferentError
	if errors.As(err, &different) {
		return nil, console.UsageError(fmt.Errorf("%w\n--force compares what they have in common", err))
	}
	if err != nil {
		return nil, console.UsageError(err)
	}
	return doc, nil
}

func (f compareFlags) compareVariants(in compare.Input, args []string) (*finding.Comparison, error) {
	if len(args) != 1 || len(f.variants) < 2 {
		return nil, console.UsageError(errors.New("--variants compares two or more variants of one result: tracetax compare RESULT --variants a,b"))
	}
	docs, err := readResults(args)
	if err != nil {
		return nil, err
	}
	in.Base = docs[0]
	doc, err := compare.Variants(in, f.variants)
	if err != nil {
		return nil, console.UsageError(err)
	}
	return doc, nil
}

func readResults(paths []string) ([]*finding.Document, error) {
	var docs []*finding.Document
	for _, path := range paths {
		doc, err := results.ReadResult(path)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// comparisonOutput is one form that was asked for, and where it goes.
type comparisonOutput struct {
	name, file string
	write      func(io.Writer, *finding.Comparison) error
}

func (f compareFlags) outputs(s console.Streams) ([]comparisonOutput, error) {
	table := func(w io.Writer, doc *finding.Comparison) error {
		return report.Comparison(w, doc, terminalOptions(s.Out, f.all))
	}
	switch {
	case f.json && f.markdown == "-":
		return nil, errors.New("--json and --markdown both go to standard output: give --markdown a file")
	case f.markdown == "-":
		return []comparisonOutput{{"--markdown", "-", report.ComparisonMarkdown}}, nil
	}
	out := []comparisonOutput{{"", "-", table}}
	if f.json {
		out[0] = comparisonOutput{"--json", "-", report.ComparisonJSON}
	}
	if f.markdown != "" {
		out = append(out, comparisonOutput{"--markdown", f.markdown, report.ComparisonMarkdown})
	}
	return out, nil
}

func (o comparisonOutput) to(s console.Streams, doc *finding.Comparison) error {
	return writeOutput(s, o.name, o.file, func(w io.Writer) error { return o.write(w, doc) })
}

// changeStatus is the exit status that the verdicts against a budget call for.
func changeStatus(doc *finding.Comparison) int {
	status := console.Fine
	for _, one := range doc.Changes {
		if one.Verdict.Budget == nil {
			continue
		}
		switch one.Verdict.Kind {
		case finding.Over:
			return console.OverBudget
		case finding.Within:
		default:
			status = console.Inconclusive
		}
	}
	return status
}

// tracetax replicate: what the results of one experiment say together, and beside a study.

// replicateFlags are the files that a replication is written to: "-" is stdout, "" none.
type replicateFlags struct {
	html, markdown, csv, experiment string
	json                            bool
}

func newReplicate(s console.Streams) *cobra.Command {
	var f replicateFlags
	c := &cobra.Command{
		Use:   "replicate DIR...",
		Short: "Compare results with a published study",
		Long: `Compare the results of an experiment, over one or more workloads, with the study that
it repeats: tables beside the published figures, the order of the variants, means,
ratios of ratios, and a verdict on each claim.

DIR is the folder that 'tracetax run' names at its end: one result, or one for each
workload. Several experiments on one workload stand side by side. Published figures
and claims come from the experiment file, of which results keep a copy; --experiment
reads them again.`,
		Example: `  tracetax replicate tracetax-results/requests-throughput-1
  tracetax replicate tracetax-results/calls-depth-1 --html replication.html
  tracetax replicate calls/baseline calls/depth calls/fixed-rate --html replication.html
  tracetax replicate tracetax-results/requests-throughput-1 --markdown - > docs/studies/requests.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.UsageError(errors.New("replicate takes a results folder (see 'tracetax replicate --help')"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return f.run(s, args) },
	}
	flags := c.Flags()
	flags.StringVar(&f.html, "html", "", "write the page to `FILE`")
	flags.StringVar(&f.markdown, "markdown", "", "write Markdown to `FILE` (- is standard output)")
	flags.StringVar(&f.csv, "csv", "", "write a row per figure to `FILE`")
	flags.StringVar(&f.experiment, "experiment", "", "read published figures and claims from the experiment `FILE`, or the built-in one of that name")
	flags.BoolVar(&f.json, "json", false, "print the replication as JSON")
	return c
}

func (f replicateFlags) run(s console.Streams, dirs []string) error {
	outputs, err := f.outputs(s)
	if err != nil {
		return console.UsageError(err)
	}
	var docs []*finding.Document
	for _, dir := range dirs {
		read, err := results.ReadResults(dir)
		if err != nil {
			return err
		}
		docs = append(docs, read...)
	}
	if none := nothingMeasured(docs); none != nil {
		return none
	}
	in := study.Input{Results: docs, Tool: Version(), Now: time.Now()}
	if f.experiment != "" {
		if in.Claims, err = restate(docs, f.experiment); err != nil {
			return err
		}
	}
	doc, err := study.Make(in)
	if err != nil {
		return console.UsageError(err)
	}
	for _, o := range outputs {
		if err := writeOutput(s, o.name, o.file, func(w io.Writer) error { return o.write(w, doc) }); err != nil {
			return err
		}
	}
	return nil
}

// nothingMeasured complains where no result holds a run: nothing was replicated.
func nothingMeasured(docs []*finding.Document) error {
	var why error
	for _, doc := range docs {
		if doc.Runs.Good > 0 {
			return nil
		}
		why = errors.Join(why, fmt.Errorf("%s: %s", doc.Results, doc.Summary))
	}
	return fmt.Errorf("there is nothing to replicate, because nothing was measured; see 'tracetax report DIR':\n%w", why)
}

// restate gives the results what an experiment says that was published, and returns
// what it says that was claimed.
func restate(docs []*finding.Document, name string) ([]finding.Claim, error) {
	all, err := config.Find(name, builtIn())
	if err != nil {
		return nil, fileError(err)
	}
	claims := []finding.Claim{}
	known := false
	for _, e := range all {
		claims = analysis.Claims(e)
		for _, doc := range docs {
			if e.Workload != nil && e.Workload.Name == doc.Experiment.Workload && (onlyOf(docs, doc) || e.Name == doc.Experiment.Name) {
				doc.Experiment.Published, known = analysis.Published(e), true
			}
		}
	}
	if !known {
		return nil, console.UsageError(fmt.Errorf("%s has none of these workloads: give the experiment of the results", name))
	}
	return claims, nil
}

// onlyOf reports whether no other result is of its workload.
func onlyOf(docs []*finding.Document, doc *finding.Document) bool {
	return !slices.ContainsFunc(docs, func(d *finding.Document) bool { return d != doc && d.Experiment.Workload == doc.Experiment.Workload })
}

// replicateOutput is one form that was asked for, and where it goes.
type replicateOutput struct {
	name, file string
	write      func(io.Writer, *study.Replication) error
}

func (f replicateFlags) outputs(s console.Streams) ([]replicateOutput, error) {
	all := []replicateOutput{
		{"--html", f.html, view.HTML}, {"--markdown", f.markdown, view.Markdown}, {"--csv", f.csv, view.CSV},
	}
	if f.json {
		all = append(all, replicateOutput{"--json", "-", view.JSON})
	}
	all = slices.DeleteFunc(all, func(o replicateOutput) bool { return o.file == "" })
	onOut := 0
	for _, o := range all {
		if o.file == "-" {
			onOut++
		}
	}
	if onOut > 1 {
		return nil, errors.New("two forms both go to standard output: give one of them a file")
	}
	if len(all) > 0 {
		return all, nil
	}
	return []replicateOutput{{"", "-", func(w io.Writer, doc *study.Replication) error {
		return view.Terminal(w, doc, terminalOptions(s.Out, false))
	}}}, nil
}
