// Package cli owns the commands: their words, flags and exit status. It holds
// no logic of measurement; each command is a few calls into the packages that do.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/agent"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/loading"
	"github.com/tracetax/tracetax/internal/cli/receiving"
	"github.com/tracetax/tracetax/internal/session"
)

// Main runs the command line args (without the program's name) and returns the
// exit status. It ends early, with its children stopped, on SIGINT, SIGTERM and SIGHUP, which comes when the terminal is
// closed; under nohup that goes on.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ends := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	root := newRoot(console.Streams{In: in, Out: out, Err: errOut})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return console.Fine
	}
	if unknown := unknownCommand(root, args); unknown != nil {
		err = unknown
	}
	var status *console.StatusError
	if errors.As(err, &status) {
		if status.Err != nil {
			complain(errOut, status.Err)
		}
		return status.Code
	}
	if asked := new(session.AskedError); errors.As(err, &asked) {
		complain(errOut, asked)
		return console.Usage
	}
	complain(errOut, err)
	return console.Failed
}

func newRoot(s console.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "tracetax",
		Short:         "Tells what distributed tracing costs a program, and why",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       versionLine(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return console.UsageError(fmt.Errorf("%w%s (see '%s --help')", err, flagHint(c, err), c.CommandPath()))
	})
	for _, add := range commands {
		root.AddCommand(add(s))
	}
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			strict(c)
		}
	}
	return root
}

// commands lists the constructors of all commands, one a file.
var commands = []func(console.Streams) *cobra.Command{
	newQuickstart,
	newRun,
	newDoctor,
	newSelfcheck,
	newVersion,
	receiving.New,
	agent.New,
	loading.New,
	newReport,
	newCompare,
	newReplicate,
	newFetch,
	newInit,
	newValidate,
	newSchema,
	newList,
	newShow,
}
