package cli

// Old words on the command line: they work, and what to write instead is told on standard error.

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/renamed"
)

// toldOld are the hints that were given: each is given once.
var toldOld sync.Map

func tellOld(to io.Writer, hint string) {
	if _, again := toldOld.LoadOrStore(hint, true); !again {
		fmt.Fprintln(to, "tracetax: "+hint)
	}
}

// renewArgs are the arguments with the command's present name, also behind help.
func renewArgs(args []string, to io.Writer) []string {
	at := 0
	if len(args) > 1 && args[0] == "help" {
		at = 1
	}
	if at >= len(args) {
		return args
	}
	now, was := renamed.Now(renamed.Command, args[at])
	if !was {
		return args
	}
	tellOld(to, renamed.Hint(renamed.Command, args[at], now))
	return append(append(slices.Clone(args[:at]), now), args[at+1:]...)
}

// renewFlags has all commands below root take old names of flags.
func renewFlags(root *cobra.Command, to io.Writer) {
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		now, was := renamed.Now(renamed.Flag, name)
		if !was {
			return pflag.NormalizedName(name)
		}
		tellOld(to, renamed.Hint(renamed.Flag, name, now))
		return pflag.NormalizedName(now)
	})
}
