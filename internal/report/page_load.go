// The parts of the page about searches for a capacity and about levels.

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
)

// pageSearches are the searches on one operation at one level.
type pageSearches struct {
	Title, Goal string
	Latency     bool // whether a latency was looked at
	Rows        []pageSearch
	Points      []pageProbe
}

type pageSearch struct {
	Variant, Rate, Binding, Each string
	LostThere                    string
	Searches                     int
	Text                         string // the sentence where no rate was found, otherwise the fit
}

type pageProbe struct {
	Variant, Purpose, Rate, Utilisation, Seconds, Lost, Why string
	Block                                                   int
	Passed                                                  bool
}

func pageSearchesOf(doc *finding.Document) []pageSearches {
	var all []pageSearches
	place := map[string]int{}
	for i := range doc.Searches {
		s := &doc.Searches[i]
		title := (&group{operation: s.Operation, parameter: parameterText(s.Parameter)}).title()
		at, known := place[title]
		if !known {
			at = len(all)
			place[title] = at
			all = append(all, pageSearches{Title: title, Goal: s.Goal, Latency: s.Kind == "latency"})
		}
		all[at].Rows = append(all[at].Rows, pageSearchOf(s))
		for _, p := range s.Points {
			all[at].Points = append(all[at].Points, pageProbe{
				Variant: s.Variant, Block: p.Block, Purpose: p.Purpose, Passed: p.Passed, Why: p.Why,
				Rate: finding.FormatValue(p.Rate, "1/s"), Utilisation: finding.FormatValue(p.Utilisation, "1"),
				Seconds: finding.FormatValue(p.Seconds, "s"), Lost: finding.FormatCount(int64(math.Round(p.Lost))),
			})
		}
	}
	return all
}

func pageSearchOf(s *finding.Search) pageSearch {
	row := pageSearch{
		Variant: s.Variant, Rate: finding.Missing, Binding: cmp.Or(s.Binding, finding.Missing), Text: s.Text,
		Each: finding.FormatValue(math.Round(s.Seconds), "s"), Searches: len(s.Outcomes), LostThere: lostThere(s),
	}
	if s.Rate != nil {
		row.Text = ""
		row.Rate = finding.FormatSize(*s.Rate, "1/s", false)
	}
	if s.Rate != nil && s.Base != nil && s.Demand != nil {
		row.Text = fmt.Sprintf("fit: %s of the CPU at no load, and %s of it for each operation (in %d of %d searches)",
			finding.FormatValue(*s.Base, "1"), finding.FormatValue(*s.Demand, "s"), s.Linear, len(s.Outcomes))
	}
	return row
}

// HasKnee reports whether any curve has a knee.
func (p page) HasKnee() bool {
	return slices.ContainsFunc(p.Sweeps, func(s pageSweep) bool { return len(s.Knees) > 0 })
}

// pageSweep is one metric of one operation over its levels.
type pageSweep struct {
	Title, Label, Parameter string
	Variants                []string
	Rows                    []pageLevel
	Knees                   []string

	metric string
	curves []*finding.Sweep
}

type pageLevel struct {
	X     string
	Cells []string
}

func pageSweeps(doc *finding.Document) []pageSweep {
	var all []pageSweep
	for i := range doc.Sweeps {
		s := &doc.Sweeps[i]
		at := slices.IndexFunc(all, func(p pageSweep) bool { return p.Title == operationLabel(s.Operation) && p.metric == s.Metric })
		if at < 0 {
			at = len(all)
			all = append(all, pageSweep{Title: operationLabel(s.Operation), Label: finding.MetricName(s.Metric), Parameter: s.Parameter, metric: s.Metric})
		}
		p := &all[at]
		p.curves = append(p.curves, s)
		p.Variants = append(p.Variants, s.Variant)
		if s.Knee != nil {
			p.Knees = append(p.Knees, s.Variant+": "+s.Knee.Text)
		}
	}
	for i := range all {
		all[i].Rows = levelRows(all[i].curves)
	}
	return all
}

// levelRows has a row for each level that any of the curves has.
func levelRows(curves []*finding.Sweep) []pageLevel {
	var xs []float64
	for _, s := range curves {
		for _, p := range s.Points {
			if !slices.Contains(xs, p.X) {
				xs = append(xs, p.X)
			}
		}
	}
	slices.Sort(xs)
	var rows []pageLevel
	for _, x := range xs {
		row := pageLevel{X: strconv.FormatFloat(x, 'g', -1, 64)}
		for _, s := range curves {
			text := finding.Missing
			if i := slices.IndexFunc(s.Points, func(p finding.SweepPoint) bool { return p.X == x }); i >= 0 {
				p := s.Points[i]
				text = finding.FormatSize(finding.Interval{Estimate: p.Y, Low: p.Low, High: p.High}, s.Unit, false)
			}
			row.Cells = append(row.Cells, text)
		}
		rows = append(rows, row)
	}
	return rows
}
