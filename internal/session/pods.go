package session

// Runs in the pods of a cluster.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/run/prepare"
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

// fitsNamespace returns an error if the runs cannot be made in their namespace, and tells what acts there on what is measured.
func (s *Session) fitsNamespace(ctx context.Context) error {
	target := s.asked.Target.Kubernetes
	if !target.Is() {
		return nil
	}
	plans, _, err := plansOf(s.asked)
	if err != nil {
		return err
	}
	if err := cluster.Fits(ctx, target, plans); err != nil {
		return err
	}
	notes, err := cluster.Notes(ctx, target, plans)
	for _, note := range notes {
		fmt.Fprintf(s.options.Progress, "kubernetes: %s\n", note)
	}
	return err
}

// askInPods asks the images of processes in pods for their Python; nil where they are on this machine.
func (s *Session) askInPods() prepare.Asker {
	target := s.asked.Target.Kubernetes
	if !target.Is() {
		return nil
	}
	answers := s.answers
	return func(ctx context.Context, p program.Process, python string) (string, error) {
		key := p.Image + " " + p.Deployed + " " + p.Within + " " + python
		if said, known := answers[key]; known {
			return said, nil
		}
		said, err := cluster.AskPython(ctx, target, p, python)
		if err == nil {
			answers[key] = said
		}
		return said, err
	}
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
	var plans []*config.Plan
	for _, v := range s.loop.Variants {
		plans = append(plans, v.Plan)
	}
	c, err := cluster.Open(ctx, cluster.Options{
		Target: s.experiment.Target.Kubernetes, Plans: plans, Folder: folder, Longest: lasts(s.experiment, plan), Progress: s.options.Progress,
		Resumed: len(s.history) > 0,
	})
	if err != nil {
		return s.history, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := s.fillPorts(c); err != nil {
		return s.history, err
	}
	nodes := c.Nodes()
	s.environment.standsOn(nodes)
	if err := s.folder.Write(record.EnvironmentFile, s.environment.write); err != nil {
		return s.history, err
	}
	least := slices.MinFunc(nodes, func(a, b cluster.Node) int { return cmp.Compare(a.CPUs, b.CPUs) })
	s.loop.Runner, s.loop.CPUs = c, float64(least.CPUs)
	history, err = s.loop.Run(ctx, s.history)
	s.environment.ran(history)
	return history, errors.Join(err, s.folder.Write(record.EnvironmentFile, s.environment.write))
}

// fillPorts gives processes of Deployments the ports of their containers.
func (s *Session) fillPorts(c cluster.Runner) error {
	for _, v := range s.loop.Variants {
		for _, plan := range []*config.Plan{v.Plan, v.Calibration} {
			for i := range plan.Processes {
				p := &plan.Processes[i]
				if p.Deployed == "" || p.Port > 0 {
					continue
				}
				var err error
				if p.Port, err = c.Port(p.Deployed, p.Within); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Pods returns the objects that an experiment makes in a cluster, as YAML.
func Pods(ctx context.Context, e *config.Experiment) (string, error) {
	plans, longest, err := plansOf(e)
	if err != nil {
		return "", err
	}
	return cluster.Manifests(ctx, e.Target.Kubernetes, plans, longest)
}

// LookAtCluster returns in words what the cluster of an experiment lacks, or its user's rights, and what acts there on what it names; it
// makes nothing.
func LookAtCluster(ctx context.Context, e *config.Experiment) (missing, notes []string, err error) {
	plans, longest, err := plansOf(e)
	if err != nil {
		return nil, nil, err
	}
	if missing, err = cluster.Look(ctx, e.Target.Kubernetes, plans, longest); err != nil || len(missing) > 0 {
		return missing, nil, err
	}
	notes, err = cluster.Notes(ctx, e.Target.Kubernetes, plans)
	return nil, notes, err
}

func plansOf(e *config.Experiment) (plans []cluster.Planned, longest time.Duration, err error) {
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil {
			return nil, 0, err
		}
		if err := afar.Unfit(run.Request{Plan: plan, Profile: e.Profile}); err != nil {
			return nil, 0, err
		}
		plans = append(plans, cluster.Planned{Plan: plan, Fetches: prepare.HasFolder(v.Tracer, plan)})
	}
	schedule, err := experiment.Foresee(e)
	return plans, lasts(e, schedule), err
}

// lasts is for how long the objects of an experiment may be in a cluster, where one of its nodes is left too.
func lasts(e *config.Experiment, s experiment.Schedule) time.Duration {
	return 2*time.Duration(e.Target.Places())*s.Length + time.Hour
}

// ExamineCluster says what can be measured in a namespace.
func ExamineCluster(ctx context.Context, target config.Kubernetes) ([]cluster.Trait, error) {
	return cluster.Examine(ctx, target)
}

// Grants returns, as YAML, what an administrator applies once for those who run an experiment in its namespace.
func Grants(e *config.Experiment) (string, error) {
	plans, _, err := plansOf(e)
	if err != nil {
		return "", err
	}
	return cluster.Grants(e.Target.Kubernetes.Namespace, plans)
}
