package cli

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/config"
)

// Completion of names. An unreadable catalog completes to nothing: a shell has
// no place for an error.

type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeExperiments completes one experiment: built-in names, and files.
func completeExperiments(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names((*config.Catalog).Experiments), cobra.ShellCompDirectiveDefault
}

func completeTracers(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return names((*config.Catalog).Tracers), cobra.ShellCompDirectiveNoFileComp
}

// completeAnything completes the name of an experiment, workload, service or tracer.
func completeAnything(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all := names((*config.Catalog).Experiments, (*config.Catalog).Workloads, (*config.Catalog).Services, (*config.Catalog).Tracers)
	return all, cobra.ShellCompDirectiveDefault
}

func names(kinds ...func(*config.Catalog) ([]string, error)) []string {
	catalog := builtIn()
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
