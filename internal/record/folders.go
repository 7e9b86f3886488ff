package record

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folders returns the results folders at dir: dir itself, or those in it where
// an experiment ran over several workloads.
func Folders(dir string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(dir, ExperimentFile)); err == nil {
		return []string{dir}, nil
	}
	inside, err := filepath.Glob(filepath.Join(dir, "*", ExperimentFile))
	if err != nil {
		return nil, fmt.Errorf("looking for results in %s: %w", dir, err)
	}
	if len(inside) == 0 {
		return nil, fmt.Errorf("%s is not a results folder: neither it nor a folder in it holds %s", dir, ExperimentFile)
	}
	for i, path := range inside {
		inside[i] = filepath.Dir(path)
	}
	return inside, nil
}
