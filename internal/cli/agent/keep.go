package agent

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/process/keeper"
)

// newKeep is the process that stands between tracetax and each program it
// starts, and ends the program when tracetax is no more.
func newKeep(console.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "keep",
		Short: "Start a program and leave nothing of it behind",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return keeper.Keep(c.Context())
		},
	}
}
