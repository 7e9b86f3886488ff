package cli

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
)

// Register adds a command to those that this package brings. It is called before Main, by the init of the command's package.
func Register(command func(console.Streams) *cobra.Command) { commands = append(commands, command) }
