package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/show"
	"github.com/tracetax/tracetax/internal/nearest"
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
				some, err := show.List(kind, builtIn())
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
		return console.UsageError(fmt.Errorf("list: %s ('tracetax show NAME' shows one thing)", nearest.Unknown("kind", args[0], show.Kinds)))
	}
	return nil
}
