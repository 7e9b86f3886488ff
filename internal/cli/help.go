package cli

// This file is 'tracetax help', and what is said of a command or a flag that there is not.

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/suggest"
	"github.com/tracetax/tracetax/schemas"
)

// newHelp is cobra's help command, except that an unknown topic is a usage error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || found.HasSubCommands() && len(rest) > 0 {
				return noCommand(found, rest[0])
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			found, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(found), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// unknownCommand says which of the words is no command of root's; nil where all is well. An unknown command is the
// only error that Find has, and it has no type.
func unknownCommand(root *cobra.Command, words []string) error {
	found, rest, err := root.Find(words)
	if err == nil {
		return nil
	}
	word := slices.IndexFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") })
	if word < 0 {
		return console.UsageError(err)
	}
	return noCommand(found, rest[word])
}

// noCommand says that parent has no command of that name, and which may be meant.
func noCommand(parent *cobra.Command, name string) error {
	hint := suggest.DidYouMean(suggest.Word(name, commandNames(parent)))
	if hint == "" {
		hint = fmt.Sprintf("; see '%s --help'", parent.CommandPath())
	}
	return console.UsageError(fmt.Errorf("unknown command %q%s", name, hint))
}

// strict has a command that is only there for its own commands take none but those.
func strict(c *cobra.Command) {
	c.Args = func(c *cobra.Command, words []string) error {
		if len(words) > 0 {
			return noCommand(c, words[0])
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

func commandNames(parent *cobra.Command) []string {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// flagHint is which flag of a command was probably meant, where err is about one that there is not.
func flagHint(c *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || len(missing.GetSpecifiedName()) < 2 {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return suggest.DidYouMean(suggest.Word("--"+missing.GetSpecifiedName(), names))
}

// setKeys maps flags that a user may look for to the keys of --set that do their work.
var setKeys = map[string]string{
	"body": "workload.operations.NAME.body=@FILE", "calls": "load.calls=N", "capacity": "'load.capacity={cpu: 75%}'", "cleanup": "workload.cleanup=COMMAND",
	"connections": "load.connections=N", "depth": "load.depth=N", "event": "workload.operations.HANDLER.body=@FILE",
	"header": "workload.operations.NAME.headers.HEADER=VALUE", "language": "workload.language=LANGUAGE", "order": "design.order=ORDER",
	"patience": "workload.processes.0.patience=60s", "port": "workload.operations.NAME.request='GET http://127.0.0.1:PORT/'",
	"precision": "design.precision=2%", "prepare": "workload.prepare=COMMAND", "samples": "samples=true", "seed": "design.seed=N", "stores": "stores=echo",
	"threads": "load.threads=N", "warmup": "load.warmup=5s",
}

// setHint is which key --set gives, where err is about a flag of that name.
func setHint(err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || setKeys[missing.GetSpecifiedName()] == "" {
		return ""
	}
	return "; write --set " + setKeys[missing.GetSpecifiedName()]
}

func newVersion(s console.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.Out, versionLine())
			return err
		},
	}
}

// versionLine is the output of 'tracetax version' and 'tracetax --version'.
func versionLine() string {
	return fmt.Sprintf("tracetax %s %s %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Version is the version of this build; builds of different code have different ones.
func Version() string { return build.Version() }

// schemaFile is the name of the schema beside an experiment.
const schemaFile = "tracetax.schema.json"

func newSchema(s console.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema " + strings.Join(schemas.Names(), "|"),
		Short: "Print the JSON Schema of an experiment file, of findings.json or of runs.jsonl",
		Long: `Print the JSON Schema (draft 2020-12) of a file that this version reads or writes: an
experiment, workload, service or tracer; findings.json, or a line of runs.jsonl. It
describes each key, field and code. Editors complete and check an experiment whose
first line is
"# yaml-language-server: $schema=` + schemaFile + `", as 'tracetax init' writes it.`,
		Example: `  tracetax schema experiment > ` + schemaFile + `
  tracetax schema findings | jq '."$defs".Finding.properties'`,
		ValidArgs: schemas.Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.UsageError(fmt.Errorf("schema takes one of %s", strings.Join(schemas.Names(), ", ")))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schemas.Text(args[0])
			if err != nil {
				return console.UsageError(err)
			}
			_, err = s.Out.Write(text)
			return err
		},
	}
}
