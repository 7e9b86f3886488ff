// This file has the keys of a service.

package schema

// Service is a server for several workloads, such as a database: a folder services/NAME/ with a service.yaml. One that
// receives is a hop of spans.
type Service struct {
	Run Command `json:"run" jsonschema:"required"` // its command
	Serving
	Answers Answers        `json:"answers"` // makes a backend one for to: how it is asked for its spans
	Hop     PassingService `json:"hop"`     // keys in place of these where spans pass through it (via)
}

// Serving are the keys that a service has by itself and, where spans pass through it, in place of these.
type Serving struct {
	Description Text               `json:"description"`                                                                                 // a line for 'tracetax list'
	Needs       []Need             `json:"needs"`                                                                                       // programs of the PATH that it needs
	Role        string             `json:"role" jsonschema:"enum=app,enum=sidecar,enum=collector,enum=backend,enum=database,enum=sink"` // what it is there for; default: database
	Env         Environment        `json:"env"`                                                                                         // environment variables
	Dir         Text               `json:"dir"`                                                                                         // where it starts
	Ready       Text               `json:"ready"`                                                                                       // as of a workload's process
	Patience    Duration           `json:"patience"`                                                                                    // longest time until ready; default: 30s
	CPUs        Text               `json:"cpus"`                                                                                        // how many CPUs it may use; default: no limit
	Memory      Size               `json:"memory"`                                                                                      // how much memory it may use; default: no limit
	Traced      bool               `json:"traced"`                                                                                      // whether tracer and variant apply; default: true for app
	Build       Build              `json:"build"`                                                                                       // commands that make it, run once in a copy of the folder; {build} is the service's own
	Artifact    Artifact           `json:"artifact"`                                                                                    // instead of a build: pinned packages, in {build}
	Receives    map[string]Text    `json:"receives"`                                                                                    // by protocol (of {sink.…}): where it takes spans in, host:port
	Config      Text               `json:"config"`                                                                                      // the default {config}
	Components  Components         `json:"components"`                                                                                  // of a Collector: the types that a configuration may name, which is copied with the addresses of the run
	Delay       Duration           `json:"delay"`                                                                                       // longest time that it holds a span; adds to the tracer's
	Settings    map[string]Setting `json:"settings"`                                                                                    // what its user chooses, for run, env and ready
	Metrics     Text               `json:"metrics"`                                                                                     // its page of counters, in Prometheus' text format
	Says        []Saying           `json:"says"`                                                                                        // what it says of spans
}

// Components are types of a Collector's components, by section of its configuration.
type Components struct {
	Receivers  Texts `json:"receivers"`  // those that it has
	Processors Texts `json:"processors"` // likewise
	Exporters  Texts `json:"exporters"`  // likewise
	Connectors Texts `json:"connectors"` // likewise
	Extensions Texts `json:"extensions"` // likewise
}

// PassingService is what a service is where spans pass through it.
type PassingService struct {
	Run Command `json:"run"` // its command
	Serving
}

// Answers is how a backend is asked for all its spans.
type Answers struct {
	Spans Text `json:"spans" jsonschema:"required"` // where all are asked for
	Each  Text `json:"each" jsonschema:"required"`  // the way to one of them in the JSON answer, as data.*.spans.*
	None  int  `json:"none"`                        // the status of the answer for none
}
