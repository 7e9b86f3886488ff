// The parts of the page that show no findings: the ledger and the machine.

package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// ledgerRow is one ledger of the page.
type ledgerRow struct {
	Operation, Variant, Hop, Operations string
	Entries                             []ledgerCell
	Exact, Lost                         bool
	Verdict                             string
}

type ledgerCell struct{ Name, Spans, How string }

func ledgerRows(doc *finding.Document) []ledgerRow {
	var rows []ledgerRow
	for _, l := range doc.Ledgers {
		row := ledgerRow{
			Operation: operationLabel(l.Operation), Variant: l.Variant, Hop: l.Hop,
			Operations: strconv.FormatUint(l.Operations, 10), Exact: l.Exact, Lost: l.LostShare > 0, Verdict: l.Verdict,
		}
		if l.Operations < 1<<62 {
			row.Operations = finding.FormatCount(int64(l.Operations))
		}
		for _, e := range l.Entries {
			if e.Spans != 0 || e.High != 0 || e.Name == ledger.Expected || e.Name == ledger.Delivered {
				row.Entries = append(row.Entries, ledgerCell{e.Text, spansText(e), e.How})
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// fact is one line about the machine.
type fact struct{ Name, Value string }

// facts flattens the environment into lines with names like "cgroup version".
func facts(environment map[string]any) []fact {
	var all []fact
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(name+" "+k, v[k])
			}
		case string:
			all = append(all, fact{name, finding.PlainText(v)})
		case nil:
			all = append(all, fact{name, finding.Missing})
		default:
			text, err := json.Marshal(v)
			if err != nil {
				text = fmt.Append(nil, v)
			}
			all = append(all, fact{name, string(text)})
		}
	}
	for _, k := range slices.Sorted(maps.Keys(environment)) {
		walk(k, environment[k])
	}
	return all
}
