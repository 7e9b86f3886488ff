package cli

// This file is about variables of the user's shell that belong to tracers: programs get
// none of them but those that --keep-env names.

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/shell"
)

// checkKeptEnv complains of names that no run could keep to good use, and puts them in order.
func checkKeptEnv(names []string, experiments []*config.Experiment) ([]string, error) {
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
