// Package session owns what happens in results folders: an experiment is made ready for one,
// run in it, gone on with, and analysed; over several workloads, each has a
// folder of its own. It knows neither the command line nor an exit status nor how a result is
// printed: a Listener hears of it. Commands are named only where an error
// says what to do.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run"
)

// Options are the orders to a session beside its experiment.
type Options struct {
	Tool       string             // the version of tracetax, which the results name
	Source     *artifact.Checkout // what that was built of; nil: not known
	Accounting string             // how CPU time is charged: auto, cgroup or clock
	Named      []string           // variants that were asked for by name: none of them is left out
	GoOn       bool               // also where the first runs show a mistake
	Rules      results.Rules      // of causes; nil: none are read
	Profilers  fs.FS              // the folders of pinned profilers; nil: none are fetched
	Command    string             // which goes on with a result; "" is run
	KeepEnv    []string           // variables of the shell that programs get though they belong to a tracer
	Progress   io.Writer          // progress of fetching and building
	Listener   Listener
}

// Listener hears how a session goes.
type Listener interface {
	// LeftOut gets the variants that cannot run here, before anything runs.
	LeftOut([]Lack)
	// CutOff is called if the end of the last record is missing in the file of that path:
	// that run is not in what follows.
	CutOff(path string, bytes int64)
	// Watch is asked for who watches the runs of an experiment. With part it is one of
	// several workloads.
	Watch(e *config.Experiment, part bool) Watcher
}

// Watcher hears of the runs of an experiment.
type Watcher interface {
	Observe(experiment.Event)
	End() // no run follows
}

// Session is an experiment on its way from preparation to the findings, in one results folder.
type Session struct {
	asked       *config.Experiment // as the user has it
	experiment  *config.Experiment // without the variants that cannot run here
	dir         string             // the results folder
	folder      *record.Folder
	history     []record.Record // from before, when it is gone on with
	conductor   *run.Conductor
	loop        *experiment.Loop
	environment environment
	rules       map[string]*profile.Rules // by variant: its own tracer's
	options     Options
	watcher     Watcher
	answers     map[string]string // of images in a cluster, by what was asked where
}

// Prepare makes every variant ready to run in the results folder dir: what it needs is looked
// for, fetched and built, before anything is written there. Variants that cannot run here are
// left out, unless they are named. An error may be an *prepare.UnreadyError.
func Prepare(ctx context.Context, e *config.Experiment, dir string, o Options) (*Session, error) {
	return begin(ctx, e, dir, false, o)
}

func begin(ctx context.Context, e *config.Experiment, dir string, part bool, o Options) (*Session, error) {
	files, err := e.Digests()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the tracetax program for its agents: %w", err)
	}
	folder, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the results folder: %w", err)
	}
	s := &Session{
		asked: e, dir: dir, options: o, answers: map[string]string{},
		conductor: &run.Conductor{Self: []string{self}, Logs: filepath.Join(folder, record.LogsFolder), Results: folder, Accounting: o.Accounting},
		environment: environment{
			Facts: machine.Read(), Tool: o.Tool, Source: o.Source, Started: time.Now(),
			Runtimes: runtimesOf(ctx, e), Digests: map[string]map[string]string{}, Files: files,
		},
	}
	s.keepEnv(o.KeepEnv)
	s.loop = &experiment.Loop{Runner: s.conductor, Precise: s.precise, Spoiled: s.spoiled, GoOn: o.GoOn}
	if err := s.fitsNamespace(ctx); err != nil {
		return nil, err
	}
	cache := sync.OnceValues(func() (*artifact.Store, error) { return OpenCache("", o.Progress) })
	if err := s.makeReady(ctx, cache); err != nil {
		return nil, err
	}
	if err := s.fitsCluster(); err != nil {
		return nil, err
	}
	if err := s.readRules(); err != nil {
		return nil, err
	}
	if err := s.fetchProfilers(ctx, cache); err != nil {
		return nil, err
	}
	s.switchOff()
	if err := s.notePrograms(); err != nil {
		return nil, err
	}
	s.experiment = results.Without(e, s.environment.LeftOut)
	if s.environment.Packages, err = packagesOf(s.experiment); err != nil {
		return nil, err
	}
	if e.Workload.Files == nil { // the user's own program
		s.environment.Checkout = artifact.CheckoutOf(ctx, e.Workload.Dir)
	}
	s.watcher = o.Listener.Watch(s.experiment, part)
	s.loop.Experiment, s.loop.Observe = s.experiment, s.watcher.Observe
	return s, nil
}

