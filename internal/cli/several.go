package cli

// This file is the results folders of an experiment over several workloads: all of
// them are there from the beginning, so that --resume knows of those that an
// interruption left untouched.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// foldersFor are the results folders of the experiments: top itself, or one in it for
// each workload.
func (f *runFlags) foldersFor(top string, experiments []*spec.Experiment) []string {
	if len(f.resumes) > 0 {
		return f.resumes
	}
	if len(experiments) == 1 {
		return []string{top}
	}
	var out []string
	for _, e := range experiments {
		out = append(out, filepath.Join(top, strings.ReplaceAll(e.Workload.Name, "/", "-")))
	}
	return out
}

// layOut writes into every folder what is going to be run there.
func layOut(experiments []*spec.Experiment, folders []string) error {
	for i, e := range experiments {
		text, err := e.YAML()
		if err != nil {
			return err
		}
		if hasRuns(folders[i]) {
			continue // refused with a reason when its turn comes
		}
		if err := os.MkdirAll(folders[i], 0o755); err != nil {
			return fmt.Errorf("making the results folder: %w (choose another with --out)", err)
		}
		if err := os.WriteFile(filepath.Join(folders[i], record.ExperimentFile), text, 0o644); err != nil {
			return fmt.Errorf("writing what is going to be run: %w", err)
		}
	}
	return nil
}

// withdraw takes away again what was laid out and not begun: all of it where nothing
// was begun at all or the experiment has ended, so that there is nothing to go on with.
func withdraw(folders []string, ended bool) error {
	for _, dir := range folders {
		if hasRuns(dir) && !ended {
			return nil
		}
	}
	var failed error
	for _, dir := range folders {
		if hasRuns(dir) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, record.ExperimentFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("tidying the results folder: %w", err))
		}
		_ = os.Remove(dir) // stays where it holds anything else, as it should
	}
	return failed
}

// hasRuns reports whether a results folder has, or is about to have, runs.
func hasRuns(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, record.RunsFile))
	return err == nil
}
