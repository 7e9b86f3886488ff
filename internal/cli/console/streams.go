// Package console owns what all commands share: the three files of a command, its exit statuses, and the words that any
// command may need. It must not know what a command does.
package console

import (
	"io"

	"github.com/spf13/cobra"
)

// Streams are the three files of a command.
type Streams struct {
	In  io.Reader
	Out io.Writer // results
	Err io.Writer // progress and errors
}

// Noun is a noun in the number that n asks for.
func Noun(n int, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}

// UsageArgs marks wrong arguments as wrong usage.
func UsageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return UsageError(err)
		}
		return nil
	}
}
