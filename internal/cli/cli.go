// Package cli owns the commands: their words, flags and exit status. It holds
// no logic of measurement; each command is a few calls into the packages that do.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/session"
)

// streams are the three files of a command.
type streams struct {
	in  io.Reader
	out io.Writer // results
	err io.Writer // progress and errors
}

// Main runs the command line args (without the program's name) and returns the
// exit status. It ends early, with its children stopped, on SIGINT and SIGTERM.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := newRoot(streams{in, out, errOut})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitFine
	}
	var status *statusError
	if errors.As(err, &status) {
		if status.err != nil {
			complain(errOut, status.err)
		}
		return status.code
	}
	if asked := new(session.AskedError); errors.As(err, &asked) {
		complain(errOut, asked)
		return exitUsage
	}
	complain(errOut, err)
	if strings.HasPrefix(err.Error(), "unknown command") { // cobra gives it no type
		return exitUsage
	}
	return exitFailed
}

// complain says why a command ended.
func complain(to io.Writer, err error) {
	fmt.Fprintln(to, wrapped("tracetax: "+err.Error(), widthOf(to)))
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "tracetax",
		Short:         "Tells what distributed tracing costs a program, and why",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError(fmt.Errorf("%w (see '%s --help')", err, c.CommandPath()))
	})
	for _, add := range commands {
		root.AddCommand(add(s))
	}
	return root
}

// commands lists the constructors of all commands, one a file.
var commands = []func(streams) *cobra.Command{
	newQuickstart,
	newRun,
	newDoctor,
	newSelfcheck,
	newVersion,
	newSink,
	newAgent,
	newLoad,
	newReport,
	newCompare,
	newStudy,
	newFetch,
	newInit,
	newValidate,
	newList,
	newShow,
}
