// Package report owns the forms in which a result is shown: which view of a document each of them draws. It reads a
// document and nothing else: it must not know runs, records or statistics, and it computes no figure that the document
// does not hold.
package report

import (
	"io"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/data"
	"github.com/tracetax/tracetax/internal/report/markdown"
	"github.com/tracetax/tracetax/internal/report/page"
	"github.com/tracetax/tracetax/internal/report/terminal"
	"github.com/tracetax/tracetax/internal/report/view"
)

// TerminalOptions say what the terminal is like. The zero value suits a pipe.
type TerminalOptions = terminal.Options

// Terminal writes the summary for a person.
func Terminal(w io.Writer, doc *finding.Document, opts TerminalOptions) error {
	return terminal.Write(w, view.Brief(doc, opts.All), opts)
}

// Size is how large an installation is that a decision is for.
type Size = view.Size

// Decision writes the ways of tracing beside each other, for a person. Sizes are what else their cost is told in.
func Decision(w io.Writer, doc *finding.Document, opts TerminalOptions, sizes ...Size) error {
	return terminal.Write(w, view.Decision(doc, sizes...), opts)
}

// Causes writes the causes alone, for a person.
func Causes(w io.Writer, doc *finding.Document, opts TerminalOptions) error {
	return terminal.Write(w, view.Causes(doc), opts)
}

// HTML writes the page. It fails on a document that JSON cannot hold: one with
// figures that are no numbers.
func HTML(w io.Writer, doc *finding.Document) error { return HTMLWith(w, doc, nil) }

// Stacks are the folded profiles of an operation.
type Stacks = view.Stacks

// HTMLWith writes the page with what was profiled.
func HTMLWith(w io.Writer, doc *finding.Document, stacks []Stacks) error {
	p := view.Whole(doc)
	view.AddStacks(p, doc, stacks)
	return page.Write(w, p)
}

// Markdown writes the summary for a pull request.
func Markdown(w io.Writer, doc *finding.Document) error { return markdown.Write(w, view.Whole(doc)) }

// Paste writes the paragraph that maintainers put into their documentation.
func Paste(w io.Writer, doc *finding.Document) error { return markdown.Write(w, view.Paste(doc)) }

// Comparison writes a comparison for a terminal.
func Comparison(w io.Writer, doc *finding.Comparison, opts TerminalOptions) error {
	return terminal.Write(w, view.BriefComparison(doc, opts.All), opts)
}

// ComparisonMarkdown writes a comparison for a pull request.
func ComparisonMarkdown(w io.Writer, doc *finding.Comparison) error {
	return markdown.Write(w, view.WholeComparison(doc))
}

// JSON writes the findings, as findings.json keeps them.
func JSON(w io.Writer, doc *finding.Document) error { return data.JSON(w, doc) }

// ErrOlder refuses findings that an earlier tracetax wrote.
var ErrOlder = data.ErrOlder

// Read reads a document that JSON wrote. It refuses one of another schema.
func Read(r io.Reader) (*finding.Document, error) { return data.Read(r) }

// CSV writes one row per finding. Figures are unrounded, as in all forms for other programs.
func CSV(w io.Writer, doc *finding.Document) error { return data.CSV(w, doc) }

// SamplesCSV writes one row per finding and block: what the intervals rest on.
func SamplesCSV(w io.Writer, doc *finding.Document) error { return data.SamplesCSV(w, doc) }

// Benchfmt writes the samples in the Go benchmark format, for benchstat.
func Benchfmt(w io.Writer, doc *finding.Document) error { return data.Benchfmt(w, doc) }

// BMF writes the figures in Bencher's format, with their intervals.
func BMF(w io.Writer, doc *finding.Document) error { return data.BMF(w, doc) }

// BenchmarkAction writes the figures for github-action-benchmark.
func BenchmarkAction(w io.Writer, doc *finding.Document) error { return data.BenchmarkAction(w, doc) }

// ComparisonJSON writes the comparison.
func ComparisonJSON(w io.Writer, doc *finding.Comparison) error { return data.ComparisonJSON(w, doc) }
