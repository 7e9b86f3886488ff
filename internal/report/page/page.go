// Package page owns how a report is drawn as a page: one file that needs no network, made from a template, a style sheet
// and the chart program. What it shows is in its tables too, so it can be read without the charts, by a screen
// reader or on paper. It must not know what was measured.
package page

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
	"strings"

	"github.com/tracetax/tracetax/internal/report/model"
)

var (
	//go:embed assets/page.html.tmpl
	pageSource string
	//go:embed assets/parts.html.tmpl
	partsSource string
	//go:embed assets/page.css
	style string
	//go:embed assets/charts.js
	program string

	layout = template.Must(template.Must(template.New("page").Funcs(functions).Parse(partsSource)).Parse(pageSource))
)

// filled is the data of the template.
type filled struct {
	*model.Page
	First, Behind []model.Section // before and after the warnings

	Policy template.HTMLAttr
	Style  template.CSS
	Script template.JS
	Data   template.JS
}

// Write draws a page. It fails on one whose charts JSON cannot hold: with figures that are no numbers.
func Write(w io.Writer, p *model.Page) error {
	// json.Marshal writes <, > and & as escapes, so no name can end the script element that holds it; that is why
	// it may be marked as safe.
	data, err := json.Marshal(p.Charts)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	isBehind := func(s model.Section) bool { return s.Depth == model.Behind }
	f := filled{
		Page: p, First: slices.DeleteFunc(slices.Clone(p.Sections), isBehind), Policy: policy(program),
		Style: template.CSS(style), Script: template.JS(program), Data: template.JS(data),
	}
	for _, s := range p.Sections {
		if isBehind(s) {
			f.Behind = append(f.Behind, s)
		}
	}
	var b bytes.Buffer // a page that fails half-way is not written at all
	if err := layout.Execute(&b, f); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// Long reports whether the summary is too long for the largest letters.
func (f filled) Long() bool { return len(f.Summary) > 120 }

// Grave counts the warnings that are more than notes.
func (f filled) Grave() int {
	n := 0
	for _, w := range f.Warnings {
		if w.Code != "" && w.Tone != model.Plain {
			n++
		}
	}
	return n
}

// policy forbids the page everything but its own program and style: no network,
// and no script that a name has smuggled in.
func policy(program string) template.HTMLAttr {
	sum := sha256.Sum256([]byte(program))
	return template.HTMLAttr(fmt.Sprintf(
		`content="default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"`,
		base64.StdEncoding.EncodeToString(sum[:])))
}

// functions are the functions of the template.
var functions = template.FuncMap{
	"oneLine": func(s string) string { return model.Held(model.OneLine(s)) },
	"column":  columnClass,
	"cells":   cellsOf,
	"grid":    gridClass,
	"folded":  func(g model.Grid) bool { return g.Fold != model.Open },
	"opened":  func(g model.Grid) bool { return g.Fold == model.Unfolded },
	"strong":  func(c model.Cell) bool { return c.Tone == model.Strong },
	"held":    model.Held,
	"isNote":  func(w model.Warning) bool { return w.Tone == model.Plain },
}

// columnClass is the class of the head of a column.
func columnClass(c model.Column) string {
	if c.Right {
		return "n"
	}
	return ""
}

// placed is a cell in its column.
type placed struct {
	model.Cell
	Column model.Column
	First  bool   // it names the row
	Class  string // of the element
}

func cellsOf(g model.Grid, row model.Row) []placed {
	out := make([]placed, len(row.Cells))
	for i, c := range row.Cells {
		out[i] = placed{Cell: c, Column: g.Columns[i], First: i == 0, Class: cellClass(g.Columns[i], c)}
	}
	return out
}

// cellClass is the class of a cell: how it is aligned, whether it may be broken, and its tone. A verdict's tone is on its badge.
func cellClass(c model.Column, it model.Cell) string {
	var classes []string
	for _, one := range []struct {
		is    bool
		class string
	}{{c.Right, "n"}, {c.Close, "whole"}, {c.Wrap && c.Right, "wrap"}, {c.Badge, "badge"}, {len(it.Parts) > 0, "entries"}} {
		if one.is {
			classes = append(classes, one.class)
		}
	}
	if tone := it.Tone.String(); tone != "" && !c.Badge {
		classes = append(classes, tone)
	}
	return strings.Join(classes, " ")
}

// manyColumns make a table that is to be scrolled rather than squeezed.
const manyColumns = 9

func gridClass(g model.Grid) string {
	var classes []string
	if g.Stack {
		classes = append(classes, "stack")
	}
	if g.Bare {
		classes = append(classes, "bare")
	}
	if len(g.Columns) >= manyColumns {
		classes = append(classes, "many")
	}
	return strings.Join(classes, " ")
}
