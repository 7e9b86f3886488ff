package session

// This file makes ready what a profiled experiment needs besides, the rules by which samples are sorted and profilers.

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/profiler"
)

// readRules reads the rules of all tracers.
func (s *Session) readRules() (err error) {
	var all *profile.Rules
	s.rules, all, err = results.RulesOf(s.asked, s.options.Rules)
	for i := range s.loop.Variants {
		s.loop.Variants[i].Causes = all
	}
	return err
}

// fetchProfilers fetches the pinned profilers of the languages that are traced. What cannot be had keeps no run from being
// made: its record says why it has no profile.
func (s *Session) fetchProfilers(ctx context.Context, open func() (*artifact.Store, error)) error {
	if !s.asked.Profile.Any() || s.options.Profilers == nil {
		return nil
	}
	s.conductor.Profilers = profiler.Packages{}
	for _, pin := range profiler.Pins {
		if !slices.ContainsFunc(s.asked.Variants, func(v config.Variant) bool { return v.Tracer.Language == pin.Language }) {
			continue
		}
		var at profiler.Package
		files, err := fs.Sub(s.options.Profilers, pin.Name)
		if err != nil {
			return err
		}
		if missing := artifact.Missing(pin.Artifact.Needs()); len(missing) > 0 {
			at.Missing = errors.New(missing[0])
		} else if store, err := open(); err != nil {
			at.Missing = err
		} else {
			at.Folder, at.Missing = store.Artifact(ctx, files, pin.Artifact, s.options.Progress)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.conductor.Profilers[pin.Name] = at
	}
	return nil
}
