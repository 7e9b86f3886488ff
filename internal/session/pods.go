package session

// Runs in the pods of a cluster.

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/session/cluster"
)

// fitsCluster returns an error if a variant cannot run in pods.
func (s *Session) fitsCluster() error {
	if !s.asked.Target.Kubernetes.Is() {
		return nil
	}
	var errs []error
	for _, v := range s.loop.Variants {
		errs = append(errs, afar.Unfit(run.Request{Plan: v.Plan, Folders: v.Folders, Profile: s.asked.Profile}))
	}
	return errors.Join(errs...)
}

// runInCluster makes the runs that are still to be made in pods, and leaves none.
func (s *Session) runInCluster(ctx context.Context) (history []record.Record, err error) {
	defer s.watcher.End()
	folder, err := filepath.Abs(s.dir)
	if err != nil {
		return s.history, err
	}
	plan, err := experiment.Foresee(s.experiment)
	if err != nil {
		return s.history, err
	}
	c, err := cluster.Start(ctx, cluster.Options{
		Target: s.experiment.Target.Kubernetes, Folder: folder, Longest: 2*plan.Length + time.Hour, Progress: s.options.Progress,
	})
	if err != nil {
		return s.history, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	s.loop.Runner, s.loop.CPUs = c, float64(c.CPUs())
	return s.loop.Run(ctx, s.history)
}