// OpenCache opens the cache in dir, as artifact.Open, and removes from it what an earlier
// tracetax left half made. It reports what it cannot remove, which does no harm.
func OpenCache(dir string, to io.Writer) (*artifact.Store, error) {
	store, err := artifact.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := store.Sweep(); err != nil {
		fmt.Fprintf(to, "tracetax: %v\n", err)
	}
	return store, nil
}

// Create makes the results folder and writes what is going to be run, and where.
func (s *Session) Create() (err error) {
	text, err := s.asked.YAML()
	if err != nil {
		return err
	}
	if s.folder, err = record.Create(s.dir); err != nil {
		return err
	}
	s.loop.Keeper = s.folder
	s.environment.Asked = results.Digest(text)
	return errors.Join(
		s.writeHops(),
		s.folder.Write(record.ExperimentFile, func(w io.Writer) error { _, err := w.Write(text); return err }),
		s.folder.Write(record.EnvironmentFile, s.environment.write),
	)
}

// writeHops keeps the configurations of Collectors: the user's, the copy that the runs take, and what is different.
func (s *Session) writeHops() error {
	var errs []error
	for _, v := range s.asked.Variants {
		for _, hop := range v.Via {
			if hop.Copy == nil {
				continue
			}
			name := filepath.Join(record.HopsFolder, v.Name+"-"+hop.Name)
			for file, text := range map[string]string{".given.yaml": hop.Copy.Given, ".yaml": hop.Config, ".changes.txt": strings.Join(append(hop.Copy.Lines(), ""), "\n")} {
				errs = append(errs, s.folder.Write(name+file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
			}
		}
	}
	return errors.Join(errs...)
}

// Run makes the runs that are still to be made, with tracetax itself out of the way of the
// processes under test. It returns all records, also with an error.
func (s *Session) Run(ctx context.Context) (history []record.Record, err error) {
	if s.experiment.Target.Kubernetes.Is() {
		return s.runInCluster(ctx)
	}
	release, err := s.conductor.Place(s.experiment.Workload.Processes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	defer s.watcher.End()
	s.loop.CPUs, s.loop.Memory = s.conductor.AppCPUs(), machine.FreeMemory()
	return s.loop.Run(ctx, s.history)
}

// Close gives the results folder free.
func (s *Session) Close() error { return s.folder.Close() }

// Finish turns the records into findings, and writes every form of them. With findings, an
// error says that not all forms could be written.
func (s *Session) Finish(history []record.Record) (*finding.Document, error) {
	of, err := s.result()
	if err != nil {
		return nil, err
	}
	return of.Write(s.folder, history)
}

// precise reports whether the blocks so far are enough.
func (s *Session) precise(history []record.Record) (bool, error) {
	of, err := s.result()
	if err != nil {
		return false, err
	}
	enough, _, err := analysis.Precise(of.Input(history))
	return enough, err
}

// spoiled counts the planned blocks that are to be made again.
func (s *Session) spoiled(history []record.Record) (int, error) {
	of, err := s.result()
	if err != nil {
		return 0, err
	}
	return analysis.Spoiled(of.Input(history))
}

// result returns the input of the analysis, besides the records.
func (s *Session) result() (*results.Result, error) {
	plans := map[string]*config.Plan{}
	for _, prepared := range s.loop.Variants {
		plans[prepared.Variant.Name] = prepared.Plan
	}
	facts, err := s.environment.facts()
	return &results.Result{
		Dir: s.dir, Experiment: s.experiment, Plans: plans, Rules: s.rules, Environment: facts,
		Shadowed: s.environment.Shadowed, LeftOut: s.environment.LeftOut, Tool: s.options.Tool,
	}, err
}
