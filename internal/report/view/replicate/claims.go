// What was claimed, and what became of it.

package replicate

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

const claimsTitle = "What was claimed"

// claimNotes tell each claim with what became of it, in sentences.
func claimNotes(doc *finding.Replication) []model.Section {
	if len(doc.Claims) == 0 {
		return nil
	}
	s := model.Section{Title: claimsTitle}
	for _, c := range doc.Claims {
		cell := claimCell(c.Kind)
		s.Notes = append(s.Notes, model.Note{Lead: cell.Mark + " " + c.Name + "  ", Text: cell.Text + ": " + c.Said, Tone: cell.Tone})
		if c.Text != "" {
			s.Notes = append(s.Notes, model.Note{Lead: "  ", Text: c.Text, Tone: model.Faint})
		}
	}
	return []model.Section{s}
}

// claimTables have a row for each claim, and the figures that it rests on.
func claimTables(doc *finding.Replication) []model.Section {
	if len(doc.Claims) == 0 {
		return nil
	}
	g := model.Grid{Columns: []model.Column{{Head: "claim"}, {Head: "in words", Wrap: true}, {Head: "verdict", Badge: true}, {Head: "because", Wrap: true}}}
	s := model.Section{ID: "claims", Title: claimsTitle, Grids: []model.Grid{g}}
	for _, c := range doc.Claims {
		s.Grids[0].Add(model.Cell{Text: c.Name}, model.Cell{Text: c.Text}, claimCell(c.Kind), model.Cell{Text: c.Said})
		if len(c.Figures) > 0 {
			s.Grids = append(s.Grids, claimFigures(c))
		}
	}
	return []model.Section{s}
}

func claimCell(kind finding.ClaimKind) model.Cell {
	switch kind {
	case finding.Confirmed:
		return model.Cell{Mark: "✓", Text: string(kind), Tone: model.Good}
	case finding.Refuted:
		return model.Cell{Mark: "✗", Text: string(kind), Tone: model.Bad}
	}
	return model.Cell{Mark: "?", Text: string(kind), Tone: model.Doubtful}
}

// claimFigures has a row for each figure that a claim rests on.
func claimFigures(c finding.ClaimResult) model.Grid {
	g := model.Grid{Caption: c.Name, Remark: parts.Counted(len(c.Figures), "figure"), Fold: model.Closed, Columns: []model.Column{
		{Head: "workload"}, {Head: "operation"}, {Head: "variant"}, {Head: "cost", Right: true}, {Head: "(95 %)", Close: true}, {Head: "by itself"}, {Head: "blocks", Right: true}, {Head: "remark"},
	}}
	for _, f := range c.Figures {
		operation := ""
		if f.Operation != "" {
			operation = parts.At(f.Operation, f.Parameter)
		}
		row := append(model.Texts(f.Workload, operation, f.Variant), ratioCells(f.Interval)...)
		g.Add(append(row, model.Texts(holdsText(f.Holds), finding.FormatCount(int64(f.Blocks)), f.Reason.Words())...)...)
	}
	return g.DropEmpty()
}

func holdsText(kind finding.ClaimKind) string {
	switch kind {
	case finding.Confirmed:
		return "in the range"
	case finding.Refuted:
		return "beyond it"
	}
	return "open"
}
