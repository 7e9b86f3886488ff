// This file says what each of the results that are compared is, and what it is called.

package compare

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

func side(name string, doc *finding.Document) finding.Side {
	return finding.Side{
		Name: name, Results: doc.Results, Tool: doc.Tool, Created: doc.Created,
		Workload: doc.Experiment.Workload, Load: doc.Experiment.Load, Blocks: doc.Runs.Blocks,
	}
}

// sideNames are what the results are called: the last parts of their paths, as
// many as tell them apart; numbered where nothing does.
func sideNames(docs []*finding.Document) []string {
	names := make([]string, len(docs))
	for depth := 1; depth <= 8; depth++ {
		seen := map[string]bool{}
		for i, doc := range docs {
			names[i] = lastParts(doc.Results, depth)
			seen[names[i]] = true
		}
		if len(seen) == len(docs) {
			return names
		}
	}
	for i := range names {
		names[i] = fmt.Sprintf("%s (%d)", lastParts(docs[i].Results, 1), i+1)
	}
	return names
}

func lastParts(path string, n int) string {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}
