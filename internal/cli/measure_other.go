//go:build !linux

package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
)

// measuring are the commands that need Linux, and say so. Of explain there is what shows a result's causes.
var measuring = []func(console.Streams) *cobra.Command{
	onLinux("quickstart"), onLinux("run"), newExplain, onLinux("decide"), onLinux("doctor"), onLinux("selfcheck"), onLinux("sink"),
	onLinux("drain"), onLinux("load"), onLinux("fetch"), onLinux("init"), onLinux("validate"), onLinux("list"), onLinux("show"),
}

func onLinux(name string) func(console.Streams) *cobra.Command {
	return func(console.Streams) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: "(on Linux)", DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return needsLinux(name) },
		}
	}
}

func needsLinux(name string) error {
	return fmt.Errorf("measuring needs Linux, and so does 'tracetax %s'; here, on %s, results are read and compared", name, runtime.GOOS)
}

func newExplain(s console.Streams) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use: "explain RESULTS", Short: "Show the causes of a result (to find them needs Linux)", Args: console.UsageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if !isFolder(args[0]) {
				return needsLinux("explain EXPERIMENT")
			}
			return showCauses(s, args[0], json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print the findings as JSON")
	return c
}
