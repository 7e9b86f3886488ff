package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/shell"
	"github.com/tracetax/tracetax/internal/spec"
)

// bench is an experiment on its way from preparation to the report.
type bench struct {
	asked       *spec.Experiment // as the user has it
	experiment  *spec.Experiment // without the variants that cannot run here
	dir         string           // the results folder
	folder      *record.Folder
	history     []record.Record // from before, when it is gone on with
	conductor   *run.Conductor
	session     *experiment.Session
	environment environment
	progress    *progress
}

// environment is what environment.json says.
type environment struct {
	machine.Facts
	Tool     string                       `json:"tool"`
	Started  time.Time                    `json:"started"`
	Asked    string                       `json:"experiment,omitempty"` // SHA-256 of experiment.yaml, as it was when the first run was made
	Runtimes map[string]string            `json:"runtimes,omitempty"`   // what the commands that are needed say of their version
	Digests  map[string]map[string]string `json:"digests,omitempty"`    // by variant: of what was built and fetched for it
	Files    map[string]string            `json:"files,omitempty"`      // SHA-256 of the files that operations name: request data, protosets
	LeftOut  []finding.LeftOut            `json:"left_out,omitempty"`   // variants that cannot run here

	KeptAway []shell.Away `json:"kept_away,omitempty"` // variables of the shell that belong to tracers, which no program got
	KeptEnv  []string     `json:"kept_env,omitempty"`  // such variables that the programs got, as --keep-env asked
}

// openStore opens the cache that artefacts are in.
type openStore func() (*artifact.Store, error)

// openCache opens the cache in dir, as artifact.Open, and removes from it what an earlier
// tracetax left half made. What cannot be removed is said; it is in nobody's way.
func openCache(dir string, to io.Writer) (*artifact.Store, error) {
	store, err := artifact.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := store.Sweep(); err != nil {
		fmt.Fprintf(to, "tracetax: %v\n", err)
	}
	return store, nil
}

// newBench makes every variant ready to run: what it needs is looked for,
// fetched and built, before anything is written to the results folder. Variants
// that cannot run here are left out, unless they are named.
func newBench(ctx context.Context, e *spec.Experiment, dir, accounting string, named []string, to io.Writer) (*bench, error) {
	files, err := e.Digests()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the tracetax program for its agents: %w", err)
	}
	results, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the results folder: %w", err)
	}
	b := &bench{
		asked: e, dir: dir,
		conductor: &run.Conductor{Self: []string{self}, Logs: filepath.Join(results, record.LogsFolder), Results: results, Accounting: accounting},
		environment: environment{
			Facts: machine.Read(), Tool: Version(), Started: time.Now(),
			Runtimes: artifact.Versions(ctx, e.Needs()), Digests: map[string]map[string]string{}, Files: files,
		},
	}
	b.keepEnv(nil)
	b.session = &experiment.Session{Runner: b.conductor, Precise: b.precise}
	if err := b.makeReady(ctx, sync.OnceValues(func() (*artifact.Store, error) { return openCache("", to) }), named, to); err != nil {
		return nil, err
	}
	b.experiment = without(e, b.environment.LeftOut)
	b.progress = newProgress(to, b.experiment)
	b.session.Experiment, b.session.Observe = b.experiment, b.progress.observe
	return b, nil
}

// create makes the results folder and writes what is going to be run, and where.
func (b *bench) create() (err error) {
	text, err := b.asked.YAML()
	if err != nil {
		return err
	}
	if b.folder, err = record.Create(b.dir); err != nil {
		return err
	}
	b.session.Keeper = b.folder
	b.environment.Asked = digest(text)
	return errors.Join(
		b.folder.Write(record.ExperimentFile, func(w io.Writer) error { _, err := w.Write(text); return err }),
		b.folder.Write(record.EnvironmentFile, func(w io.Writer) error { return encode(w, b.environment) }),
	)
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
	in, err := b.input(history)
	if err != nil {
		return nil, err
	}
	doc, err := analysis.Analyse(in)
	if err != nil {
		return nil, err
	}
	return doc, errors.Join(
		b.folder.Write(record.FindingsFile, func(w io.Writer) error { return report.JSON(w, doc) }),
		b.folder.Write(record.ReportFile, func(w io.Writer) error { return report.HTML(w, doc) }),
		b.folder.Write(record.BenchfmtFile, func(w io.Writer) error { return report.Benchfmt(w, doc) }),
	)
}

// precise says whether the blocks so far are enough.
func (b *bench) precise(history []record.Record) (bool, error) {
	in, err := b.input(history)
	if err != nil {
		return false, err
	}
	enough, _, err := analysis.Precise(in)
	return enough, err
}

// input is what the analysis is given of the records.
func (b *bench) input(history []record.Record) (analysis.Input, error) {
	plans := map[string]*spec.Plan{}
	for _, cell := range b.session.Cells {
		plans[cell.Variant.Name] = cell.Plan
	}
	facts, err := asMap(b.environment)
	return analysis.Input{
		Experiment: b.experiment, Plans: plans, Environment: facts, Records: history, LeftOut: b.environment.LeftOut,
		Results: b.dir, Tool: Version(), Now: time.Now(),
	}, err
}

// print shows the result on stdout: a table, or the findings alone.
func print(s streams, doc *finding.Document, asJSON bool) error {
	if asJSON {
		return report.JSON(s.out, doc)
	}
	return report.Terminal(s.out, doc, terminalOptions(s.out, false))
}

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
