package cli

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
)

func newQuickstart(s console.Streams) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "quickstart",
		Short: "What OpenTelemetry costs a small built-in service, in about a minute",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			experiments, err := f.experiments(c, []string{"quickstart"})
			if err != nil {
				return err
			}
			return f.run(c.Context(), s, experiments)
		},
	}
	f.common(c)
	return c
}
