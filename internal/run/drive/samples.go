package drive

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tracetax/tracetax/internal/record"
)

// keep writes the durations of an order that was collected to a file of the results folder,
// and names it in l. A file of a run that failed before is replaced.
func (a *ordered) keep(l *record.Load) error {
	name := a.stretch.Keep
	path := filepath.Join(a.by.Results, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keeping every duration: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keeping every duration: %w", err)
	}
	packed := gzip.NewWriter(file)
	if err := errors.Join(a.order.WriteCSV(packed), packed.Close(), file.Close()); err != nil {
		return fmt.Errorf("keeping every duration in %s: %w", name, err)
	}
	l.Driven.Samples = name
	return nil
}
