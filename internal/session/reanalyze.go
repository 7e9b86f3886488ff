package session

// This file analyses the records of a finished result again: by a newer tracetax, which knows
// more statistics than the one that measured.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Reanalyze makes the findings of a results folder from its records, and puts them in
// the place of those that are there. Nothing is run, fetched or built. A result that is
// not finished has findings too, of the blocks that are whole. Of the options Tool and Listener
// are needed.
func Reanalyze(dir string, catalog *config.Catalog, o Options) (doc *finding.Document, err error) {
	s, err := finished(dir, catalog, o)
	if err != nil {
		return nil, err
	}
	if s.folder, s.history, err = record.Hold(dir); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.tellCutOff()
	if len(s.history) == 0 {
		return nil, nothingIn(dir)
	}
	return s.Finish(s.history)
}

// Judge holds a finished result against another budget. Nothing is written.
func Judge(dir string, budget []config.Limit, catalog *config.Catalog, o Options) (*finding.Document, error) {
	s, err := finished(dir, catalog, o)
	if err != nil {
		return nil, err
	}
	if s.history, err = record.Read(dir); err != nil {
		return nil, err
	}
	if len(s.history) == 0 {
		return nil, nothingIn(dir)
	}
	s.experiment.Budget = budget
	if err := s.experiment.Check(); err != nil {
		return nil, &AskedError{fmt.Errorf("judging %s: %w", dir, err)}
	}
	in, err := s.input(s.history)
	if err != nil {
		return nil, err
	}
	doc, err := analysis.Analyse(in)
	if err != nil {
		return nil, err
	}
	analysis.Found(doc, dir)
	return doc, nil
}

func nothingIn(dir string) error {
	return fmt.Errorf("%s holds no run that could be analysed; %s", dir, goOn(dir))
}

// finished is the session of a results folder, before its records are read.
func finished(dir string, catalog *config.Catalog, o Options) (*Session, error) {
	if !isFile(filepath.Join(dir, record.RunsFile)) {
		return nil, &AskedError{noRecords(dir)}
	}
	e, err := readEnvironment(dir)
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w (it is written with the first run; take a whole copy of the folder, or measure again)", dir, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w", dir, err)
	}
	if err := e.stillAsks(text, dir); err != nil {
		return nil, err
	}
	asked, err := config.Find(filepath.Join(dir, record.ExperimentFile), catalog)
	if err != nil {
		return nil, fmt.Errorf("reading the experiment of %s: %w", dir, err)
	}
	if len(asked) != 1 {
		return nil, fmt.Errorf("reading the experiment of %s: it has %d workloads; a results folder has one", dir, len(asked))
	}
	s := &Session{asked: asked[0], dir: dir, loop: &experiment.Loop{}, environment: e, options: o}
	s.experiment = without(s.asked, s.environment.LeftOut)
	for _, v := range s.experiment.Variants {
		plan, err := s.experiment.Plan(v)
		if err != nil {
			return nil, fmt.Errorf("analysing %s: %w", dir, err)
		}
		s.loop.Cells = append(s.loop.Cells, experiment.Cell{Variant: v, Plan: plan})
	}
	return s, nil
}

// tellCutOff says that the end of the last record is missing, where it is: that run is not
// in what follows.
func (s *Session) tellCutOff() {
	if n := s.folder.CutOff(); n > 0 {
		s.options.Listener.CutOff(s.folder.Path(record.RunsFile), n)
	}
}
