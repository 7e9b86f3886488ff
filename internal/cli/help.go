package cli

// This file is 'tracetax help', and what is said of a command or a flag that there is not.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/nearest"
)

// newHelp is the help of cobra, but for a topic that there is not: that is wrong usage.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say everything about a command",
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
	hint := nearest.DidYouMean(nearest.Word(name, commandNames(parent)))
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
	return nearest.DidYouMean(nearest.Word("--"+missing.GetSpecifiedName(), names))
}
