package session

// This file runs an experiment over one or several workloads.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Parent is the folder in which results go that were given no folder.
const Parent = "tracetax-results"

// Series is an experiment over its workloads, each in a results folder of its own.
type Series struct {
	Experiments []*config.Experiment
	Top         string   // the folder of all results; "" is a new one in Parent
	Folders     []string // those that Begun named; nil: Top itself, or a folder in it for each workload where there are several
	Resume      bool     // go on with what is there
	Options     Options
}

// Outcome is the end of one experiment of a series.
type Outcome struct {
	Experiment *config.Experiment
	Document   *finding.Document // nil where it could not run, or nothing can be concluded
	Err        error             // why there are no findings; with findings, that not all forms of them could be written
}

// Run makes the experiments one after the other, and hands on what became of each; an error of
// each ends the series. Workloads that cannot run here are passed over where there are others.
// An interrupted series keeps its results and prints how to go on.
func (s *Series) Run(ctx context.Context, each func(Outcome) error) (err error) {
	if s.Top == "" {
		if s.Top, err = NewFolder(Parent, strings.ReplaceAll(s.Experiments[0].Name, "/", "-")+"-"+time.Now().Format("20060102-150405")); err != nil {
			return err
		}
		defer os.Remove(s.Top) // fails, as it should, unless nothing came to be in it
	}
	several, folders := len(s.Experiments) > 1, s.folders()
	if several && !s.Resume {
		if err := layOut(s.Experiments, folders); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, withdraw(folders, err == nil)) }()
	}
	for i, e := range s.Experiments {
		doc, err := s.one(ctx, e, folders[i])
		if doc == nil && !(several && passedOver(ctx, err)) {
			return err
		}
		if err := each(Outcome{Experiment: e, Document: doc, Err: err}); err != nil {
			return err
		}
	}
	return nil
}

// folders are the results folders of the experiments.
func (s *Series) folders() []string {
	if len(s.Folders) > 0 {
		return s.Folders
	}
	if len(s.Experiments) == 1 {
		return []string{s.Top}
	}
	var out []string
	for _, e := range s.Experiments {
		out = append(out, filepath.Join(s.Top, strings.ReplaceAll(e.Workload.Name, "/", "-")))
	}
	return out
}

// one runs one experiment, or goes on with it, in dir, which is the top folder or in it.
func (s *Series) one(ctx context.Context, e *config.Experiment, dir string) (doc *finding.Document, err error) {
	one, err := begin(ctx, e, dir, dir != s.Top, s.Options)
	if err != nil {
		return nil, err
	}
	open := one.Create
	if s.Resume && (hasRuns(dir) || dir == s.Top) {
		open = one.Resume
	}
	if err := open(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, one.Close()) }()
	results.CutOff(one.folder, s.Options.Listener.CutOff)
	history, err := one.Run(ctx)
	if err != nil {
		return nil, one.interrupted(s.Top, history, err)
	}
	doc, err = one.Finish(history)
	if doc != nil && err != nil {
		err = fmt.Errorf("%w\nthe runs are kept; make room, then: tracetax report %s --reanalyze", err, dir)
	}
	return doc, err
}

// interrupted makes the best of what there is, for a look, and says how to go
// on, if that is of use. The reason stays the error.
func (s *Session) interrupted(top string, history []record.Record, reason error) error {
	if len(history) == 0 {
		return reason
	}
	_, err := s.Finish(history)
	goOn := results.GoOnBy(cmp.Or(s.options.Command, "run"), top)
	next := goOn
	if final := new(experiment.FinalError); errors.As(reason, &final) {
		next = "see " + s.dir
	}
	if mistake := new(experiment.MistakeError); errors.As(reason, &mistake) {
		next = fmt.Sprintf("see %s; mend it and begin anew, or go on all the same: tracetax %s --resume %s --go-on",
			filepath.Join(s.dir, record.LogsFolder), cmp.Or(s.options.Command, "run"), top)
	}
	return errors.Join(fmt.Errorf("%w\n%s; %s", reason, kept(history), next), err)
}

// kept counts what a results folder keeps: "1 run is kept", "5 runs and 2 that failed are kept".
func kept(history []record.Record) string {
	failed := 0
	for i := range history {
		if history[i].Failed() {
			failed++
		}
	}
	good := len(history) - failed
	switch {
	case failed > 0 && good == 1:
		return fmt.Sprintf("1 run and %d that failed are kept", failed)
	case failed > 0:
		return fmt.Sprintf("%d runs and %d that failed are kept", good, failed)
	case good == 1:
		return "1 run is kept"
	}
	return fmt.Sprintf("%d runs are kept", good)
}

// passedOver says of a workload that failed whether the others are run all the
// same: it cannot run here, or its runs have shown that nothing can be concluded.
func passedOver(ctx context.Context, err error) bool {
	var unready *prepare.UnreadyError
	var final *experiment.FinalError
	var mistake *experiment.MistakeError
	return ctx.Err() == nil && (errors.As(err, &unready) || errors.As(err, &final) || errors.As(err, &mistake))
}
