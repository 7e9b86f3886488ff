// tracetax report: show or write a finished result again.

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/export"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/results"
	"golang.org/x/term"
)

// reportFlags are the files that a report is written to: "-" is stdout, "" none.
type reportFlags struct {
	html, csv, samples, benchfmt, markdown string
	runs, histograms                       string // of the records
	bmf, action                            string // for dashboards
	budget                                 string // instead of the experiment's
	json, summary, all, reanalyze          bool
}

func newReport(s console.Streams) *cobra.Command {
	var flags reportFlags
	c := &cobra.Command{
		Use:   "report DIR…",
		Short: "Print or write a finished result again",
		Long: `Print or write a finished result again.

DIR is the results folder that 'tracetax run' names at its end. Without flags the
command prints a table. A FILE of - is standard output.

--reanalyze first analyses the records again, with the statistics of this version,
and replaces findings.json, report.html and benchfmt.txt in DIR. It measures nothing.

--budget judges the result by another budget, with the exit statuses of 'tracetax
run': 3 over budget, 4 inconclusive. DIR stays as it is.`,
		Example: `  tracetax report tracetax-results/hello-1
  tracetax report tracetax-results/hello-1 --html page.html
  tracetax report tracetax-results/hello-1 --json | jq .summary
  tracetax report tracetax-results/hello-1 --budget cpu=3%,lost=0
  tracetax report tracetax-results/hello-1 --markdown - >> "$GITHUB_STEP_SUMMARY"
  tracetax report tracetax-results/hello-1 --runs runs.csv --histograms latency.csv
  tracetax report tracetax-results/hello-1 --benchfmt - | benchstat -col /variant /dev/stdin`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.UsageError(fmt.Errorf("report takes one results folder, not %d (see 'tracetax report --help')", len(args)))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return writeReport(s, args[0], flags)
		},
	}
	f := c.Flags()
	f.StringVar(&flags.html, "html", "", "write the page to `FILE`")
	f.StringVar(&flags.csv, "csv", "", "write a row per finding to `FILE`")
	f.StringVar(&flags.samples, "samples", "", "write a row per finding and block, as CSV, to `FILE`")
	f.StringVar(&flags.runs, "runs", "", "write a row per figure of every run, phase and process, as CSV, to `FILE`")
	f.StringVar(&flags.histograms, "histograms", "", "write a row per interval of every latency histogram, as CSV, to `FILE`")
	f.StringVar(&flags.benchfmt, "benchfmt", "", "write the Go benchmark format, for benchstat, to `FILE`")
	f.StringVar(&flags.bmf, "bmf", "", "write the figures with their intervals in Bencher Metric Format to `FILE`")
	f.StringVar(&flags.action, "benchmark-action", "", "write the main figures for github-action-benchmark (customSmallerIsBetter) to `FILE`")
	f.StringVar(&flags.markdown, "markdown", "", "write Markdown for a pull request to `FILE`")
	f.BoolVar(&flags.summary, "summary", false, "print a table, the method and the machine as Markdown, to paste into documentation")
	f.BoolVar(&flags.json, "json", false, "print the findings as JSON")
	f.StringVar(&flags.budget, "budget", "", "other `limits` for the cost, e.g. cpu=3%,p99=5%,lost=0")
	f.BoolVar(&flags.reanalyze, "reanalyze", false, "analyse the records again, and replace the findings in DIR")
	f.BoolVar(&flags.all, "all", false, "print every metric, role, ledger and warning")
	return c
}

// output is one form that was asked for, and where it goes: one of the findings, or one of the records.
type output struct {
	name    string
	file    string
	write   func(io.Writer, *finding.Document) error
	records func(io.Writer, []record.Record) error
}

func writeReport(s console.Streams, dir string, flags reportFlags) error {
	outputs, err := flags.outputs(s)
	if err != nil {
		return console.UsageError(err)
	}
	if err := results.NotAFolder(dir); err != nil {
		return err
	}
	limits, err := flags.limits()
	if err != nil {
		return console.UsageError(err)
	}
	read := results.ReadFindings
	switch {
	case limits != nil:
		read = func(dir string) (*finding.Document, error) {
			return results.Judge(dir, limits, BuiltIn(), Version())
		}
	case flags.reanalyze:
		read = func(dir string) (*finding.Document, error) {
			return results.Reanalyze(dir, BuiltIn(), Version(), func(path string, bytes int64) { tellCutOff(s.Err, path, bytes) })
		}
	}
	doc, err := read(dir)
	if err != nil {
		return err
	}
	if err := writeOutputs(s, dir, doc, outputs); err != nil || limits == nil {
		return err
	}
	tellUntraced(s.Err, doc)
	if status := statusOf(doc); status != console.Fine {
		return &console.StatusError{Code: status}
	}
	return nil
}

