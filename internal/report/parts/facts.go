// What is known of where a result was measured.

package parts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
)

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
		if text, is := table[name].(string); is {
			out = append(out, finding.PlainText(strings.TrimSpace(name+" "+text)))
		}
	}
	return out
}

// PackagesOf are the versions of the packages of a tracer or a workload, where they are known.
func PackagesOf(doc *finding.Document, name string) []string {
	all, _ := doc.Environment["packages"].(map[string]any)
	return Versions(all[name])
}
