// Finding an experiment by what the user typed.
package spec

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
		text, err := os.ReadFile(pathOrName)
		if errors.Is(err, os.ErrNotExist) {
			return nil, Problems{{File: pathOrName, Text: "there is no such file; 'tracetax init " + pathOrName + "' writes one to start from"}}
		}
		if err != nil {
			return nil, fmt.Errorf("reading the experiment: %w", err)
		}
		return ParseExperiment(pathOrName, filepath.Dir(pathOrName), text, catalog)
	}
	es, err := catalog.Experiment(pathOrName)
	var unknown *UnknownError
	if errors.As(err, &unknown) && unknown.What == "experiment" {
		return nil, fmt.Errorf("%w (and there is no file of that name)", err)
	}
	return es, err
}

func looksLikePath(s string) bool {
	ext := filepath.Ext(s)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(s, filepath.Separator)
}
