package record

// Cause is why no span of a program came, as far as one of its logs tells.
type Cause string

// The causes that a log can tell.
const (
	TracerFailed Cause = "tracer-failed" // the tracer, or something that it needs, could not be loaded
	ExportFailed Cause = "export-failed" // what was to be sent was not taken
)

// Signs are what can be seen of a tracer from outside. They are kept of runs in which no
// span came, so that it can be told why.
type Signs struct {
	Connections uint64         `json:"connections"`         // that the sink's receivers accepted; datagrams have none
	Processes   []ProcessSigns `json:"processes,omitempty"` // one a traced process
}

// Elsewhere is what can be seen from outside of spans that a process of the workload sent, or tried to send, elsewhere than
// to the sink.
type Elsewhere struct {
	Process string   `json:"process"`       // name of the process; "" where it is one of several
	To      []string `json:"to,omitempty"`  // where it was connected to: addresses at ports of known receivers, none of this run's own
	Log     *LogSign `json:"log,omitempty"` // lines of its log that tell of a failed export; looked for where nothing is to come to the sink
}

// ProcessSigns are those of one traced process with its descendants, at the end of the
// last operation.
type ProcessSigns struct {
	Process  string    `json:"process"`            // name of the process
	Programs []string  `json:"programs,omitempty"` // base names of the programs that ran, one a process of the system
	Lacking  int       `json:"lacking,omitempty"`  // how many of them started without the variables that say where the sink is
	Loaded   int       `json:"loaded,omitempty"`   // how many have a file of the tracer open, or mapped; a tracer without native code need not show
	Log      []LogSign `json:"log,omitempty"`      // what its log tells
}

// LogSign is a cause that the log of a process tells.
type LogSign struct {
	Cause Cause  `json:"cause"` // what they tell
	Lines uint64 `json:"lines"` // that tell it
	Last  string `json:"last"`  // the last of them, cut at 300 bytes
}
