package keeper

// The words between tracetax and a keeper, over package lines on two pipes, one each
// way. The end of the order pipe means that tracetax is no more.

import "syscall"

// The keeper's files besides the program's stdin, stdout and stderr.
const (
	orderFile  = 3
	reportFile = 4
	heldFile   = 5 // the first of those that it only holds
)

// Assignment is what a keeper is to start, and where.
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
	DoStart  = "start"  // what Start says; the first order, answered with PID and At
	DoSignal = "signal" // the main process, with Signal
	DoOrphan = "orphan" // Signal to everything but the main process
	DoKill   = "kill"   // everything
	DoReaped = "reaped" // answered with the Usage of all that was waited for until now
)

// Order is what tracetax orders.
type Order struct {
	Do     string         `json:"do"`
	Start  *Assignment    `json:"start,omitempty"`
	Signal syscall.Signal `json:"signal,omitempty"`
}

// What a keeper reports without being asked.
const (
	HasExited = "exited" // the main process: Status, Usage, Left
	IsGone    = "gone"   // no descendant is left: Usage of all of them, Own of the keeper
)

// Report is an answer of the keeper, or what it reports.
type Report struct {
	What   string             `json:"what,omitempty"` // "" in an answer
	PID    int                `json:"pid,omitempty"`
	At     int64              `json:"at,omitempty"` // ns of the monotonic clock, just before the fork
	Status syscall.WaitStatus `json:"status,omitempty"`
	Left   int                `json:"left,omitempty"`
	Usage  *syscall.Rusage    `json:"usage,omitempty"`
	Own    *syscall.Rusage    `json:"own,omitempty"`
}
