package session

// This file makes ready what a profiled experiment needs besides: the rules by which samples are sorted, and profilers.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/run/profiler"
)

// readRules reads the rules of all tracers. The samples of each variant are sorted by all of them: what one takes for a
// tracer's, such as a client of HTTP, it takes for that in the baseline and in every other variant too, where it cancels.
func (s *Session) readRules() error {
	if !s.asked.Profile.Any() || s.options.Rules == nil {
		return nil
	}
	var tracers []string
	s.rules = map[string]*profile.Rules{}
	for _, v := range s.asked.Variants {
		if v.TracerName() == program.NoTracer && s.traced() {
			continue
		}
		own, err := s.options.Rules(v.TracerName())
		if err != nil {
			return fmt.Errorf("reading the rules of causes of variant %s: %w", v.Name, err)
		}
		if s.rules[v.Name] = own; own != nil && !slices.Contains(tracers, v.TracerName()) {
			tracers = append(tracers, v.TracerName())
		}
	}
	all, err := s.options.Rules(tracers...)
	if err != nil {
		return fmt.Errorf("reading the rules of causes: %w", err)
	}
	if all == nil {
		all = profile.Compile() // all is the program's
	}
	for i := range s.loop.Variants {
		s.loop.Variants[i].Causes = all
	}
	return nil
}

// traced reports whether any variant has a tracer.
func (s *Session) traced() bool {
	return slices.ContainsFunc(s.asked.Variants, func(v config.Variant) bool { return v.TracerName() != program.NoTracer })
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
