// Package parts owns what the views of all documents share: figures, intervals and verdicts as cells, names, marks, and
// the tables that results and replications have alike. It must not know a form, nor which parts a report has.
package parts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
)

// Faint are notes that can be passed over.
func Faint(texts ...string) []model.Note {
	var out []model.Note
	for _, text := range texts {
		out = append(out, model.Note{Text: text, Tone: model.Faint})
	}
	return out
}

// Sections are those that have something to show.
func Sections(all ...model.Section) []model.Section {
	return slices.DeleteFunc(all, func(s model.Section) bool { return len(s.Grids) == 0 })
}

// Grids are the tables that have rows.
func Grids(tables ...model.Grid) []model.Grid {
	return slices.DeleteFunc(tables, func(g model.Grid) bool { return len(g.Rows) == 0 })
}

// WithMade adds by what a report was made.
func WithMade(h model.How, tool string, more ...string) model.How {
	h.Made = append([]string{"tracetax " + tool}, more...)
	return h
}

// What is known of where a result was measured.

// Fact is one fact of the environment as a text, "" where it is not there.
func Fact(doc *finding.Document, name string) string {
	switch v := doc.Environment[name].(type) {
	case string:
		return finding.PlainText(v)
	case float64, int:
		return fmt.Sprint(v)
	}
	return ""
}

// Nodes are the names of the nodes of a cluster that a result was measured on; none where it was measured on this machine.
func Nodes(doc *finding.Document) (names []string) {
	all, _ := doc.Environment["nodes"].([]any)
	for _, one := range all {
		node, _ := one.(map[string]any)
		if name, _ := node["name"].(string); name != "" {
			names = append(names, finding.PlainText(name))
		}
	}
	return names
}

// Started is when a result was begun; false where that is not known. A document's Created is when it was analysed.
func Started(doc *finding.Document) (time.Time, bool) {
	text, _ := doc.Environment["started"].(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, err == nil
}

// Versions are a table of texts as "name version", in the order of the names.
func Versions(of any) []string {
	table, _ := of.(map[string]any)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		text, is := table[name].(string)
		if !is {
			continue
		}
		if !strings.HasPrefix(text, name) {
			text = name + " " + text
		}
		out = append(out, finding.PlainText(text))
	}
	return out
}

// PackagesOf are the versions of the packages of a tracer or a workload, where they are known.
func PackagesOf(doc *finding.Document, name string) []string {
	all, _ := doc.Environment["packages"].(map[string]any)
	return Versions(all[name])
}
