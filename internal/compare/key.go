// This file says which findings of a result are compared, and what those of two results are matched by.

package compare

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// key is what findings of two results are matched by.
type key struct {
	operation, variant string
	level              cell.Level
	metric             string
	role, service      string
}

func keyOf(f *finding.Finding) key {
	return key{f.Operation, f.Variant, cell.LevelOf(f.Parameter), f.Metric, f.Role, f.Service}
}

// overBaseline are a document's findings against its baseline. Those against
// another variant follow from them.
func overBaseline(doc *finding.Document) []*finding.Finding {
	var out []*finding.Finding
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if len(doc.Experiment.Variants) > 0 && f.Against == doc.Experiment.Variants[0].Name && !f.Uncompared {
			out = append(out, f)
		}
	}
	return out
}
