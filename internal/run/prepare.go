package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/spec"
)

// Prepared is a variant that can be run.
type Prepared struct {
	Plan        *spec.Plan
	Calibration *spec.Plan // the same with every span sampled
	Folders     Folders
	Digests     map[string]string // of what was built and fetched: build, workload, tracer; and source, the files of a built-in workload
}

// Prepare looks for what a variant needs, fetches its packages and builds its
// programs. What is there already from earlier is used again; open opens the
// cache that it is in.
func Prepare(ctx context.Context, open func() (*artifact.Store, error), e *spec.Experiment, v spec.Variant, progress io.Writer) (Prepared, error) {
	var p Prepared
	var err error
	if p.Plan, err = e.Plan(v); err != nil {
		return p, err
	}
	if p.Calibration, err = e.Plan(fullySampled(v)); err != nil {
		return p, err
	}
	w, t := e.Workload, v.Tracer
	if missing := append(artifact.Missing(w.Needs), artifact.Missing(t.Needs)...); len(missing) > 0 {
		return p, fmt.Errorf("variant %s cannot run here: %s", v.Name, strings.Join(missing, "; "))
	}
	if err := freePorts(p.Plan); err != nil {
		return p, fmt.Errorf("variant %s cannot run now: %w", v.Name, err)
	}
	p.Folders, err = fetch(ctx, open, w, t, p.Plan, progress)
	if err != nil {
		return p, fmt.Errorf("making variant %s ready: %w", v.Name, err)
	}
	p.Digests = p.Folders.digests()
	if w.Files != nil {
		p.Digests["source"] = filepath.Base(p.Folders.Source)
	}
	return p, nil
}

// digests names the folders by what they were made from: the cache calls each
// after the digest of that.
func (f Folders) digests() map[string]string {
	digests := map[string]string{}
	for name, folder := range map[string]string{"build": f.Build, "workload": f.Workload, "tracer": f.Tracer} {
		if folder != "" {
			digests[name] = filepath.Base(folder)
		}
	}
	return digests
}

func fetch(ctx context.Context, open func() (*artifact.Store, error), w *spec.Workload, t *spec.Tracer, plan *spec.Plan, progress io.Writer) (Folders, error) {
	f := Folders{Source: w.Dir}
	if w.Files == nil && w.Artifact.Python == "" && t.Artifact.Python == "" && len(plan.Build.Run) == 0 {
		return f, nil // nothing is needed from the cache, so it need not be there
	}
	store, err := open()
	if err != nil {
		return f, err
	}
	var errs [4]error
	if w.Files != nil {
		f.Source, errs[0] = store.Source(ctx, w.Files)
	}
	if w.Artifact.Python != "" {
		f.Workload, errs[1] = store.Python(ctx, w.Files, w.Artifact.Python, progress)
	}
	if t.Artifact.Python != "" {
		f.Tracer, errs[2] = store.Python(ctx, t.Files, t.Artifact.Python, progress)
	}
	if len(plan.Build.Run) > 0 {
		f.Build, errs[3] = store.Build(ctx, artifact.BuildRequest{Files: w.Files, Commands: plan.Build.Run, Env: plan.Build.Env}, progress)
	}
	return f, errors.Join(errs[:]...)
}

// fullySampled is the variant with its sampling setting, where the tracer has
// one, at 100 %.
func fullySampled(v spec.Variant) spec.Variant {
	for _, setting := range v.Tracer.Settings {
		if setting.Meaning == "sampling" {
			v.Settings = maps.Clone(v.Settings)
			v.Settings[setting.Name] = "100%"
		}
	}
	return v
}
