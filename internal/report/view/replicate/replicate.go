// Package replicate owns what is shown of a replication: several results beside what was published. It makes the model of a report,
// and must not know how one is drawn.
package replicate

import (
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// Brief is a replication for a terminal.
func Brief(doc *finding.Replication) *model.Page {
	p := replicationHead(doc)
	p.Sections = append(claimNotes(doc), replicationSections(doc)...)
	p.How = model.How{Reading: parts.Faint(doc.Methods...)}
	return p
}

// Whole is a replication with its claims as tables, its charts and its curves.
func Whole(doc *finding.Replication) *model.Page {
	p := replicationHead(doc)
	curves := parts.Sections(parts.SweepsSection(replicationSweeps(doc), "The centre over the blocks and its 95 % interval."))
	p.Sections = slices.Concat(claimTables(doc), replicationChartSections(doc), curves, replicationSections(doc))
	p.How = parts.WithMade(model.How{Title: "How the figures were made", Reading: parts.Faint(doc.Methods...)}, doc.Tool)
	p.Charts = replicationCharts(doc)
	return p
}

func replicationHead(doc *finding.Replication) *model.Page {
	p := &model.Page{Title: doc.Name, Name: doc.Name, Summary: doc.Summary, Details: sourceTexts(doc), Warnings: parts.Warnings(doc.Warnings)}
	for _, r := range doc.Results {
		p.About = append(p.About, replicationResult(r))
	}
	return p
}

// replicationChartSections are the parts that are charts alone.
func replicationChartSections(doc *finding.Replication) []model.Section {
	var out []model.Section
	if len(doc.Tables) > 0 {
		lead := "A bar is the cost over the baseline, the line its 95 % interval"
		if len(doc.Series) > 0 {
			lead += "; a hollow mark is what was published, over the study's own baseline"
		}
		out = append(out, model.Section{ID: "studied", Title: "What it costs, measured and published", Chart: &model.Chart{}, Lead: model.Texts(lead + ".")})
	}
	if len(doc.Means) > 0 {
		out = append(out, model.Section{ID: "means", Title: "Mean values, as studies draw them", Chart: &model.Chart{}, Lead: model.Texts("A bar is the mean of the values of all operations of a workload, or of one operation on all workloads. An operation weighs as much as its value is large. Bars beside each other are of the same operations: those that all of the variants have. Variants that are excluded from the ranking are in no mean. The costs with their intervals are in the table of means.")})
	}
	return out
}

// replicationResult says what one of the results is.
func replicationResult(r finding.ReplicationResult) []string {
	var pieces []string
	quick := ""
	if r.Quick {
		quick = "a quick run"
	}
	for _, text := range []string{r.Workload, r.Load, parts.Counted(r.Blocks, "block"), quick, r.Results} {
		if text != "" {
			pieces = append(pieces, text)
		}
	}
	return append(pieces, r.Runtimes...)
}

// sourceTexts say where the published figures are from.
func sourceTexts(doc *finding.Replication) []string {
	var out []string
	for i, s := range doc.Series {
		text := s.Name + ": " + s.Source
		if mark := seriesMark(doc, i); mark != "" {
			text = mark + " " + text
		}
		out = append(out, text)
	}
	return out
}