// limits returns the limits of --budget; nil without the flag.
func (f reportFlags) limits() ([]config.Limit, error) {
	switch {
	case f.budget == "":
		return nil, nil
	case f.reanalyze:
		return nil, errors.New("--budget leaves the findings of DIR as they are, and --reanalyze replaces them: give one of the two")
	}
	limits, err := config.ParseBudget(f.budget)
	if err != nil {
		return nil, fmt.Errorf("--budget: %w", err)
	}
	return limits, nil
}

// writeOutputs writes what was asked for. The records are read where one of the forms is made of them.
func writeOutputs(s console.Streams, dir string, doc *finding.Document, outputs []output) error {
	var records []record.Record
	for _, o := range outputs {
		if o.records != nil && records == nil {
			var err error
			if records, err = results.ReadRecords(dir); err != nil {
				return err
			}
		}
		err := WriteOutput(s, o.name, o.file, func(w io.Writer) error {
			if o.records != nil {
				return o.records(w, records)
			}
			return o.write(w, doc)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// outputs lists what was asked for. It refuses two forms on one stream.
func (f reportFlags) outputs(s console.Streams) ([]output, error) {
	all := []output{
		{name: "--html", file: f.html, write: results.WritePage}, {name: "--csv", file: f.csv, write: report.CSV},
		{name: "--samples", file: f.samples, write: report.SamplesCSV}, {name: "--benchfmt", file: f.benchfmt, write: report.Benchfmt},
		{name: "--markdown", file: f.markdown, write: report.Markdown},
		{name: "--bmf", file: f.bmf, write: report.BMF}, {name: "--benchmark-action", file: f.action, write: report.BenchmarkAction},
		{name: "--runs", file: f.runs, records: export.Runs}, {name: "--histograms", file: f.histograms, records: export.Histograms},
	}
	if f.json {
		all = append(all, output{name: "--json", file: "-", write: report.JSON})
	}
	if f.summary {
		all = append(all, output{name: "--summary", file: "-", write: report.Paste})
	}
	var wanted []output
	onOut := ""
	for _, o := range all {
		if o.file == "" {
			continue
		}
		wanted = append(wanted, o)
		if o.file != "-" {
			continue
		}
		if onOut != "" {
			return nil, fmt.Errorf("%s and %s both go to standard output: give one of them a file", onOut, o.name)
		}
		onOut = o.name
	}
	if len(wanted) > 0 {
		return wanted, nil
	}
	table := func(w io.Writer, doc *finding.Document) error {
		return report.Terminal(w, doc, TerminalOptions(s.Out, f.all))
	}
	return []output{{file: "-", write: table}}, nil
}

// WriteOutput writes a form to a file, of which it tells on stderr, or to stdout for "-". It is made whole before
// the file is opened, so an error leaves an older file as it was.
func WriteOutput(s console.Streams, flag, file string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if file == "-" {
		_, err := s.Out.Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", flag, err)
	}
	_, err := fmt.Fprintf(s.Err, "wrote %s (%s)\n", file, flag)
	return err
}

// TerminalOptions says what out is like: coloured and as wide as the terminal
// where it is one and nobody asked otherwise, plain and unlimited elsewhere.
func TerminalOptions(out io.Writer, all bool) report.TerminalOptions {
	opts := report.TerminalOptions{All: all}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return opts
	}
	opts.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		opts.Width = width
	}
	return opts
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// showCauses shows the causes of the results in a folder.
func showCauses(s console.Streams, dir string, json bool) error {
	docs, err := results.ReadResults(dir)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		write := func(w io.Writer, doc *finding.Document) error {
			return report.Causes(w, doc, TerminalOptions(s.Out, false))
		}
		if json {
			write = report.JSON
		}
		if err := write(s.Out, doc); err != nil {
			return err
		}
	}
	return nil
}

// tellCutOff says that a run is missing.
func tellCutOff(to io.Writer, path string, bytes int64) {
	note(to, fmt.Sprintf("the last line of %s is cut off (%d bytes, no whole record): its run is left out", path, bytes))
}

func note(to io.Writer, text string) { fmt.Fprintln(to, wrapped("note: "+text, widthOf(to))) }
