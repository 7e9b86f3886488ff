package cli

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/show"
)

func newShow(s console.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an experiment, workload, service or tracer in full",
		Long: `Shows an experiment, a workload, a service or a tracer in full: what it starts, its
operations, its settings with their defaults and the environment that they set.`,
		Example: `  tracetax show otel-python
  tracetax show hello/go --json`,
		Args:              console.UsageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: completeAnything,
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := show.Find(args[0], builtIn())
			if err != nil {
				return fileError(err)
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
