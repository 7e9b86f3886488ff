package cli

import (
	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/agent"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/draining"
	"github.com/tracetax/tracetax/internal/cli/tools"
)

// measuring are the commands that run programs, or say what of it this machine can.
var measuring = []func(console.Streams) *cobra.Command{
	newQuickstart,
	newRun,
	newExplain,
	newDecide,
	newDoctor,
	newSelfcheck,
	tools.NewSink,
	draining.New,
	agent.New,
	tools.NewLoad,
	newFetch,
	newManifests,
	newInit,
	newValidate,
	newList,
	newShow,
}
