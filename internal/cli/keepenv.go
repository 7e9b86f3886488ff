package cli

// This file is about variables of the user's shell that belong to tracers: programs get
// none of them but those that --keep-env names.

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/shell"
	"github.com/tracetax/tracetax/internal/spec"
)

// keepEnv says which variables programs get though they belong to a tracer.
func (b *bench) keepEnv(names []string) {
	b.conductor.Keep = names
	b.environment.KeptEnv = names
	_, b.environment.KeptAway = shell.Environment(os.Environ(), names)
}

// sameKeptEnv has the programs of a result that is gone on with get what the others got;
// it complains where something else is asked for now.
func (b *bench) sameKeptEnv(before environment) error {
	asked := b.environment.KeptEnv
	if len(asked) > 0 && !slices.Equal(asked, before.KeptEnv) {
		return usageError(fmt.Errorf("%s was begun with %s; go on without --keep-env, or start anew with --out", b.dir, keptEnvText(before.KeptEnv)))
	}
	for _, name := range before.KeptEnv {
		if _, set := os.LookupEnv(name); !set {
			return usageError(fmt.Errorf("%s was begun with %s, which is not set now: set it as it was then", b.dir, keptEnvText([]string{name})))
		}
	}
	b.keepEnv(before.KeptEnv)
	return nil
}

func keptEnvText(names []string) string {
	if len(names) == 0 {
		return "no --keep-env"
	}
	return "--keep-env " + strings.Join(names, " --keep-env ")
}

// checkKeptEnv complains of names that no run could keep to good use, and puts them in order.
func checkKeptEnv(names []string, experiments []*spec.Experiment) ([]string, error) {
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "= ") {
			return nil, fmt.Errorf("--keep-env takes the name of a variable, such as OTEL_RESOURCE_ATTRIBUTES, not %q", name)
		}
		if _, set := os.LookupEnv(name); !set {
			return nil, fmt.Errorf("--keep-env %s: the variable is not set, so that there is nothing to keep", name)
		}
		for _, e := range experiments {
			if err := e.CheckKept(name); err != nil {
				return nil, fmt.Errorf("--keep-env %s: %w", name, err)
			}
		}
	}
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// tellKeptAway says what of the user's shell the programs do not get.
func tellKeptAway(to io.Writer, keep []string) {
	_, away := shell.Environment(os.Environ(), keep)
	if len(away) == 0 {
		return
	}
	var names []string
	for _, a := range away {
		names = append(names, a.String())
	}
	fmt.Fprintln(to, wrapped("note: the programs do not get what would trace them all, also the baseline, from your shell: "+strings.Join(names, ", ")+
		" (--keep-env NAME keeps a variable, and env: of the experiment sets one)", widthOf(to)))
}
