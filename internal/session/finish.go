package session

// This file makes findings of records.

import (
	"errors"
	"io"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
)

// Finish turns the records into findings, and writes every form of them. With findings, an
// error says that not all forms could be written.
func (s *Session) Finish(history []record.Record) (*finding.Document, error) {
	in, err := s.input(history)
	if err != nil {
		return nil, err
	}
	doc, err := analysis.Analyse(in)
	if err != nil {
		return nil, err
	}
	return doc, errors.Join(
		s.folder.Write(record.FindingsFile, func(w io.Writer) error { return report.JSON(w, doc) }),
		s.folder.Write(record.ReportFile, func(w io.Writer) error { return report.HTML(w, doc) }),
		s.folder.Write(record.BenchfmtFile, func(w io.Writer) error { return report.Benchfmt(w, doc) }),
	)
}

// precise says whether the blocks so far are enough.
func (s *Session) precise(history []record.Record) (bool, error) {
	in, err := s.input(history)
	if err != nil {
		return false, err
	}
	enough, _, err := analysis.Precise(in)
	return enough, err
}

// spoiled counts the planned blocks that are to be made again.
func (s *Session) spoiled(history []record.Record) (int, error) {
	in, err := s.input(history)
	if err != nil {
		return 0, err
	}
	return analysis.Spoiled(in)
}

// input is what the analysis is given of the records.
func (s *Session) input(history []record.Record) (analysis.Input, error) {
	plans := map[string]*config.Plan{}
	for _, cell := range s.loop.Cells {
		plans[cell.Variant.Name] = cell.Plan
	}
	facts, err := s.environment.facts()
	return analysis.Input{
		Experiment: s.experiment, Plans: plans, Environment: facts, Records: history, LeftOut: s.environment.LeftOut, Shadowed: s.environment.Shadowed,
		Results: s.dir, Tool: s.options.Tool, Now: time.Now(),
	}, err
}
