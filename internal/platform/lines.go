package platform

import "fmt"

// The words between the platform and the process whose children the environments are: JSON objects, one a line, over a
// connection that the latter makes. Its end ends all environments.

// What the platform orders.
const (
	orderStart  = "start"  // Function, API
	orderFreeze = "freeze" // stop it, until
	orderThaw   = "thaw"   // … it goes on
	orderEnd    = "end"
)

// order is a line of the platform.
type order struct {
	Do       string   `json:"do"`
	ID       string   `json:"id"` // of the environment: its function's name and a number
	Function Function `json:"function,omitzero"`
	API      string   `json:"api,omitempty"` // where its Runtime API is: host:port
}

// What the other side tells.
const (
	toldStarted = "started" // PID, At
	toldEnded   = "ended"   // End
)

// report is a line of it.
type report struct {
	What string `json:"what"`
	ID   string `json:"id"`
	PID  int    `json:"pid,omitempty"`
	At   int64  `json:"at,omitempty"` // ns of the monotonic clock, just before the fork
	End  Ended  `json:"end,omitzero"`
}

// Ended says how an environment's process came to its end, or that it could not be started.
type Ended struct {
	Status      string `json:"status"`
	OutOfMemory bool   `json:"outOfMemory,omitempty"`
}

// environmentID names an environment of a function.
func environmentID(function string, number int) string { return fmt.Sprintf("%s-%d", function, number) }
