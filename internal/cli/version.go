package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
)

// version is set by the release build; a build from source says its revision.
var version = "0.1.0-dev"

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

// versionLine is what 'tracetax version' and 'tracetax --version' print.
func versionLine() string {
	return fmt.Sprintf("tracetax %s %s %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Version is the version of this build, with its revision where that is known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + "+" + s.Value[:12]
		}
	}
	return version
}

// builtOf is what this build was made of, where Go noted that.
func builtOf() *artifact.Checkout {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var of artifact.Checkout
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			of.Commit = s.Value
		case "vcs.modified":
			of.Dirty = s.Value == "true"
		}
	}
	if of.Commit == "" {
		return nil
	}
	return &of
}
