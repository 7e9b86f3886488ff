// The tables of a study that stand behind its main ones: means, ratios, and who is listed
// apart or left out.

package report

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

func studyLossy(doc *finding.Study) studySection {
	s := studySection{title: "Listed apart: variants that lost spans"}
	g := grid{columns: append([]column{{head: "workload", give: true}}, apartColumns()...)}
	for _, l := range doc.Lossy {
		g.rows = append(g.rows, append([]textCell{{text: visible(l.Workload)}}, apartCells(l.Lossy)...))
	}
	s.addApart(g)
	return s
}

func studyMeans(doc *finding.Study) studySection {
	s := studySection{title: "Means over operations"}
	for _, metric := range metricsOf(doc.Means, func(m finding.StudyMean) string { return m.Metric }) {
		g := grid{caption: finding.MetricName(metric), columns: []column{
			{head: "workload", give: true}, {head: "variant", give: true}, {head: "operations", right: true, drop: 3}, {head: "baseline", right: true, drop: 2}, {head: "value", right: true, drop: 2},
			{head: "geometric", right: true}, {head: "(95 %)", close: true, drop: 2},
			{head: "arithmetic", right: true},
		}}
		for i := range doc.Series {
			g.columns = append(g.columns, column{head: seriesHead(doc, i), right: true, drop: 1})
		}
		g.columns = append(g.columns, column{head: "ratio of means", right: true}, column{head: "(95 %)", close: true, drop: 2})
		for i := range doc.Series {
			g.columns = append(g.columns, column{head: seriesHead(doc, i), right: true}, column{head: "within", close: true})
		}
		g.columns = append(g.columns, column{head: "without", drop: 3})
		for _, m := range doc.Means {
			if m.Metric != metric {
				continue
			}
			row := []textCell{{text: visible(meanLabel(m))}, {text: visible(unsentMarked(doc, m.Variant, inMean(m)))}, {text: operationsOf(m)}, {text: finding.FormatValue(m.Baseline, m.Unit)}, {text: finding.FormatValue(m.Value, m.Unit)}}
			row = append(row, ratioCells(m.Geometric)...)
			row = append(row, textCell{text: finding.FormatInterval(finding.Interval{Estimate: m.Arithmetic}, "1", true)})
			for i := range doc.Series {
				text := ""
				for _, p := range m.Published {
					if p.Series == i {
						text = finding.FormatInterval(finding.Interval{Estimate: p.Value}, "1", true)
					}
				}
				row = append(row, textCell{text: text})
			}
			row = append(row, ratioCells(m.OfMeans)...)
			for i := range doc.Series {
				row = append(row, publishedMeanCells(i, m.PublishedOfMeans)...)
			}
			row = append(row, textCell{visible(strings.Join(m.Without, "; ")), yellow})
			g.rows = append(g.rows, row)
		}
		s.grids = append(s.grids, dropEmpty(g))
	}
	return s
}

// operationsOf is how many operations a mean is of: "2 of 4" where it lacks some.
func operationsOf(m finding.StudyMean) string {
	if len(m.Without) == 0 {
		return fmt.Sprint(m.Operations)
	}
	return fmt.Sprintf("%d of %d", m.Operations, m.Operations+len(m.Without))
}

// publishedMeanCells are the cost that a series gives as a mean over all operations, and
// whether it lies in our interval; empty where it gives none.
func publishedMeanCells(series int, published []finding.PublishedCell) []textCell {
	for _, p := range published {
		if p.Series == series && p.Cost != nil {
			return []textCell{{text: finding.FormatInterval(finding.Interval{Estimate: *p.Cost}, "1", true)}, withinCell(p)}
		}
	}
	return []textCell{{}, {}}
}

// meanLabel says over what a mean is.
func meanLabel(m finding.StudyMean) string {
	if m.Operation == "" {
		return everyWorkload(m.Workload)
	}
	return everyWorkload(m.Workload) + ", " + m.Operation
}

func everyWorkload(name string) string {
	if name == "" {
		return "all workloads"
	}
	return name
}

func ratioCells(i *finding.Interval) []textCell {
	if i == nil {
		return []textCell{{text: finding.Missing, style: dim}, {}}
	}
	estimate, ends := intervalCells(*i, "1", true, plain)
	return []textCell{estimate, ends}
}

// studyRatios says how much the effect differs.
func studyRatios(doc *finding.Study) studySection {
	s := studySection{title: "How much the effect differs: ratios of ratios"}
	for _, metric := range metricsOf(doc.Ratios, func(r finding.StudyRatio) string { return r.Metric }) {
		g := grid{caption: finding.MetricName(metric), columns: []column{
			{head: "", give: true}, {head: "against", give: true}, {head: "on, with", give: true}, {head: "operations", right: true, drop: 1}, {head: "ratio", right: true}, {head: "(95 %)", close: true, drop: 2},
		}}
		for _, r := range doc.Ratios {
			if r.Metric != metric {
				continue
			}
			where := r.Variant
			if r.Between == finding.BetweenVariants {
				where = everyWorkload(r.Workload)
			}
			over, under := r.Over, r.Under
			if r.Between == finding.BetweenVariants {
				over, under = unsentMarked(doc, over, onWorkload(r.Workload)), unsentMarked(doc, under, onWorkload(r.Workload))
			} else {
				where = unsentMarked(doc, where, onWorkload(r.Over, r.Under))
			}
			row := []textCell{{text: visible(over)}, {text: visible(under)}, {text: visible(where)}, {text: fmt.Sprint(r.Operations)}}
			g.rows = append(g.rows, append(row, ratioCells(r.Ratio)...))
		}
		s.grids = append(s.grids, dropEmpty(g))
	}
	return s
}

// metricsOf are the metrics of a list, in their order.
func metricsOf[T any](list []T, of func(T) string) []string {
	var out []string
	seen := map[string]bool{}
	for _, one := range list {
		if name := of(one); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

func studyLeft(doc *finding.Study) studySection {
	s := studySection{title: "Left out"}
	g := grid{columns: []column{{head: "workload", give: true}, {head: "variant", give: true}, {head: "why"}}}
	for _, l := range doc.LeftOut {
		g.rows = append(g.rows, []textCell{{text: visible(l.Workload)}, {text: visible(l.Variant)}, {text: visible(l.Reason)}})
	}
	if len(g.rows) > 0 {
		s.grids = []grid{g}
	}
	return s
}
