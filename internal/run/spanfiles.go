// Tracers that write their spans to files: these are counted when the processes have
// ended, and are taken as if they had come to the sink then.

package run

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
)

// makeSpanFolders makes the folders that files with spans are written to.
func (s *stage) makeSpanFolders() error {
	for _, format := range slices.Sorted(maps.Keys(s.request.Plan.Files)) {
		dir, err := s.spanFolder(format)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the folder for files with spans: %w", err)
		}
	}
	return nil
}

// countSpanFiles is what the processes, which have ended, have left in files.
func (s *stage) countSpanFiles() (record.Counts, error) {
	var total record.Counts
	for _, format := range slices.Sorted(maps.Keys(s.request.Plan.Files)) {
		dir, err := s.spanFolder(format)
		if err != nil {
			return total, err
		}
		counts, err := hop.CountFiles(format, dir)
		if err != nil {
			return total, err
		}
		total = total.Plus(counts)
	}
	return total, nil
}

func (s *stage) spanFolder(format string) (string, error) {
	dir, err := config.Expand(s.request.Plan.Files[format], s.values)
	if err != nil {
		return "", fmt.Errorf("the folder for files with spans (files: {%s: …}): %w", format, err)
	}
	return dir, nil
}
