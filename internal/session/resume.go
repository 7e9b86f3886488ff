package session

// This file goes on with a result.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Resume opens the results folder to go on with it. It refuses another
// experiment, another machine, and other programs: their blocks could not be
// compared with those that are there.
func (s *Session) Resume() (err error) {
	if s.folder, s.history, err = record.Open(s.dir); err != nil {
		return err
	}
	s.loop.Keeper = s.folder
	if err := s.sameExperiment(); err != nil {
		return errors.Join(err, s.folder.Close())
	}
	if err := s.samePlace(); err != nil {
		return errors.Join(err, s.folder.Close())
	}
	return nil
}

func (s *Session) sameExperiment() error {
	text, err := s.asked.YAML()
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(s.folder.Path(record.ExperimentFile))
	if err != nil {
		return fmt.Errorf("going on with %s: %w", s.dir, err)
	}
	before, err := readEnvironment(s.dir)
	if err != nil {
		return fmt.Errorf("going on with %s: %w", s.dir, err)
	}
	if err := results.StillAsks(before.Asked, kept, s.dir); err != nil {
		return err
	}
	if !bytes.Equal(kept, text) {
		return &results.AskedError{Err: fmt.Errorf("%s holds another experiment than the one given: go on with 'tracetax run --resume %s' alone, or "+startAgain, s.dir, s.dir)}
	}
	return nil
}

func (s *Session) samePlace() error {
	before, err := readEnvironment(s.dir)
	if err != nil {
		return fmt.Errorf("going on with %s: %w", s.dir, err)
	}
	now := s.environment
	if err := sameLeftOut(before.LeftOut, now.LeftOut); err != nil {
		return fmt.Errorf("going on with %s: %w", s.dir, err)
	}
	var other string
	switch {
	case len(before.Nodes) == 0 && (before.CPUModel != now.CPUModel || before.CPUs != now.CPUs || before.Kernel != now.Kernel):
		other = fmt.Sprintf("on another machine: %s, %d CPUs, kernel %s; this is %s, %d CPUs, kernel %s",
			before.CPUModel, before.CPUs, before.Kernel, now.CPUModel, now.CPUs, now.Kernel)
	case before.Tool != now.Tool:
		other = fmt.Sprintf("by tracetax %s; this is %s", before.Tool, now.Tool)
	case !maps.Equal(before.Files, now.Files):
		return fmt.Errorf("%s was begun with other request data: %s; restore it, or "+startAgain, s.dir, changedFiles(before.Files, now.Files))
	case changedPrograms(before.Programs, now.Programs) != "":
		return fmt.Errorf("%s was begun with other programs: %s; build them as they were, or "+startAgain, s.dir, changedPrograms(before.Programs, now.Programs))
	case !maps.Equal(before.Runtimes, now.Runtimes) || !maps.EqualFunc(before.Digests, now.Digests, maps.Equal):
		other = fmt.Sprintf("with other programs: %v %v; now %v %v", before.Runtimes, before.Digests, now.Runtimes, now.Digests)
	default:
		if err := s.sameKeptEnv(before); err != nil {
			return err
		}
		s.environment = before
		return nil
	}
	return fmt.Errorf("%s was begun %s: "+startAgain, s.dir, other)
}

// notePrograms notes the user's own files that the commands of all variants run.
func (s *Session) notePrograms() error {
	s.environment.Programs = map[string]string{}
	for _, prepared := range s.loop.Variants {
		programs, err := prepare.Programs(prepared.Plan, prepared.Folders.Source)
		if err != nil {
			return fmt.Errorf("variant %s: %w", prepared.Variant.Name, err)
		}
		maps.Copy(s.environment.Programs, programs)
	}
	return nil
}

// changedPrograms names the files that commands ran and that are not what they were; "" where all are. Of what was not noted
// then nothing is said.
func changedPrograms(before, now map[string]string) string {
	noted := maps.Clone(now)
	maps.DeleteFunc(noted, func(name, _ string) bool { _, known := before[name]; return !known })
	return changedFiles(before, noted)
}

// changedFiles names the files that are not what they were.
func changedFiles(before, now map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, there := now[name]; !there {
			out = append(out, fmt.Sprintf("%s is not used any more (SHA-256 %.12s… then)", name, before[name]))
		} else if now[name] != before[name] {
			out = append(out, fmt.Sprintf("%s has changed (SHA-256 %.12s… then, %.12s… now)", name, before[name], now[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, known := before[name]; !known {
			out = append(out, "of "+name+" nothing was noted then")
		}
	}
	return strings.Join(out, ", ")
}

// This file is the results folders of an experiment over several workloads: all of
// them are there from the beginning, so whoever goes on knows of those that an
// interruption left untouched.

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
// was begun at all or the experiment has ended, so there is nothing to go on with.
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
func Begun(dir string, catalog *program.Catalog) (all []*config.Experiment, folders []string, err error) {
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
