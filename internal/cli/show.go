package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/spec"
)

func newShow(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an experiment, workload, service or tracer in full",
		Long: `Shows an experiment, a workload, a service or a tracer in full: what it starts, its
operations, its settings with their defaults and the environment that they set.`,
		Example: `  tracetax show otel-python
  tracetax show hello/go --json`,
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeAnything,
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := find(args[0], builtIn())
			if err != nil {
				return fileError(err)
			}
			if asJSON {
				view, err := found.view()
				if err != nil {
					return err
				}
				return printAny(s.out, view)
			}
			return found.print(s.out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

// shown is a thing that has that name; one of the four is set.
type shown struct {
	workload    *spec.Workload
	service     *spec.Service
	tracer      *spec.Tracer
	experiments []*spec.Experiment
}

// find looks for a tracer, a workload, a service, then an experiment.
func find(name string, catalog *spec.Catalog) (shown, error) {
	var near []string
	missing := func(err error) bool {
		var unknown *spec.UnknownError
		if errors.As(err, &unknown) && unknown.Nearest != "" {
			near = append(near, fmt.Sprintf("%s %q", unknown.What, unknown.Nearest))
		}
		return errors.As(err, &unknown)
	}
	tracer, err := catalog.Tracer(name)
	if !missing(err) {
		return shown{tracer: tracer}, err
	}
	workload, err := catalog.Workload(name)
	if !missing(err) {
		return shown{workload: workload}, err
	}
	service, err := catalog.Service(name)
	if !missing(err) {
		return shown{service: service}, err
	}
	experiments, err := spec.Find(name, catalog)
	if !missing(err) {
		return shown{experiments: experiments}, err
	}
	hint := "'tracetax list' names all"
	if len(near) > 0 {
		hint = "did you mean the " + strings.Join(near, ", or the ") + "?"
	}
	return shown{}, usageError(fmt.Errorf("there is no experiment, workload, service or tracer %q; %s", name, hint))
}

func (f shown) print(w io.Writer) error {
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
