package session

import (
	"errors"
	"fmt"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
)

// packagesOf are the versions of the packages that a workload and the tracers of its variants name themselves.
func packagesOf(e *config.Experiment) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	add := func(name string, pinned map[string]string, err error) error {
		if err != nil {
			return fmt.Errorf("the versions of %s: %w", name, err)
		}
		for of, version := range pinned {
			if out[name] == nil {
				out[name] = map[string]string{}
			}
			out[name][of] = version
		}
		return nil
	}
	var errs []error
	if w := e.Workload; w.Files != nil {
		pinned, err := artifact.Pinned(w.Files, w.Artifact)
		errs = append(errs, add(w.Name, pinned, err))
		pinned, err = artifact.PinnedModules(w.Files)
		errs = append(errs, add(w.Name, pinned, err))
	}
	for _, v := range e.Variants {
		if v.Tracer.Files != nil {
			pinned, err := artifact.Pinned(v.Tracer.Files, v.Tracer.Artifact)
			errs = append(errs, add(v.Tracer.Name, pinned, err))
		}
	}
	return out, errors.Join(errs...)
}
