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
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/spec"
)

func newFetch(s streams) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "fetch NAME… | --all",
		Short: "Download and build ahead of time what workloads and tracers need",
		Long: `Downloads the packages and builds the programs of the workloads and tracers that
are named, into the user's cache (` + artifact.Variable + ` moves it). Experiments do so by
themselves; after fetch they need no network.`,
		Example: "  tracetax fetch hello/flask otel-python",
		RunE: func(c *cobra.Command, names []string) error {
			if all == (len(names) > 0) {
				return usageError(fmt.Errorf("name workloads or tracers, or say --all ('%s list' shows them)", c.Root().Name()))
			}
			store, err := artifact.Open(artifact.DefaultDir())
			if err != nil {
				return err
			}
			f := fetcher{catalog: builtIn(), store: store, progress: s.err}
			return f.fetch(c.Context(), names, s.out)
		},
		ValidArgsFunction: completeFetch,
	}
	c.Flags().BoolVar(&all, "all", false, "everything that can run on this machine")
	return c
}

func completeFetch(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, err := fetcher{catalog: builtIn()}.names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// fetcher makes things ready by name.
type fetcher struct {
	catalog  *spec.Catalog
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
		if err := thing.fetch(ctx); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", thing.name, err))
			continue
		}
		fmt.Fprintf(out, "%s: ready\n", thing.name)
	}
	return errors.Join(failed...)
}

// thing is a workload or a tracer.
type thing struct {
	name  string
	needs []spec.Need
	fetch func(context.Context) error
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
		return thing{name, t.Needs, func(ctx context.Context) error { return f.tracer(ctx, t) }}, nil
	}
	w, err := f.catalog.Workload(name)
	var unknown *spec.UnknownError
	if errors.As(err, &unknown) {
		return thing{}, usageError(fmt.Errorf("there is no workload and no tracer of that name: %w", err))
	}
	if err != nil {
		return thing{}, err
	}
	return thing{name, w.Needs, func(ctx context.Context) error { return f.workload(ctx, w) }}, nil
}

func (f fetcher) tracer(ctx context.Context, t *spec.Tracer) error {
	_, err := f.store.Artifact(ctx, t.Files, t.Artifact, f.progress)
	return err
}

// workload makes everything ready that w needs with no tracer, and with each
// tracer that it has a build for.
func (f fetcher) workload(ctx context.Context, w *spec.Workload) error {
	e := &spec.Experiment{Workload: w, Operations: w.Operations}
	tracers := slices.Sorted(maps.Keys(w.Build))
	if !slices.Contains(tracers, "") {
		tracers = append(tracers, "")
	}
	for _, name := range tracers {
		if name == "" {
			name = spec.NoTracer
		}
		t, err := f.catalog.Tracer(name)
		if err != nil {
			return err
		}
		v := spec.Variant{Name: name, Tracer: t, Settings: defaults(t)}
		if _, err := run.Prepare(ctx, func() (*artifact.Store, error) { return f.store, nil }, e, v, f.progress); err != nil {
			return err
		}
	}
	return nil
}

func defaults(t *spec.Tracer) map[string]string {
	settings := map[string]string{}
	for _, s := range t.Settings {
		settings[s.Name] = s.Default
	}
	return settings
}
