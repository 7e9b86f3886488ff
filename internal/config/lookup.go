// Finding an experiment by what the user typed.

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Find reads the experiment file of that path, or else the built-in experiment
// of that name. It gives one Experiment for each workload of the file. An error
// for which IsProblem is true is the user's to mend.
func Find(pathOrName string, catalog *Catalog) ([]*Experiment, error) {
	if regular(pathOrName) || looksLikePath(pathOrName) {
		text, err := readRegular(pathOrName)
		if errors.Is(err, os.ErrNotExist) {
			return nil, Problems{{File: pathOrName, Text: "there is no such file; 'tracetax init " + pathOrName + "' writes one to start from"}}
		}
		if err != nil && IsProblem(err) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("reading the experiment: %w", err)
		}
		return ParseExperiment(pathOrName, filepath.Dir(pathOrName), text, catalog)
	}
	es, err := catalog.Experiment(pathOrName)
	var unknown *UnknownError
	if errors.As(err, &unknown) && unknown.What == "experiment" {
		for _, ext := range []string{".yaml", ".yml"} {
			if regular(pathOrName + ext) {
				unknown.Nearest = pathOrName + ext
				return nil, unknown
			}
		}
		return nil, fmt.Errorf("%w (and there is no file of that name)", err)
	}
	return es, err
}

// readRegular reads a file; to read a named pipe would wait until somebody writes.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, Problems{{File: name, Text: "this is not a regular file"}}
	}
	return os.ReadFile(name)
}

func looksLikePath(s string) bool {
	ext := filepath.Ext(s)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(s, filepath.Separator)
}
