// On what machine it was measured, and what was compared.

package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/parts"
)

// how says how a result was made.
func how(doc *finding.Document) model.How {
	h := model.How{Title: "How it was measured", File: doc.Experiment.File, Repeat: doc.Repeat, Grids: parts.Grids(variantsTable(doc), machineTable(doc))}
	return parts.WithMade(h, doc.Tool, fmt.Sprintf("seed %d", doc.Experiment.Seed))
}

// variantsTable has a row for each variant, with its settings.
func variantsTable(doc *finding.Document) model.Grid {
	g := model.Grid{Caption: "Variants", Columns: []model.Column{{Head: "variant"}, {Head: "tracer"}, {Head: "settings", Wrap: true}, {Head: "via", Wrap: true}, {Head: "to"}, {Head: "against"}, {Head: "description", Wrap: true}}}
	for i, v := range doc.Experiment.Variants {
		against := v.Against
		if i == 0 {
			against = cmp.Or(against, "the baseline")
		}
		var settings model.Cell
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(v.Settings)) {
			settings.Parts = append(settings.Parts, model.Part{Name: name, Value: v.Settings[name]})
			texts = append(texts, name+" "+v.Settings[name])
		}
		settings.Text = strings.Join(texts, ", ")
		g.Add(model.Cell{Text: v.Name}, model.Cell{Text: v.Tracer}, settings, model.Cell{Text: strings.Join(v.Via, " → ")}, model.Cell{Text: backendOf(doc, v)}, model.Cell{Text: against}, model.Cell{Text: v.Description})
	}
	return g.DropEmpty()
}

// backendOf is where a variant's spans end, where those of any variant end elsewhere than in the sink.
func backendOf(doc *finding.Document, v finding.Variant) string {
	elsewhere := slices.ContainsFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.To != "" })
	if !elsewhere || v.Tracer == "none" {
		return v.To
	}
	return cmp.Or(v.To, "sink")
}

// machineTable flattens the environment into lines with names like "cgroup version".
func machineTable(doc *finding.Document) model.Grid {
	g := model.Grid{Caption: "The machine", Fold: model.Closed, Bare: true, Columns: []model.Column{{}, {Wrap: true}}}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimSpace(name+" "+k), v[k])
			}
		case string:
			g.Add(model.Texts(name, finding.PlainText(v))...)
		case nil:
			g.Add(model.Texts(name, finding.Missing)...)
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = fmt.Append(nil, v)
			}
			g.Add(model.Texts(name, string(text))...)
		}
	}
	walk("", doc.Environment)
	return g
}
