// Package cli owns the commands: their words, flags and exit status. It holds
// no logic of measurement; each command is a few calls into the packages that do.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/terminal"
	"github.com/tracetax/tracetax/internal/results"
	"golang.org/x/term"
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
	if asked := new(results.AskedError); errors.As(err, &asked) {
		complain(errOut, asked)
		return console.Usage
	}
	complain(errOut, err)
	return console.Failed
}

func newRoot(s console.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "tracetax",
		Short:         "Measure what distributed tracing costs a program, and why",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       "lazily", // the template asks when it is wanted: each process that tracetax starts of itself comes by here
	}
	cobra.AddTemplateFunc("versionLine", versionLine)
	root.SetVersionTemplate("{{versionLine}}\n")
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
	wrapFlags(root)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			strict(c)
		}
	}
	return root
}

// helpWidth is the number of columns of a help text.
const helpWidth = 100

// wrapFlags breaks the descriptions of flags at the width of a help text.
func wrapFlags(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(helpWidth) })
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".LocalFlags.FlagUsages", "wrapped .LocalFlags"))
}

// commands lists the constructors of all commands. What measures does so on Linux alone.
var commands = append(measuring, newReport, newCompare, newSchema, newImage, newVersion)

// How the commands say what went wrong.

// complain says why a command ended.
func complain(to io.Writer, err error) {
	fmt.Fprintln(to, wrapped("tracetax: "+err.Error(), widthOf(to)))
}

// This file says with which exit status a result ends, and whose missing spans are why.

// statusOf is the exit status that a result calls for: its verdicts against a budget, and
// whether spans came of all that was to be traced. Of neither nothing is concluded where the
// status is 4.
func statusOf(doc *finding.Document) int {
	status := console.Fine
	if len(doc.Untraced)+len(doc.Elsewhere) > 0 {
		status = console.Inconclusive
	}
	for _, one := range doc.Findings {
		if one.Verdict.Budget == nil {
			continue
		}
		switch one.Verdict.Kind {
		case finding.Over:
			return console.OverBudget
		case finding.CannotTell, finding.Overloaded:
			status = console.Inconclusive
		}
	}
	return status
}

// tellUntraced names the variants without a span, and those whose spans went elsewhere: the reason of exit status 4.
func tellUntraced(to io.Writer, doc *finding.Document) {
	for _, e := range doc.Elsewhere {
		complain(to, fmt.Errorf("%s sent spans elsewhere than to the sink: what was measured of it is not the overhead of tracing (exit status %d): %s", e.Variant, console.Inconclusive, e.Text))
	}
	for _, v := range doc.Experiment.Variants {
		who := ""
		var operations []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name && u.Operation != "" {
				operations = append(operations, u.Operation)
			}
		}
		switch {
		case doc.IsUntraced(v.Name, ""):
			who = v.Name
		case len(operations) > 0:
			who = v.Name + " on " + strings.Join(operations, ", ")
		default:
			continue
		}
		complain(to, fmt.Errorf("no spans received of %s: what was measured of it is not the overhead of tracing (exit status %d)", who, console.Inconclusive))
	}
}

// This file breaks what is said on a terminal between words, where the terminal
// itself would break it within them.

// widthOf is how wide the terminal is that is written to; 0 where it is none.
func widthOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	return terminalWidth(file)
}

// wrapped breaks each line of a text in so many columns; 0 is no limit. A line goes
// on where it began, and one that fits is left as it is.
func wrapped(text string, width int) string {
	if width == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len([]rune(line)) <= width {
			continue
		}
		body := strings.TrimLeft(line, " ")
		lines[i] = strings.TrimSuffix(terminal.Wrap(line[:len(line)-len(body)], body, width), "\n")
	}
	return strings.Join(lines, "\n")
}

// terminalWidth is the width of a terminal, 0 for any other file.
func terminalWidth(file *os.File) int {
	if !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width < 20 {
		return 80
	}
	return width
}

// catalogVariable names folders with workloads/, tracers/ and experiments/ of
// the user's own; they win over built-in ones of the same name.
const catalogVariable = "TRACETAX_CATALOG"

// BuiltIn is the catalog of what tracetax brings along and what the user adds.
func BuiltIn() *program.Catalog {
	layers := []fs.FS{tracetax.Files}
	for _, dir := range filepath.SplitList(os.Getenv(catalogVariable)) {
		layers = append(layers, os.DirFS(dir))
	}
	return program.NewCatalog(layers...)
}

// FileError is err as the user's own mistake, if it is one: exit status 2.
func FileError(err error) error {
	if program.IsProblem(err) {
		return console.UsageError(err)
	}
	return err
}
