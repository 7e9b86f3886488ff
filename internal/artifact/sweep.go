// What a tracetax that died left half made.

package artifact

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// partName stands between the name of a folder that is being made and a number.
const partName = ".part-"

// Sweep removes what those who died left half made: folders of the store, and those
// for temporary files. What a living tracetax is making stays. The error says what
// could not be removed; it is in nobody's way.
func (s *Store) Sweep() error {
	shelves, err := os.ReadDir(s.dir)
	errs := []error{err}
	for _, shelf := range shelves {
		if !shelf.IsDir() {
			continue
		}
		parts, err := partsIn(filepath.Join(s.dir, shelf.Name()), "")
		errs = append(errs, err)
		for _, part := range parts {
			final, _, _ := strings.Cut(filepath.Base(part), partName)
			errs = append(errs, sweepUnlessMade(filepath.Join(filepath.Dir(part), final)))
		}
	}
	if err := errors.Join(append(errs, sweepScratch())...); err != nil {
		return fmt.Errorf("removing what an earlier tracetax left half made: %w", err)
	}
	return nil
}

// partsIn lists the unfinished folders on a shelf: of that key, or of all with "".
func partsIn(shelf, key string) ([]string, error) {
	entries, err := os.ReadDir(shelf)
	var parts []string
	for _, entry := range entries {
		of, _, unfinished := strings.Cut(entry.Name(), partName)
		if unfinished && (key == "" || key == of) {
			parts = append(parts, filepath.Join(shelf, entry.Name()))
		}
	}
	return parts, err
}

// sweepUnlessMade removes the parts of final if nobody is making it.
func sweepUnlessMade(final string) error {
	file, err := os.OpenFile(final+lockEnding, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	free, err := tryFlock(file)
	if err == nil && free {
		err = sweepParts(final)
	}
	return errors.Join(err, file.Close())
}

// sweepParts removes all parts of final. The caller holds the lock, so nobody is at
// work there.
func sweepParts(final string) error {
	left, err := partsIn(filepath.Dir(final), filepath.Base(final))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := removeAll(dir); err != nil {
			return fmt.Errorf("removing an unfinished folder: %w", err)
		}
	}
	return nil
}
