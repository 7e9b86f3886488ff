// The page: one file that needs no network, made from a template, a style sheet
// and the chart program. What it shows is in its tables too, so that it can be
// read without the charts, by a screen reader or on paper.

package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
)

var (
	//go:embed assets/page.html.tmpl
	pageSource string
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/charts.js
	chartProgram string

	pageTemplate = template.Must(template.Must(template.New("page").Parse(tableSource)).Parse(pageSource))
)

// page is what the template is filled with.
type page struct {
	Document   *finding.Document
	Title      string
	Long       bool // the answer is too long for the largest letters
	About      []string
	Baseline   string
	Cards      []card
	Tables     []pageTable
	Searches   []pageSearches
	Sweeps     []pageSweep
	Came       []string      // how the rate and the number of blocks came about
	Driven     []htmlSection // of workloads that make themselves work
	Ledgers    []ledgerRow
	Warnings   []finding.Warning
	Grave      int // how many of them are more than notes
	Machine    []fact
	Steps      bool // whether variants are held against others than the baseline
	Bounded    bool // whether any finding has an interval
	Timed      bool // whether operations were timed by the workload itself
	Failures   []string
	Centres    string
	UnsentText string
	Banner     banner
	Untraced   string // what the mark of those says of whom no span came; "" where some did of all

	Policy template.HTMLAttr
	Style  template.CSS
	Script template.JS
	Data   template.JS
}

// HTML writes the page. It fails on a document that JSON cannot hold: one with
// figures that are no numbers.
func HTML(w io.Writer, doc *finding.Document) error {
	data, err := pageData(doc)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	p := page{
		Document: doc, Title: title(doc), Long: len(doc.Answer) > 120, About: about(doc), Baseline: baseline(doc),
		Cards: cards(doc), Tables: pageTables(doc), Searches: pageSearchesOf(doc), Sweeps: pageSweeps(doc), Came: came(doc), Ledgers: ledgerRows(doc),
		Warnings: sortedWarnings(doc), Grave: grave(doc), Machine: facts(doc.Environment), Steps: hasSteps(doc),
		Bounded: hasIntervals(doc), Timed: slices.ContainsFunc(doc.Findings, func(f finding.Finding) bool { return f.Metric == "time_per_call" }), Failures: failures(doc), Centres: howToRead(doc), UnsentText: unsentText,
		Policy: policy(chartProgram), Style: template.CSS(pageStyle),
		Script: template.JS(chartProgram), Data: data,
	}
	if len(doc.Untraced) > 0 {
		p.Banner, p.Untraced = bannerOf(doc), untracedText
	}
	for _, s := range drivenSections(doc, true) {
		p.Driven = append(p.Driven, htmlSectionOf(s))
	}
	var b bytes.Buffer // a page that fails half-way is not written at all
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// policy forbids the page everything but its own program and style: no network,
// and no script that a name has smuggled in.
func policy(program string) template.HTMLAttr {
	sum := sha256.Sum256([]byte(program))
	return template.HTMLAttr(fmt.Sprintf(
		`content="default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"`,
		base64.StdEncoding.EncodeToString(sum[:])))
}

// pageFigures are a finding's figures as every report writes them, for the charts.
type pageFigures struct {
	Label    string `json:"label"`
	Baseline string `json:"baseline"`
	Value    string `json:"value"`
	Absolute string `json:"absolute"`
	Relative string `json:"relative"`
	Mark     string `json:"mark"`
	Group    string `json:"group"`
	Dark     bool   `json:"dark,omitempty"` // no span came of a side
}

// pageData is the document and its figures in words, as the chart program reads
// them. json.Marshal writes <, > and & as escapes, so that no name can end the
// script element that holds it; that is why it may be marked as safe.
func pageData(doc *finding.Document) (template.JS, error) {
	data := struct {
		Document *finding.Document `json:"document"`
		Figures  []pageFigures     `json:"figures"` // beside document.findings
		Order    []int             `json:"order"`   // of document.findings for a reader
		Baseline string            `json:"baseline"`
	}{Document: doc, Baseline: baseline(doc), Figures: []pageFigures{}, Order: []int{}}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		g := group{operation: f.Operation, parameter: parameterText(f.Parameter)}
		data.Figures = append(data.Figures, pageFigures{
			Label: label(f), Group: g.title(), Mark: verdictMark(f.Verdict.Kind),
			Baseline: finding.FormatValue(f.Baseline, f.Unit), Value: finding.FormatValue(f.Value, f.Unit),
			Absolute: intervalText(f.Absolute, f.Unit, false), Relative: intervalText(f.Relative, f.Unit, true), Dark: doc.NotTracing(f),
		})
	}
	for _, g := range groups(doc) {
		for _, f := range g.findings {
			data.Order = append(data.Order, indexOf(doc, f))
		}
	}
	text, err := json.Marshal(data)
	return template.JS(text), err
}

// indexOf is the place of a finding in its document.
func indexOf(doc *finding.Document, f *finding.Finding) int {
	for i := range doc.Findings {
		if &doc.Findings[i] == f {
			return i
		}
	}
	return -1
}

func intervalText(i *finding.Interval, unit string, relative bool) string {
	if i == nil {
		return finding.Missing
	}
	return finding.FormatInterval(*i, unit, relative)
}
