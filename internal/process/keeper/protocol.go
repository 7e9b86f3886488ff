package keeper

// The words between tracetax and a keeper: JSON lines on two pipes, one each
// way. The end of the order pipe means that tracetax is no more.

import "syscall"

// The keeper's files besides the program's stdin, stdout and stderr.
const (
	orderFile  = 3
	reportFile = 4
	heldFile   = 5 // the first of those that it only holds
)

// Assignment is the first line that a keeper gets: what to start, and where.
type Assignment struct {
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
	DoSignal = "signal" // the main process, with Signal
	DoOrphan = "orphan" // Signal to everything but the main process
	DoKill   = "kill"   // everything
	DoReaped = "reaped" // report Usage
)

// Order is a line from tracetax.
type Order struct {
	Do     string         `json:"do"`
	Signal syscall.Signal `json:"signal,omitempty"`
	ID     uint64         `json:"id,omitempty"`
}

// What a keeper reports.
const (
	HasStarted = "started" // PID, At
	HasFailed  = "failed"  // Error
	HasExited  = "exited"  // the main process: Status, Usage, Left
	HasReaped  = "reaped"  // ID, Usage: of all that was waited for until now
	IsGone     = "gone"    // no descendant is left: Usage of all of them, Own of the keeper
)

// Report is a line from the keeper.
type Report struct {
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
