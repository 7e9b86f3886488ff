package session

// This file is the results folders of an experiment over several workloads: all of
// them are there from the beginning, so that whoever goes on knows of those that an
// interruption left untouched.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// layOut writes into every folder what is going to be run there.
func layOut(experiments []*config.Experiment, folders []string) error {
	for i, e := range experiments {
		text, err := e.YAML()
		if err != nil {
			return err
		}
		if hasRuns(folders[i]) {
			continue // refused with a reason when its turn comes
		}
		if err := os.MkdirAll(folders[i], 0o755); err != nil {
			return fmt.Errorf("making the results folder: %w ("+chooseOther+")", err)
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

// NewFolder makes a folder that was not there before, with a number behind its
// name if need be.
func NewFolder(parent, name string) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("making a folder for results: %w ("+chooseOther+")", err)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(parent, name)
		if n > 1 {
			dir += "-" + strconv.Itoa(n)
		}
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("making a folder for results: %w ("+chooseOther+")", err)
		}
	}
}

// Begun are the experiments that were begun in a folder, and the results folder of each: the
// folder itself, or those in it.
func Begun(dir string, catalog *config.Catalog) (all []*config.Experiment, folders []string, err error) {
	inside, err := record.Folders(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, folder := range inside {
		found, err := config.Find(filepath.Join(folder, record.ExperimentFile), catalog)
		if err != nil {
			return nil, nil, fmt.Errorf("reading the experiment of the results folder: %w", err)
		}
		all, folders = append(all, found...), append(folders, folder)
	}
	return all, folders, nil
}
