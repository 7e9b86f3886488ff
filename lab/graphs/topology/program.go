package topology

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Process is one process of a graph.
type Process struct {
	Name     string
	Store    bool
	Kind     string // of a real store, which has no plan
	Protocol string // how it is called
	Host     string // the address that it alone listens on and calls from, so that packets tell who calls whom
	Plan     []byte // JSON that the program of workloads/shared/node reads; {host}, {port}, {NAME.port} and so on stand for addresses
}

// roundsPerMicrosecond is how much CPU work is one µs: rounds of SHA-256 on a core of a server of the 2020s. Work is an amount:
// it does not become less where tracing takes CPU.
const roundsPerMicrosecond = 15

// The plan of a process; workloads/shared/node/plan.go says what the keys mean.
type plan struct {
	Node     string            `json:"node"`
	Protocol string            `json:"protocol"`
	Listen   string            `json:"listen"`
	Counters string            `json:"counters"`
	From     string            `json:"from"`
	Store    bool              `json:"store,omitempty"`
	Methods  map[string]method `json:"methods"`
	Peers    map[string]peer   `json:"peers,omitempty"`
}

type method struct {
	Rounds int           `json:"rounds,omitempty"`
	Wait   time.Duration `json:"wait,omitempty"`
	Answer int64         `json:"answer,omitempty"`
	Errors float64       `json:"errors,omitempty"`
	Steps  []step        `json:"steps,omitempty"`
}

type step struct {
	Node    string `json:"node,omitempty"`
	Method  string `json:"method,omitempty"`
	Request int64  `json:"request,omitempty"`
	AtOnce  []step `json:"at_once,omitempty"`
	InTurn  []step `json:"in_turn,omitempty"`
	Times   int    `json:"times"`

	Background bool `json:"background,omitempty"`
}

type peer struct {
	Protocol  string           `json:"protocol"`
	Addresses []string         `json:"addresses"`
	Store     bool             `json:"store,omitempty"`
	Answers   map[string]int64 `json:"answers,omitempty"`
}

// Processes returns the processes of a graph without problems, each behind all that it calls.
func (g *Graph) Processes() ([]Process, error) {
	hosts := map[string]string{}
	for _, n := range slices.Concat(g.Nodes, g.Stores) {
		for _, name := range n.replicas() {
			hosts[name] = fmt.Sprintf("127.1.0.%d", len(hosts)+1)
		}
	}
	var out []Process
	for _, name := range g.order() {
		n, store := g.node(name)
		p := g.planOf(n, store)
		p.From, p.Listen, p.Counters = "{host}", "{host}:{port}", "{host}:{port.counters}"
		for _, replica := range n.replicas() {
			text, err := json.MarshalIndent(p, "", " ")
			if err != nil {
				return nil, fmt.Errorf("writing the plan of node %s: %w", replica, err)
			}
			one := Process{replica, store, n.Kind, p.Protocol, hosts[replica], text}
			if n.Kind != "" {
				one.Protocol, one.Plan = "tcp", nil // as proxies call it
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// order are the names of all nodes and stores: what is called before those that call it, and otherwise as in the file.
func (g *Graph) order() []string {
	var out []string
	var add func(n *Node)
	seen := map[string]bool{}
	add = func(n *Node) {
		if seen[n.Name] {
			return
		}
		seen[n.Name] = true
		for _, name := range g.calls(n) {
			to, _ := g.node(name)
			add(to)
		}
		out = append(out, n.Name)
	}
	for _, stores := range []bool{true, false} {
		all := g.Nodes
		if stores {
			all = g.Stores
		}
		for i := range all {
			add(&all[i])
		}
	}
	return out
}

// calls are the nodes that a node calls, sorted.
func (g *Graph) calls(n *Node) []string {
	names := map[string]bool{}
	for _, m := range n.Methods {
		each(m.Steps, nil, func(s *Step, _ []string) {
			if t, ok := g.Find(s.Call); ok {
				names[t.Node.Name] = true
			}
		})
	}
	return slices.Sorted(maps.Keys(names))
}

func (g *Graph) planOf(n *Node, store bool) plan {
	p := plan{Node: n.Name, Protocol: g.protocol(n, store), Store: store, Methods: map[string]method{}, Peers: map[string]peer{}}
	for _, name := range g.called(n) {
		t, _ := g.Find(n.Name + "." + name)
		p.Methods[name] = method{
			Rounds: int(t.Does.Work.Microseconds() * roundsPerMicrosecond), Wait: t.Does.Wait, Answer: t.Does.Answer, Errors: t.Does.Errors, Steps: g.plans(t.Steps),
		}
	}
	for _, name := range g.calls(n) {
		to, store := g.node(name)
		one := peer{Protocol: g.protocol(to, store), Store: store}
		if to.Kind != "" {
			one.Answers = g.answers(n, to)
		}
		for _, replica := range to.replicas() {
			one.Addresses = append(one.Addresses, "{"+replica+".host}:{"+replica+".port}")
		}
		p.Peers[name] = one
	}
	return p
}

// answers are how many bytes a node reads from a real store, by the method that it calls.
func (g *Graph) answers(n, store *Node) map[string]int64 {
	out := map[string]int64{}
	for _, m := range n.Methods {
		each(m.Steps, nil, func(s *Step, _ []string) {
			if t, ok := g.Find(s.Call); ok && t.Node == store {
				out[t.Method] = t.Does.Answer
			}
		})
	}
	return out
}

// called are the methods of a node: those that it says, or those that are called of it.
func (g *Graph) called(n *Node) []string {
	names := map[string]bool{}
	for _, m := range n.Methods {
		names[m.Name] = true
	}
	note := func(call string) {
		if t, ok := g.Find(call); ok && t.Node == n {
			names[t.Method] = true
		}
	}
	for i := range g.Nodes {
		for _, m := range g.Nodes[i].Methods {
			each(m.Steps, nil, func(s *Step, _ []string) { note(s.Call) })
		}
	}
	for _, o := range g.Operations {
		note(o.Call)
	}
	return slices.Sorted(maps.Keys(names))
}

func (g *Graph) plans(steps []Step) []step {
	var out []step
	for _, s := range steps {
		one := step{Times: max(1, s.Times), Background: s.Background, AtOnce: g.plans(s.AtOnce), InTurn: g.plans(s.InTurn)}
		if t, ok := g.Find(s.Call); ok {
			one.Node, one.Method, one.Request = t.Node.Name, t.Method, t.Does.Request
		}
		out = append(out, one)
	}
	return out
}

// Entry is the process at which an operation begins, its address, and the path of the request.
func (g *Graph) Entry(o Operation) (process, path string) {
	t, _ := g.Find(o.Call)
	return t.Node.Name, "/" + t.Method
}

// Fails reports whether an operation may be answered by an error on purpose.
func (g *Graph) Fails(o Operation) bool {
	for call := range g.Count(o).Of {
		if t, _ := g.Find(call); t.Does.Errors > 0 {
			return true
		}
	}
	return false
}
