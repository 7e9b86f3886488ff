package lab

// What measures does so on Linux alone.
import (
	_ "github.com/tracetax/tracetax/lab/agents"         // protocols of agents
	_ "github.com/tracetax/tracetax/lab/functions"      // a serverless platform
	_ "github.com/tracetax/tracetax/lab/graphs/sidecar" // tracetax agent sidecar
)
