// Heads and cells that several tables of a replication have.

package replicate

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// seriesMark tells a series from the others where there is little room: "[2]"; "" where there
// is but one.
func seriesMark(doc *finding.Replication, series int) string {
	if len(doc.Series) < 2 {
		return ""
	}
	return fmt.Sprintf("[%d]", series+1)
}

// seriesHead is the head of a column of a series: its name without the remark, and its mark.
func seriesHead(doc *finding.Replication, series int) string {
	name, _, _ := strings.Cut(doc.Series[series].Name, ", ")
	return strings.TrimSpace(name + " " + seriesMark(doc, series))
}

func variantMark(r finding.ReplicationCell) string {
	switch {
	case r.Lossy:
		return r.Variant + " " + parts.LossyMark
	case r.Suppressed > 0:
		return r.Variant + " " + parts.SuppressedMark
	}
	return r.Variant
}

func publishedOf(r finding.ReplicationCell, series int) *finding.PublishedCell {
	for i := range r.Published {
		if r.Published[i].Series == series {
			return &r.Published[i]
		}
	}
	return nil
}

func shownEstimate(i *finding.Interval, unit string) string {
	if i == nil {
		return finding.Missing
	}
	return finding.FormatValue(i.Estimate, unit)
}

// withinCell says whether a published cost lies in our interval; empty where it cannot be
// said.
func withinCell(p finding.PublishedCell) model.Cell {
	switch {
	case p.Within == nil:
		return model.Cell{}
	case *p.Within:
		return model.Cell{Text: "yes", Tone: model.Good}
	}
	return model.Cell{Text: "no", Tone: model.Faint}
}

func ratioCells(i *finding.Interval) []model.Cell {
	if i == nil {
		return []model.Cell{{Text: finding.Missing, Tone: model.Faint}, {}}
	}
	estimate, ends := parts.Interval(*i, "1", true, model.Plain)
	return []model.Cell{estimate, ends}
}
