// tracetax compare: what changed between results of one experiment.

package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/results"
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
		return report.Comparison(w, doc, TerminalOptions(s.Out, f.all))
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
	return WriteOutput(s, o.name, o.file, func(w io.Writer) error { return o.write(w, doc) })
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
