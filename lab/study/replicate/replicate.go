// Package replicate owns the command 'tracetax replicate', which compares results with a study. It must not know
// how a claim is judged, nor how a form is drawn.
package replicate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/lab/study"
	"github.com/tracetax/tracetax/lab/study/view"
)

func init() { cli.Register(newReplicate) }

// replicateFlags names the files to write a replication to: "-" is stdout, "" none.
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
	in := study.Input{Results: docs, Tool: cli.Version(), Now: time.Now()}
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
		if err := cli.WriteOutput(s, o.name, o.file, func(w io.Writer) error { return o.write(w, doc) }); err != nil {
			return err
		}
	}
	return nil
}

// nothingMeasured returns an error if no result holds a run.
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

// restate replaces the results' published figures by an experiment's, and returns its claims.
func restate(docs []*finding.Document, name string) ([]finding.Claim, error) {
	all, err := config.Find(name, cli.BuiltIn())
	if err != nil {
		return nil, cli.FileError(err)
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

// replicateOutput is one requested form and its file.
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
		return view.Terminal(w, doc, cli.TerminalOptions(s.Out, false))
	}}}, nil
}
