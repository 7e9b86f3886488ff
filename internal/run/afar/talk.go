// Package afar owns runs that are made on another machine: the talk with the conductor there, which takes requests and gives records,
// files and orders for pods, and the pods as a target of that conductor. One side has the experiment and the rights to make pods
// (Client), the other one the sink, the load and the readings (Serve). It must not know how pods are made, nor blocks and reports.
package afar

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

// Order is what the side of the experiment says. One field is set.
type Order struct {
	Setup  *Setup        `json:"setup,omitempty"`  // first; answered by Host
	Block  []run.Request `json:"block,omitempty"`  // runs to make together, or one by itself; answered by Records
	Pod    *State        `json:"pod,omitempty"`    // of a pod that was asked for; not answered
	Output *Output       `json:"output,omitempty"` // of a pod; not answered
	Piece  *Piece        `json:"piece,omitempty"`  // of a folder that pods read; the last one is answered
	Beat   bool          `json:"beat,omitempty"`   // the side is alive; not answered
}

// Said is what the side of the conductor says: answers, and events between them. One field is set.
type Said struct {
	Host    *Host           `json:"host,omitempty"`
	Records []record.Record `json:"records,omitempty"` // in the order of their requests
	Make    *Pod            `json:"make,omitempty"`    // event: a pod to make
	End     *End            `json:"end,omitempty"`     // event: a pod to end
	File    *File           `json:"file,omitempty"`    // event: what a run left in the results folder
}

// Setup is what a conductor has to know before its first run.
type Setup struct {
	Build string `json:"build"` // of the tracetax on this side: both have to be one build
	Meter string `json:"meter"` // HOST:PORT of the node's meter, or :PORT of the meter that each pod has beside its program
	Token string `json:"token"` // by which it knows the conductor
	Node  string `json:"node"`

	Generators []Generator `json:"generators,omitempty"` // that share the load, and know the conductor by the same token; none: one in its own pod
}

// Generator is a load generator in a pod of its own.
type Generator struct {
	Pod     string `json:"pod"`
	Node    string `json:"node"`
	Address string `json:"address"` // HOST:PORT
}

// Host is where a conductor runs.
type Host struct {
	Build         string `json:"build"`
	machine.Facts        // of its node
}

// Pod is a program that is to run in a pod.
type Pod struct {
	ID     uint64    `json:"id"` // unique in the conductor's life
	Run    string    `json:"run"`
	Name   string    `json:"name"` // of the process
	Role   role.Role `json:"role"`
	Image  string    `json:"image"`
	Args   []string  `json:"args"` // the whole command, or what stands behind the image's own
	Own    bool      `json:"own"`  // Args stand behind the image's own command
	Env    []string  `json:"env"`  // NAME=value
	Dir    string    `json:"dir,omitempty"`
	CPUs   float64   `json:"cpus,omitempty"`   // 0: no limit
	Memory int64     `json:"memory,omitempty"` // bytes; 0: no limit

	config.InPods // see config.Plan

	Fetch *Fetch   `json:"fetch,omitempty"` // a folder that it reads
	Empty []string `json:"empty,omitempty"` // folders that it may write into

	Deployment string `json:"deployment,omitempty"` // from whose template it is made; Image is then "" for the template's own
	Container  string `json:"container,omitempty"`  // of that template; "": the first one
}

// End ends a pod: its program gets SIGTERM, and SIGKILL after a time.
type End struct {
	ID    uint64        `json:"id"`
	Grace time.Duration `json:"grace"`
}

// State is what has become of a pod. Failed, Runs and Ended each come once at most.
type State struct {
	ID     uint64   `json:"id"`
	Failed string   `json:"failed,omitempty"` // why it cannot be made or does not begin, in the cluster's words and with what to change
	Runs   *Runs    `json:"runs,omitempty"`
	Ended  *Ended   `json:"ended,omitempty"` // its program has ended, and all its output has come
	Unmet  []string `json:"unmet,omitempty"` // with Runs: demands that the cluster does not meet, in words
}

// Runs is a pod whose program has begun.
type Runs struct {
	IP        string `json:"ip"`
	Container string `json:"container"` // ID of the program's container

	Beside []Sidecar `json:"beside,omitempty"` // the others of its template
}

// Sidecar is a container of a template beside the program.
type Sidecar struct {
	Name      string `json:"name"`
	Container string `json:"container"` // ID
}

// Ended is the end of a pod's program.
type Ended struct {
	Code        int    `json:"code"`
	OutOfMemory bool   `json:"out_of_memory,omitempty"`
	Why         string `json:"why,omitempty"` // what ended it from outside, in words, such as an eviction
}

// Output is a piece of what a pod's program wrote.
type Output struct {
	ID   uint64 `json:"id"`
	Text []byte `json:"text"`
}

// File is a piece of a file that a run left, in order.
type File struct {
	Path  string `json:"path"` // within the results folder, with slashes
	Text  []byte `json:"text"`
	First bool   `json:"first,omitempty"` // of the file: what an earlier try left of it goes
}

// pieces bounds the bytes of a file that are in one line.
const pieces = 1 << 20

// The pace of signs of life. A conductor without any ends, and its Job with it, which takes all pods along.
const (
	beat    = 5 * time.Second
	silence = 60 * time.Second
)

// Unfit returns an error if a request cannot be made on another machine, with the reason.
func Unfit(q run.Request) error {
	p := q.Plan
	cannot := func(what, instead string) error {
		return fmt.Errorf("variant %s cannot run in pods: %s; %s", p.Variant, what, instead)
	}
	for _, one := range p.Processes {
		switch {
		case one.Service != nil:
			return cannot("process "+one.Name+" is a service, a program of this machine", "leave it out, or run here")
		case !one.InImage():
			return cannot("process "+one.Name+" has no image", "give it image:, the name of an image that the cluster can pull")
		case len(one.Templates) > 0:
			return cannot("process "+one.Name+" reads files that are filled in for each run", "put its configuration into the image or its variables")
		}
	}
	switch {
	case len(p.Processes) != 1:
		return cannot(fmt.Sprintf("it has %d processes", len(p.Processes)), "pods have one so far: measure one service")
	case len(p.Prepare)+len(p.Cleanup)+len(p.Verify) > 0:
		return cannot("it has commands around its runs (prepare, cleanup, verify), which are programs of this machine", "leave them out")
	case len(p.Files) > 0:
		return cannot("its tracer writes spans to files", "have it send them to the sink")
	case !p.Driver.Row().Generator:
		return cannot("its operations are no requests", "run it here")
	case q.Profile.Any() || q.Cold != "":
		return cannot("profilers read processes of this machine", "leave out profile:")
	case q.Captures > 0:
		return cannot("packets are captured on this machine", "leave out captures:")
	}
	for _, o := range p.Operations {
		for _, part := range o.Parts() {
			if strings.Contains(part.URL, "127.0.0.1") || strings.Contains(part.URL, "localhost") {
				return cannot(fmt.Sprintf("operation %s asks %s, which is another machine there", part.Name, part.URL), "write its path alone, and have the program listen at {port} or name its port")
			}
		}
	}
	for _, phase := range q.Phases {
		if phase.Search != nil {
			return cannot("a search for a capacity is made where the programs are", "name a rate (load: {rate: 100/s})")
		}
	}
	return nil
}

// errSilent is the cause of the end of a conductor without signs of life.
var errSilent = errors.New("nothing was heard from the side of the experiment for a minute")
