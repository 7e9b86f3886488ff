// Package console owns what all commands share: the three files of a command, its exit statuses, and the words that any
// command may need. It must not know what a command does.
package console

import (
	"io"

	"github.com/spf13/cobra"
)

// The exit statuses of every command; docs/commands.md repeats them for users.
const (
	Fine         = 0
	Failed       = 1
	Usage        = 2 // wrong usage, or a wrong file
	OverBudget   = 3
	Inconclusive = 4
)

// StatusError is an error that carries the exit status of the command. With a
// nil err the command has already said what there is to say.
type StatusError struct {
	Code int
	Err  error
}

func (e *StatusError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *StatusError) Unwrap() error { return e.Err }

// UsageError marks err as the user's: wrong usage or a wrong file.
func UsageError(err error) error { return &StatusError{Code: Usage, Err: err} }

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
