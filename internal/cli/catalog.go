//go:build linux

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/show"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/suggest"
)

func newList(s console.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:       "list [experiments|workloads|services|tracers]",
		Short:     "List experiments, workloads, services and tracers, and whether they can run here",
		Args:      checkListArgs,
		ValidArgs: show.Kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			kinds := show.Kinds
			if len(args) == 1 {
				kinds = args
			}
			var all []show.Listed
			for _, kind := range kinds {
				some, err := show.List(kind, BuiltIn())
				if err != nil {
					return err
				}
				all = append(all, some...)
			}
			if asJSON {
				return printAny(s.Out, all)
			}
			return show.PrintList(s.Out, all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return c
}

func checkListArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return console.UsageError(fmt.Errorf("list takes one kind at most, not %d: %s", len(args), strings.Join(args, " ")))
	case len(args) == 1 && !slices.Contains(show.Kinds, args[0]):
		return console.UsageError(fmt.Errorf("list: %s ('tracetax show NAME' shows one thing)", suggest.Unknown("kind", args[0], show.Kinds)))
	}
	return nil
}

// Completion of names. An unreadable catalog completes to nothing: a shell has
// no place for an error.

type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeExperiments completes one experiment: built-in names, and files.
func completeExperiments(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names((*program.Catalog).Experiments), cobra.ShellCompDirectiveDefault
}

func completeTracers(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return names((*program.Catalog).Tracers), cobra.ShellCompDirectiveNoFileComp
}

// completeAnything completes the name of an experiment, workload, service or tracer.
func completeAnything(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all := names((*program.Catalog).Experiments, (*program.Catalog).Workloads, (*program.Catalog).Services, (*program.Catalog).Tracers)
	return all, cobra.ShellCompDirectiveDefault
}

func names(kinds ...func(*program.Catalog) ([]string, error)) []string {
	catalog := BuiltIn()
	var all []string
	for _, kind := range kinds {
		some, err := kind(catalog)
		if err != nil {
			cobra.CompErrorln(err.Error())
			continue
		}
		all = append(all, some...)
	}
	return all
}

// completeFlag attaches a completer to a flag of c. It panics where there is no
// such flag, which is a mistake in this package.
func completeFlag(c *cobra.Command, flag string, complete completer) {
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

func newShow(s console.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an experiment, workload, service or tracer in full",
		Long: `Show an experiment, a workload, a service or a tracer in full: the processes that it
starts, its operations, and its settings with their defaults and variables.`,
		Example: `  tracetax show otel-python
  tracetax show hello/go --json`,
		Args:              console.UsageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeAnything,
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := show.Find(args[0], BuiltIn())
			if err != nil {
				return FileError(err)
			}
			if asJSON {
				view, err := found.View()
				if err != nil {
					return err
				}
				return printAny(s.Out, view)
			}
			return found.Print(s.Out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
