package process

// The words between tracetax and a keeper: JSON lines on two pipes, one each
// way. The end of the order pipe means that tracetax is no more.

import "syscall"

// The keeper's files besides the program's stdin, stdout and stderr.
const (
	orderFile  = 3
	reportFile = 4
	heldFile   = 5 // the first of those that it only holds
)

// assignment is the first line that a keeper gets: what to start, and where.
type assignment struct {
	Name   string   `json:"name"`
	Path   string   `json:"path"`
	Args   []string `json:"args"`
	Env    []string `json:"env"`
	Dir    string   `json:"dir"`
	CPUs   []int    `json:"cpus,omitempty"`   // to be set as affinity
	Join   []string `json:"join,omitempty"`   // cgroup v1: task files that the forking thread enters …
	Leave  []string `json:"leave,omitempty"`  // … and those by which it gets back
	Group  string   `json:"group,omitempty"`  // cgroup v2: directory to fork into
	Groups []string `json:"groups,omitempty"` // all its cgroup directories
	Held   int      `json:"held,omitempty"`   // how many files it holds open and the program does not get
	Remove []string `json:"remove,omitempty"` // directories to remove where tracetax can't any more
}

// What tracetax orders.
const (
	doSignal = "signal" // the main process, with Signal
	doOrphan = "orphan" // Signal to everything but the main process
	doKill   = "kill"   // everything
	doReaped = "reaped" // report Usage
)

type order struct {
	Do     string         `json:"do"`
	Signal syscall.Signal `json:"signal,omitempty"`
	ID     uint64         `json:"id,omitempty"`
}

// What a keeper reports.
const (
	hasStarted = "started" // PID, At
	hasFailed  = "failed"  // Error
	hasExited  = "exited"  // the main process: Status, Usage, Left
	hasReaped  = "reaped"  // ID, Usage: of all that was waited for until now
	isGone     = "gone"    // no descendant is left: Usage of all of them, Own of the keeper
)

type report struct {
	What   string             `json:"what"`
	PID    int                `json:"pid,omitempty"`
	At     int64              `json:"at,omitempty"` // ns of the monotonic clock, just before the fork
	Error  string             `json:"error,omitempty"`
	Status syscall.WaitStatus `json:"status,omitempty"`
	Left   int                `json:"left,omitempty"`
	ID     uint64             `json:"id,omitempty"`
	Usage  *syscall.Rusage    `json:"usage,omitempty"`
	Own    *syscall.Rusage    `json:"own,omitempty"`
}
