// Package topology owns graphs of services: their nodes, what each does when it is called, the operations that begin at them,
// how many calls and spans each operation makes, what the process of a node is to do, and how a graph is drawn. It is pure.
// It must not know how a file is read, how a node is started, nor what is measured.
package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Graph is a topology file. The tags of its keys are those of internal/config, which reads it.
type Graph struct {
	_           struct{}           `called:"a topology"`
	Description string             `yaml:"description" as:"text"`                     // a line for its readers
	Protocol    string             `yaml:"protocol" one:"http grpc thrift"`           // how nodes are called that do not say it; default: http, which is HTTP/1.1
	Nodes       []Node             `yaml:"nodes" as:"named" required:"topology"`      // the services by name, each a process
	Stores      []Node             `yaml:"stores" as:"named"`                         // databases and caches by name: they are not traced, and the span of a call is its client's
	Operations  []Operation        `yaml:"operations" as:"named" required:"topology"` // what is asked of the graph, by name
	Mix         map[string]float64 `yaml:"mix" as:"weights"`                          // weights of operations, as {browse: 60%, buy: 40%}: what is measured unless an experiment says otherwise
}

// Node is a service.
type Node struct {
	_        struct{} `called:"a node"`
	Name     string
	Protocol string `yaml:"protocol" one:"http grpc thrift"`    // how it is called; default: the graph's, of a store http
	Kind     string `yaml:"kind" one:"redis memcached mongodb"` // of a store: a real one, called by its own protocol; default: a node stands for it
	Replicas int    `yaml:"replicas" range:"1..100"`            // processes, called in turn; default: 1
	Does     `yaml:",inline"`
	Methods  []Method `yaml:"methods" as:"named"` // what can be called, by name; default: whatever calls name, each without a step
}

// Does is the work of a node for a call. A method inherits what it leaves open from its node.
type Does struct {
	Work    time.Duration `yaml:"work" range:"1us..1s"` // CPU work, an amount that takes about so long
	Wait    time.Duration `yaml:"wait" range:"1us..1m"` // waiting, without CPU
	Request int64         `yaml:"request" as:"bytes"`   // bytes of a call's request
	Answer  int64         `yaml:"answer" as:"bytes"`    // bytes of its answer
	Errors  float64       `yaml:"errors" as:"part"`     // share of its answers that are errors, by chance; the caller answers an error too, once it has made all its steps
}

// Method is a method of a node.
type Method struct {
	_     struct{} `called:"a method"`
	Name  string
	Does  `yaml:",inline"`
	Steps []Step `yaml:"steps" as:"calls"` // calls that it makes, one after the other: NODE.METHOD, or a mapping
}

// Step is a call, or several.
type Step struct {
	_          struct{} `called:"a step"`
	Call       string   `yaml:"call"`                  // NODE.METHOD
	AtOnce     []Step   `yaml:"at_once" as:"calls"`    // steps that are made at the same time; all are awaited
	InTurn     []Step   `yaml:"in_turn" as:"calls"`    // steps one after the other, among others that are made at once
	Times      int      `yaml:"times" range:"1..1000"` // how often, one after the other; default: 1
	Background bool     `yaml:"background"`            // of a call: the next step and the answer do not await it; default: false
}

// Operation is an operation of the graph.
type Operation struct {
	_           struct{} `called:"an operation"`
	Name        string
	Call        string  `yaml:"call" required:"topology"` // NODE.METHOD; the node is called by http
	Description string  `yaml:"description" as:"text"`    // a line for 'tracetax show'
	Rate        float64 `yaml:"rate" as:"rate"`           // where the experiment names none
}

// methodsOf lists the methods of a real store, by its kind.
var methodsOf = map[string][]string{
	"redis": {"get", "set", "zadd", "zrange", "zrevrange"}, "memcached": {"get", "set"}, "mongodb": {"find", "insert", "update"},
}

// Echo is the graph with nodes in the place of its real stores.
func (g *Graph) Echo() *Graph {
	out := *g
	out.Stores = slices.Clone(g.Stores)
	for i := range out.Stores {
		out.Stores[i].Kind = ""
	}
	return &out
}

// Replicated is the graph with so many processes of each node that others call. Those that the load alone calls are as they
// were: it knows one address.
func (g *Graph) Replicated(n int) *Graph {
	called := map[string]bool{}
	for i := range g.Nodes {
		for _, name := range g.calls(&g.Nodes[i]) {
			called[name] = true
		}
	}
	out := *g
	out.Nodes = slices.Clone(g.Nodes)
	for i := range out.Nodes {
		if called[out.Nodes[i].Name] {
			out.Nodes[i].Replicas = n
		}
	}
	return &out
}

// HTTP and GRPC are protocols of calls.
const (
	HTTP = "http"
	GRPC = "grpc"
)

// Target is the node and the method that a call names.
type Target struct {
	Node   *Node
	Method string
	Store  bool
	Does   Does
	Steps  []Step
	way    []string // of its method in the file
}

// Name is NODE.METHOD.
func (t Target) Name() string { return t.Node.Name + "." + t.Method }

// Find returns the target of a call; ok is false without one.
func (g *Graph) Find(call string) (t Target, ok bool) {
	name, method, both := strings.Cut(call, ".")
	if t.Node, t.Store = g.node(name); t.Node == nil || !both || method == "" {
		return t, false
	}
	t.Method, t.Does = method, t.Node.Does
	if len(t.Node.Methods) == 0 {
		return t, true
	}
	i := slices.IndexFunc(t.Node.Methods, func(m Method) bool { return m.Name == method })
	if i < 0 {
		return t, false
	}
	of := t.Node.Methods[i]
	t.Steps, t.way = of.Steps, []string{g.section(t.Store), name, "methods", method}
	t.Does = Does{
		Work: cmp.Or(of.Work, t.Does.Work), Wait: cmp.Or(of.Wait, t.Does.Wait), Request: cmp.Or(of.Request, t.Does.Request),
		Answer: cmp.Or(of.Answer, t.Does.Answer), Errors: cmp.Or(of.Errors, t.Does.Errors),
	}
	return t, true
}

func (*Graph) section(stores bool) string {
	if stores {
		return "stores"
	}
	return "nodes"
}

// node is the node or the store of a name, nil where there is none.
func (g *Graph) node(name string) (of *Node, store bool) {
	for _, stores := range []bool{false, true} {
		all := g.Nodes
		if stores {
			all = g.Stores
		}
		if i := slices.IndexFunc(all, func(n Node) bool { return n.Name == name }); i >= 0 {
			return &all[i], stores
		}
	}
	return nil, false
}

// protocol returns the protocol in which a node is called.
func (g *Graph) protocol(n *Node, store bool) string {
	if store {
		return cmp.Or(n.Kind, n.Protocol, HTTP)
	}
	return cmp.Or(n.Protocol, g.Protocol, HTTP)
}

// replicas are the processes of a node: NAME, NAME-2, NAME-3.
func (n *Node) replicas() []string {
	out := []string{n.Name}
	for i := 2; i <= n.Replicas; i++ {
		out = append(out, fmt.Sprintf("%s-%d", n.Name, i))
	}
	return out
}

// each calls do with every step of a list, those within others after them, and with its way below that of the list.
func each(steps []Step, way []string, do func(s *Step, way []string)) {
	for i := range steps {
		s, at := &steps[i], append(slices.Clone(way), fmt.Sprintf("[%d]", i))
		do(s, at)
		each(s.AtOnce, append(slices.Clone(at), "at_once"), do)
		each(s.InTurn, append(slices.Clone(at), "in_turn"), do)
	}
}
