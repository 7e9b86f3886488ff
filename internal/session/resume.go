package session

// This file goes on with a result.

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
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
	if err := before.stillAsks(kept, s.dir); err != nil {
		return err
	}
	if !bytes.Equal(kept, text) {
		return &AskedError{fmt.Errorf("%s holds another experiment than the one given: go on with 'tracetax run --resume %s' alone, or "+startAgain, s.dir, s.dir)}
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
	case before.CPUModel != now.CPUModel || before.CPUs != now.CPUs || before.Kernel != now.Kernel:
		other = fmt.Sprintf("on another machine: %s, %d CPUs, kernel %s; this is %s, %d CPUs, kernel %s",
			before.CPUModel, before.CPUs, before.Kernel, now.CPUModel, now.CPUs, now.Kernel)
	case before.Tool != now.Tool:
		other = fmt.Sprintf("by tracetax %s; this is %s", before.Tool, now.Tool)
	case !maps.Equal(before.Files, now.Files):
		return fmt.Errorf("%s was begun with other request data: %s; put back what was there, or "+startAgain, s.dir, changedFiles(before.Files, now.Files))
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
	for _, cell := range s.loop.Cells {
		programs, err := prepare.Programs(cell.Plan, cell.Folders.Source)
		if err != nil {
			return fmt.Errorf("variant %s: %w", cell.Variant.Name, err)
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
