//go:build linux

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/show"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
)

func newFetch(s console.Streams) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "fetch NAME… | --all",
		Short: "Download and build what workloads, tracers and experiments need",
		Long: `Download the packages and build the programs of workloads and tracers, or of all that
an experiment (built in, or a file) measures, into the user's cache
(` + artifact.Variable + ` moves it). Experiments do this themselves; after fetch they
need no network.`,
		Example: "  tracetax fetch hello/flask otel-python\n  tracetax fetch calls-baseline shop.yaml",
		RunE: func(c *cobra.Command, names []string) error {
			if all == (len(names) > 0) {
				return console.UsageError(fmt.Errorf("name workloads, tracers or experiments, or say --all ('%s list' shows them)", c.Root().Name()))
			}
			store, err := session.OpenCache(artifact.DefaultDir(), s.Err)
			if err != nil {
				return err
			}
			f := fetcher{catalog: BuiltIn(), store: store, progress: s.Err}
			return f.fetch(c.Context(), names, s.Out)
		},
		ValidArgsFunction: completeFetch,
	}
	c.Flags().BoolVar(&all, "all", false, "fetch everything that can run on this machine")
	return c
}

func completeFetch(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, err := fetcher{catalog: BuiltIn()}.names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// fetcher makes things ready by name.
type fetcher struct {
	catalog  *program.Catalog
	store    *artifact.Store
	progress io.Writer
}

// fetch makes names ready, or everything if there are none; what cannot run on
// this machine is then passed over. All are tried before an error is returned.
func (f fetcher) fetch(ctx context.Context, names []string, out io.Writer) error {
	things, err := f.find(names)
	if err != nil {
		return err
	}
	var failed []error
	for _, thing := range things {
		if missing := artifact.Missing(thing.needs); len(missing) > 0 {
			if len(names) > 0 {
				failed = append(failed, fmt.Errorf("%s cannot run here: %s", thing.name, strings.Join(missing, "; ")))
				continue
			}
			fmt.Fprintf(f.progress, "%s: passed over: %s\n", thing.name, strings.Join(missing, "; "))
			continue
		}
		fmt.Fprintf(f.progress, "%s: fetching\n", thing.name)
		folder, err := thing.fetch(ctx)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", thing.name, err))
		case folder != "":
			fmt.Fprintf(out, "%s: ready, in %s\n", thing.name, folder)
		default:
			fmt.Fprintf(out, "%s: ready\n", thing.name)
		}
	}
	return errors.Join(failed...)
}

// thing is a workload or a tracer.
type thing struct {
	name  string
	needs []program.Need
	fetch func(context.Context) (folder string, err error) // the folder of a tracer or a service that is fetched or built
}

// scattered is for a thing that has no folder of its own.
func scattered(fetch func(context.Context) error) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) { return "", fetch(ctx) }
}

func (f fetcher) find(names []string) ([]thing, error) {
	if len(names) == 0 {
		var err error
		if names, err = f.names(); err != nil {
			return nil, err
		}
	}
	var things []thing
	for _, name := range names {
		t, err := f.thing(name)
		if err != nil {
			return nil, err
		}
		things = append(things, t)
	}
	return things, nil
}

func (f fetcher) names() ([]string, error) {
	workloads, err := f.catalog.Workloads()
	if err != nil {
		return nil, err
	}
	tracers, err := f.catalog.Tracers()
	return slices.Concat(workloads, tracers), err
}

func (f fetcher) thing(name string) (thing, error) {
	tracers, err := f.catalog.Tracers()
	if err != nil {
		return thing{}, err
	}
	if slices.Contains(tracers, name) {
		t, err := f.catalog.Tracer(name)
		if err != nil {
			return thing{}, err
		}
		return thing{name, t.Needs, func(ctx context.Context) (string, error) { return f.tracer(ctx, t) }}, nil
	}
	w, err := f.catalog.Workload(name)
	var unknown *program.UnknownError
	// Only a workload or a file has a slash in its name.
	if errors.As(err, &unknown) && unknown.Nearest != "" && strings.Contains(name, "/") && !isFile(name) {
		return thing{}, console.UsageError(fmt.Errorf("there is no workload, tracer or experiment %q; did you mean the workload %q?", name, unknown.Nearest))
	}
	if errors.As(err, &unknown) {
		return f.whole(name)
	}
	if err != nil {
		return thing{}, err
	}
	return thing{name, w.Needs, scattered(func(ctx context.Context) error { return f.workload(ctx, w) })}, nil
}

// whole is all that an experiment needs, a file's or a built-in one's. What cannot run
// here is passed over.
func (f fetcher) whole(name string) (thing, error) {
	experiments, err := config.Find(name, f.catalog)
	var unknown *program.UnknownError
	switch {
	case err == nil:
	case errors.As(err, &unknown) && unknown.What == "experiment":
		if _, err := show.Find(name, f.catalog); err != nil { // which names what is near
			return thing{}, err
		}
		if s, err := f.catalog.Service(name); err == nil && len(s.Build.Run) > 0 {
			return thing{name, s.Needs, func(ctx context.Context) (string, error) { return prepare.BuildService(ctx, f.store, s, f.progress) }}, nil
		}
		return thing{}, console.UsageError(fmt.Errorf("%s is a service without a program to build: it is made ready with the workloads that name it", name))
	default:
		return thing{}, FileError(err)
	}
	return thing{name, nil, scattered(func(ctx context.Context) error { return f.experiments(ctx, experiments) })}, nil
}

func (f fetcher) experiments(ctx context.Context, all []*config.Experiment) error {
	var failed error
	for _, e := range all {
		for _, v := range e.Variants {
			what := v.Name + " on " + e.Workload.Name
			if missing := prepare.Missing(e, v); len(missing) > 0 {
				fmt.Fprintf(f.progress, "%s: passed over: %s\n", what, strings.Join(missing, "; "))
				continue
			}
			if _, err := prepare.Variant(ctx, func() (*artifact.Store, error) { return f.store, nil }, nil, e, v, f.progress); err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", what, err))
			}
		}
	}
	return failed
}

func (f fetcher) tracer(ctx context.Context, t *program.Tracer) (string, error) {
	if t.Artifact == (program.Artifact{}) && len(t.Build.Run) == 0 {
		return "", nil
	}
	return prepare.Tracer(ctx, f.store, t, f.progress)
}

// workload makes everything ready that w needs with no tracer, and with each
// tracer that it has a build for.
func (f fetcher) workload(ctx context.Context, w *program.Workload) error {
	e := &config.Experiment{Workload: w, Operations: w.Operations}
	tracers := slices.Sorted(maps.Keys(w.Build))
	if !slices.Contains(tracers, "") {
		tracers = append(tracers, "")
	}
	for _, name := range tracers {
		if name == "" {
			name = program.NoTracer
		}
		t, err := f.catalog.Tracer(name)
		if err != nil {
			return err
		}
		v := config.Variant{Name: name, Tracer: t, Settings: defaults(t)}
		if _, err := prepare.Variant(ctx, func() (*artifact.Store, error) { return f.store, nil }, nil, e, v, f.progress); err != nil {
			return err
		}
	}
	return nil
}

func defaults(t *program.Tracer) map[string]string {
	settings := map[string]string{}
	for _, s := range t.Settings {
		settings[s.Name] = s.Default
	}
	return settings
}
