package cli

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/agent"
	"github.com/tracetax/tracetax/internal/cli/alone"
	"github.com/tracetax/tracetax/internal/cli/console"
)

// measuring are the commands that run programs, or say what of it this machine can.
var measuring = []func(console.Streams) *cobra.Command{
	newQuickstart,
	newRun,
	newExplain,
	newDoctor,
	newSelfcheck,
	alone.NewSink,
	agent.New,
	alone.NewLoad,
	newFetch,
	newInit,
	newValidate,
	newList,
	newShow,
}
