// Package show is what 'tracetax list' and 'tracetax show' print: what there is in a catalog, whether
// it can run here, and each thing in full, for people and as JSON.
package show

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/session"
)

// Shown is a thing that has that name; one of the four is set.
type Shown struct {
	workload    *config.Workload
	service     *config.Service
	tracer      *config.Tracer
	experiments []*config.Experiment
}

// Find looks for a tracer, a workload, a service, then an experiment. Where there is none of that
// name, the error is a *session.AskedError.
func Find(name string, catalog *config.Catalog) (Shown, error) {
	var near []string
	missing := func(err error) bool {
		var unknown *config.UnknownError
		if errors.As(err, &unknown) && unknown.Nearest != "" {
			near = append(near, fmt.Sprintf("%s %q", unknown.What, unknown.Nearest))
		}
		return errors.As(err, &unknown)
	}
	tracer, err := catalog.Tracer(name)
	if !missing(err) {
		return Shown{tracer: tracer}, err
	}
	workload, err := catalog.Workload(name)
	if !missing(err) {
		return Shown{workload: workload}, err
	}
	service, err := catalog.Service(name)
	if !missing(err) {
		return Shown{service: service}, err
	}
	experiments, err := config.Find(name, catalog)
	if !missing(err) {
		return Shown{experiments: experiments}, err
	}
	hint := "'tracetax list' names all"
	if len(near) > 0 {
		hint = "did you mean the " + strings.Join(near, ", or the ") + "?"
	}
	return Shown{}, &session.AskedError{Err: fmt.Errorf("there is no experiment, workload, service or tracer %q; %s", name, hint)}
}

// Print writes it line by line.
func (f Shown) Print(w io.Writer) error {
	p := &page{w: w}
	switch {
	case f.tracer != nil:
		p.tracer(f.tracer)
	case f.workload != nil:
		p.workload(f.workload)
	case f.service != nil:
		p.service(f.service)
	default:
		p.experiments(f.experiments)
	}
	return p.err
}
