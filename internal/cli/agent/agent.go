// Package agent owns the commands that tracetax starts itself as processes of their own: hidden from people, most of
// them driven over stdin and stdout. It must not know who starts them, and what for.
package agent

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/loading"
	"github.com/tracetax/tracetax/internal/cli/receiving"
)

// New holds all of them.
func New(s console.Streams) *cobra.Command {
	agent := &cobra.Command{
		Use:    "agent",
		Short:  "Processes that tracetax starts itself",
		Hidden: true,
	}
	agent.AddCommand(receiving.NewAgent(s), receiving.NewTap(s), newKeep(s), loading.NewAgent(s), newHello(), newVerify(s), newVerifyTiers(s))
	return agent
}
