package session

// This file makes ready what a profiled experiment needs besides, the rules by which samples are sorted and profilers, and
// reads its profiles for the page.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/report"
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

// WritePage writes the page of a result, with the profiles that its folder holds.
func WritePage(w io.Writer, doc *finding.Document) error {
	return report.HTMLWith(w, doc, stacksOf(doc))
}

// stacksOf folds the profiles of each operation at each level. Where one cannot be read, the operation has no stacks, and
// says why: others of its profiles would stand for what they do not hold.
func stacksOf(doc *finding.Document) []report.Stacks {
	var out []report.Stacks
	for _, one := range doc.Profiles {
		at := slices.IndexFunc(out, func(s report.Stacks) bool {
			return s.Operation == one.Operation && maps.Equal(s.Parameter, one.Parameter)
		})
		if at < 0 {
			at = len(out)
			out = append(out, report.Stacks{Operation: one.Operation, Parameter: one.Parameter})
		}
		if of := &out[at]; !slices.Contains(of.Variants, one.Variant) {
			of.Variants = append(of.Variants, one.Variant)
		}
	}
	for i := range out {
		if out[i].Tree, out[i].Unseen, out[i].Failure = fold(doc, &out[i]); out[i].Failure != nil {
			out[i].Failure = fmt.Errorf("reading the profiles of %s: %w", cell.AtOf(out[i].Operation, out[i].Parameter), out[i].Failure)
		}
	}
	return out
}

// fold folds the profiles of an operation: each run has the same weight.
func fold(doc *finding.Document, of *report.Stacks) (*profile.Tree, []float64, error) {
	folder, err := os.OpenRoot(doc.Results)
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	tree, unseen := profile.NewTree(len(of.Variants)), make([]float64, len(of.Variants))
	for side, variant := range of.Variants {
		var own []finding.Profile
		blocks := map[int]bool{}
		for _, one := range doc.Profiles {
			if one.Variant == variant && one.Operation == of.Operation && maps.Equal(one.Parameter, of.Parameter) {
				own, blocks[one.Block] = append(own, one), true
			}
		}
		for _, one := range own {
			sorted, err := readSorted(folder, one.File)
			if err != nil {
				return nil, nil, err
			}
			amount := one.PerOperation / float64(len(blocks))
			if unseen[side] += amount * one.Unseen; sorted.Total > 0 {
				tree.Add(side, sorted, amount*(1-one.Unseen)/float64(sorted.Total))
			}
		}
	}
	return tree, unseen, nil
}

// readSorted reads a profile of a results folder, which may be anybody's: nothing outside of it is opened, and no pipe.
func readSorted(folder *os.Root, name string) (*profile.Sorted, error) {
	info, err := folder.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sorted, err := profile.ReadSorted(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sorted, nil
}
