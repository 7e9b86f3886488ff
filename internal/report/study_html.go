// A study as a page: one file that needs no network, of the same parts as the page of
// a result.

package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/tracetax/tracetax/internal/finding"
)

var (
	//go:embed assets/study.html.tmpl
	studySource string
	//go:embed assets/table.html.tmpl
	tableSource string

	studyTemplate = template.Must(template.Must(template.New("study").Parse(tableSource)).Parse(studySource))
)

// studyPage is what the template is filled with.
type studyPage struct {
	Study    *finding.Study
	Long     bool
	About    []string
	Sources  []string
	Claims   []studyClaim
	Sections []htmlSection
	Charts   bool
	Curves   []pageSweep
	Warnings []finding.Warning

	Policy template.HTMLAttr
	Style  template.CSS
	Script template.JS
	Data   template.JS
}

type studyClaim struct {
	finding.ClaimResult
	Mark, Class string
	Table       htmlTable
}

type htmlSection struct {
	ID     string // to be linked to; "" for none
	Title  string
	Tables []htmlTable
	Notes  []string
}

// htmlTable is a grid as HTML has it.
type htmlTable struct {
	Caption, Remark string
	Heads           []htmlCell
	Rows            [][]htmlCell
}

type htmlCell struct {
	Text   string
	Figure bool // aligned to the right
	Whole  bool // never broken into lines
}

// StudyHTML writes the page. It fails on a study that JSON cannot hold.
func StudyHTML(w io.Writer, doc *finding.Study) error {
	data, curves, err := studyData(doc)
	if err != nil {
		return fmt.Errorf("writing the page of the study: %w", err)
	}
	p := studyPage{
		Study: doc, Long: len(doc.Answer) > 120, Sources: sourceTexts(doc), Charts: len(doc.Tables) > 0, Curves: curves,
		Warnings: sortedWarnings(&finding.Document{Warnings: doc.Warnings}),
		Policy:   policy(chartProgram), Style: template.CSS(pageStyle), Script: template.JS(chartProgram), Data: data,
	}
	for _, r := range doc.Results {
		p.About = append(p.About, studyResultText(r))
	}
	for _, c := range doc.Claims {
		class := map[finding.ClaimKind]string{finding.Confirmed: "confirmed", finding.Refuted: "refuted"}[c.Kind]
		if class == "" {
			class = "open"
		}
		p.Claims = append(p.Claims, studyClaim{ClaimResult: c, Mark: claimMark(c.Kind), Class: class, Table: htmlTableOf(claimGrid(c))})
	}
	for _, s := range studySections(doc) {
		p.Sections = append(p.Sections, htmlSectionOf(s))
	}
	var b bytes.Buffer // a page that fails half-way is not written at all
	if err := studyTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("writing the page of the study: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page of the study: %w", err)
	}
	return nil
}

func htmlSectionOf(s studySection) htmlSection {
	one := htmlSection{ID: s.id, Title: s.title, Notes: s.notes}
	for _, g := range s.grids {
		one.Tables = append(one.Tables, htmlTableOf(g))
	}
	return one
}

func htmlTableOf(g grid) htmlTable {
	t := htmlTable{Caption: g.caption, Remark: g.remark}
	for _, c := range g.columns {
		t.Heads = append(t.Heads, htmlCell{c.head, c.right, false})
	}
	for _, row := range g.rows {
		var cells []htmlCell
		for i, c := range row {
			cells = append(cells, htmlCell{c.text, g.columns[i].right, g.columns[i].close})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// studyData is the study as the chart program reads it: the curves in a document with
// nothing else, so that they are drawn as those of one result are.
func studyData(doc *finding.Study) (template.JS, []pageSweep, error) {
	drawn := &finding.Document{Findings: []finding.Finding{}}
	seen := map[string]bool{}
	variant := func(name string) {
		if !seen[name] {
			seen[name] = true
			drawn.Experiment.Variants = append(drawn.Experiment.Variants, finding.Variant{Name: name})
		}
	}
	names := map[string]string{}
	for _, t := range doc.Tables {
		variant(t.Baseline)
		names[t.Metric] = finding.MetricName(t.Metric)
		for _, r := range t.Rows {
			variant(r.Variant)
		}
	}
	for _, c := range doc.Sweeps {
		one := c.Sweep
		if len(doc.Results) > 1 {
			one.Operation = c.Workload + ", " + one.Operation
		}
		drawn.Sweeps = append(drawn.Sweeps, one)
	}
	text, err := json.Marshal(struct {
		Document *finding.Document `json:"document"`
		Figures  []pageFigures     `json:"figures"`
		Order    []int             `json:"order"`
		Baseline string            `json:"baseline"`
		Study    *finding.Study    `json:"study"`
		Names    map[string]string `json:"names"`
	}{drawn, []pageFigures{}, []int{}, baseline(drawn), doc, names})
	return template.JS(text), pageSweeps(drawn), err
}
