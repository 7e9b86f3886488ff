// Every single duration of a phase, kept in the results folder.
package run

import (
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

// samplesFile names the file of a phase's durations within the results folder; ""
// where they are not kept.
func (s *stage) samplesFile(request PhaseRequest) string {
	if s.request.Samples == "" {
		return ""
	}
	name := s.request.Samples + "-" + q(request.Operation.Name)
	for _, parameter := range slices.Sorted(maps.Keys(request.Parameter)) {
		name += "-" + q(parameter) + "-" + q(request.Parameter[parameter])
	}
	return path.Join(record.SamplesFolder, name+".csv.gz")
}

// keepSamples writes the durations of an order that was collected to a file of the
// results folder, and names it in l. A file of a run that failed before is replaced.
func (s *stage) keepSamples(order load.Order, name string, l *record.Load) error {
	path := filepath.Join(s.results, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keeping every duration: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keeping every duration: %w", err)
	}
	packed := gzip.NewWriter(file)
	if err := errors.Join(order.WriteCSV(packed), packed.Close(), file.Close()); err != nil {
		return fmt.Errorf("keeping every duration in %s: %w", name, err)
	}
	l.Driven.Samples = name
	return nil
}
