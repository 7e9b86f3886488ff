package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
)

// bench is an experiment with its results folder, from opening to the report.
type bench struct {
	experiment  *spec.Experiment
	dir         string
	folder      *record.Folder
	history     []record.Record // from before, when it is gone on with
	session     *experiment.Session
	conductor   *run.Conductor
	environment environment
	progress    *progress
}

// environment is what environment.json says.
type environment struct {
	machine.Facts
	Tool     string            `json:"tool"`
	Started  time.Time         `json:"started"`
	Versions map[string]string `json:"versions,omitempty"` // of runtimes and pinned packages
}

// open makes the results folder, or opens it to go on with it.
func (f *runFlags) open(e *spec.Experiment, dir string) (*bench, error) {
	b := &bench{experiment: e, dir: dir, environment: environment{Facts: machine.Read(), Tool: Version(), Started: time.Now()}}
	text, err := e.YAML()
	if err != nil {
		return nil, err
	}
	if f.resume == "" {
		if b.folder, err = record.Create(dir); err != nil {
			return nil, err
		}
		return b, b.describe(text)
	}
	if b.folder, b.history, err = record.Open(dir); err != nil {
		return nil, err
	}
	if err := b.same(text); err != nil {
		return nil, errors.Join(err, b.folder.Close())
	}
	return b, nil
}

// describe writes what is going to be run, and where.
func (b *bench) describe(text []byte) error {
	return errors.Join(
		b.folder.Write(record.ExperimentFile, func(w io.Writer) error { _, err := w.Write(text); return err }),
		b.folder.Write(record.EnvironmentFile, func(w io.Writer) error { return encode(w, b.environment) }),
	)
}

// same checks that what is gone on with is the same experiment on the same
// machine: otherwise blocks would be mixed that can't be compared.
func (b *bench) same(text []byte) error {
	kept, err := os.ReadFile(b.folder.Path(record.ExperimentFile))
	if err != nil {
		return fmt.Errorf("going on with %s: %w", b.dir, err)
	}
	if !bytes.Equal(kept, text) {
		return fmt.Errorf("%s holds another experiment than the one given: go on with 'tracetax run --resume %s' alone, or start anew with --out", b.dir, b.dir)
	}
	content, err := os.ReadFile(b.folder.Path(record.EnvironmentFile))
	if err != nil {
		return fmt.Errorf("going on with %s: %w", b.dir, err)
	}
	var before environment
	if err := json.Unmarshal(content, &before); err != nil {
		return fmt.Errorf("going on with %s: %s: %w", b.dir, record.EnvironmentFile, err)
	}
	now := b.environment
	if before.CPUModel != now.CPUModel || before.CPUs != now.CPUs || before.Kernel != now.Kernel {
		return fmt.Errorf("%s was begun on another machine (%s, %d CPUs, kernel %s; this is %s, %d CPUs, kernel %s): start anew with --out",
			b.dir, before.CPUModel, before.CPUs, before.Kernel, now.CPUModel, now.CPUs, now.Kernel)
	}
	if before.Tool != now.Tool {
		return fmt.Errorf("%s was begun by tracetax %s, this is %s: go on with that version, or start anew with --out", b.dir, before.Tool, now.Tool)
	}
	b.environment = before
	return nil
}

// prepare makes every variant ready to run: what it needs is looked for,
// fetched and built before the first run.
func (b *bench) prepare(ctx context.Context, to io.Writer, accounting string) error {
	store, err := artifact.Open("")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the tracetax program for its agents: %w", err)
	}
	logs, err := filepath.Abs(b.folder.Path(record.LogsFolder))
	if err != nil {
		return fmt.Errorf("finding the folder for logs: %w", err)
	}
	e := b.experiment
	b.progress = newProgress(to, e)
	b.conductor = &run.Conductor{Self: []string{self}, Logs: logs, Accounting: accounting}
	b.session = &experiment.Session{
		Experiment: e,
		Runner:     b.conductor,
		Keeper:     b.folder,
		Observe:    b.progress.observe,
	}
	var missing []error
	for _, v := range e.Variants {
		cell, err := run.Prepare(ctx, store, e, v, to)
		missing = append(missing, err)
		if err == nil {
			b.session.Cells = append(b.session.Cells, experiment.Cell{
				Variant: v, Plan: cell.Plan, Calibration: cell.Calibration, Folders: cell.Folders,
			})
		}
	}
	return errors.Join(missing...)
}

// run makes the runs, with tracetax itself out of the way of the processes under
// test.
func (b *bench) run(ctx context.Context) (history []record.Record, err error) {
	release, err := b.conductor.Place(b.experiment.Workload.Processes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	defer b.progress.end()
	return b.session.Run(ctx, b.history)
}

// finish turns the records into findings, and writes every form of them.
func (b *bench) finish(history []record.Record) (*finding.Document, error) {
	plans := map[string]*spec.Plan{}
	for _, cell := range b.session.Cells {
		plans[cell.Variant.Name] = cell.Plan
	}
	facts, err := asMap(b.environment)
	if err != nil {
		return nil, err
	}
	doc, err := analysis.Analyse(analysis.Input{
		Experiment: b.experiment, Plans: plans, Environment: facts, Records: history,
		Results: b.dir, Tool: Version(), Now: time.Now(),
	})
	if err != nil {
		return nil, err
	}
	return doc, errors.Join(
		b.folder.Write(record.FindingsFile, func(w io.Writer) error { return report.JSON(w, doc) }),
		b.folder.Write(record.ReportFile, func(w io.Writer) error { return report.HTML(w, doc) }),
		b.folder.Write(record.BenchfmtFile, func(w io.Writer) error { return report.Benchfmt(w, doc) }),
	)
}

func printJSON(w io.Writer, doc *finding.Document) error { return report.JSON(w, doc) }

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// asMap is v as JSON has it.
func asMap(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the environment: %w", err)
	}
	var m map[string]any
	return m, json.Unmarshal(text, &m)
}

// printTable shows the result as a table.
func printTable(s streams, doc *finding.Document) error {
	return report.Terminal(s.out, doc, terminalOptions(s.out, false))
}
