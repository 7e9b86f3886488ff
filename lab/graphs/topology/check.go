package topology

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/suggest"
)

// Problem is what is wrong with a graph, and where: a way of keys, of which those of lists are [0], [1] and so on.
type Problem struct {
	Way  []string
	Text string
}

// Bounds of a graph.
const (
	mostProcesses = 200
	MostCalls     = 1000    // of one operation
	mostBytes     = 1 << 20 // of one message
)

var (
	nodeName   = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	methodName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,59}$`)
)

// checker gathers what is wrong.
type checker struct {
	*Graph
	problems []Problem
}

func (c *checker) fail(way []string, format string, args ...any) {
	c.problems = append(c.problems, Problem{way, fmt.Sprintf(format, args...)})
}

// Check is all that is wrong with a graph.
func (g *Graph) Check() []Problem {
	c := &checker{Graph: g}
	if len(g.Nodes) == 0 {
		c.fail([]string{"nodes"}, "a topology needs nodes: the services by name, such as nodes: {shop: {work: 50us}}")
	}
	if len(g.Operations) == 0 {
		c.fail([]string{"operations"}, "a topology needs operations: what is asked of it, such as operations: {home: {call: shop.home}}")
	}
	processes := map[string]bool{}
	for _, stores := range []bool{false, true} {
		all := g.Nodes
		if stores {
			all = g.Stores
		}
		for i := range all {
			c.node(&all[i], stores, processes)
		}
	}
	if len(processes) > mostProcesses {
		c.fail([]string{"nodes"}, "the graph has %d processes, replicas and stores among them; the most is %d", len(processes), mostProcesses)
	}
	if len(c.problems) == 0 {
		c.cycles()
	}
	for i := range g.Operations {
		c.operation(&g.Operations[i])
	}
	var known []string
	for _, o := range g.Operations {
		known = append(known, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(g.Mix)) {
		if !slices.Contains(known, name) {
			c.fail([]string{"mix", name}, "%s", suggest.Unknown("operation", name, known))
		}
	}
	return c.problems
}

func (c *checker) node(n *Node, store bool, processes map[string]bool) {
	way := []string{c.section(store), n.Name}
	if !nodeName.MatchString(n.Name) {
		c.fail(way, "%q: a name has lower-case letters, digits, - and _, and begins with a letter", n.Name)
	}
	for _, name := range n.replicas() {
		if processes[name] {
			c.fail(way, "there is a second process called %q", name)
		}
		processes[name] = true
	}
	c.does(n.Does, way)
	c.kind(n, store, way)
	for i := range n.Methods {
		m := &n.Methods[i]
		at := append(slices.Clone(way), "methods", m.Name)
		if !methodName.MatchString(m.Name) {
			c.fail(at, "%q: the name of a method has letters, digits, - and _, and begins with a letter", m.Name)
		}
		c.does(m.Does, at)
		if store && len(m.Steps) > 0 {
			c.fail(append(at, "steps"), "a store calls nobody; make %s one of the nodes", n.Name)
		}
		each(m.Steps, append(slices.Clone(at), "steps"), c.step)
	}
}

// kind complains of what a real store cannot be told, and of a kind of what is none.
func (c *checker) kind(n *Node, store bool, way []string) {
	at := func(keys ...string) []string { return append(slices.Clone(way), keys...) }
	if n.Kind == "" {
		return
	}
	if !store {
		c.fail(at("kind"), "kind is of a store; make %s one of the stores, or leave its kind out", n.Name)
		return
	}
	if n.Protocol != "" {
		c.fail(at("protocol"), "%s is a real %s, which has its own protocol; leave protocol out", n.Name, n.Kind)
	}
	real := func(d Does, way []string) {
		for key, is := range map[string]bool{"work": d.Work > 0, "wait": d.Wait > 0, "errors": d.Errors > 0} {
			if is {
				c.fail(append(slices.Clone(way), key), "%s is a real %s, which does what it does; leave %s out, or its kind", n.Name, n.Kind, key)
			}
		}
	}
	real(n.Does, way)
	for _, m := range n.Methods {
		real(m.Does, at("methods", m.Name))
		if !slices.Contains(methodsOf[n.Kind], m.Name) {
			c.fail(at("methods", m.Name), "%s (of a store of kind %s)", suggest.Unknown("method", m.Name, methodsOf[n.Kind]), n.Kind)
		}
	}
}

func (c *checker) does(d Does, way []string) {
	for key, size := range map[string]int64{"request": d.Request, "answer": d.Answer} {
		if size > mostBytes {
			c.fail(append(slices.Clone(way), key), "%s has %d bytes; the most is %d", key, size, mostBytes)
		}
	}
}

func (c *checker) step(s *Step, way []string) {
	kinds := 0
	for _, there := range []bool{s.Call != "", len(s.AtOnce) > 0, len(s.InTurn) > 0} {
		if there {
			kinds++
		}
	}
	if kinds != 1 {
		c.fail(way, "a step is one of call: NODE.METHOD, at_once: [steps] and in_turn: [steps]")
		return
	}
	if s.Background && s.Call == "" {
		c.fail(append(slices.Clone(way), "background"), "background is of a call; give each call among the steps its own")
	}
	if s.Call != "" {
		c.call(s.Call, append(slices.Clone(way), "call"))
	}
}

// call complains of a call that names nothing.
func (c *checker) call(call string, way []string) {
	if t, ok := c.Find(call); ok {
		if kind := t.Node.Kind; t.Store && kind != "" && !slices.Contains(methodsOf[kind], t.Method) {
			c.fail(way, "%s (of a store of kind %s)", suggest.Unknown("method", t.Method, methodsOf[kind]), kind)
		}
		return
	}
	name, method, both := strings.Cut(call, ".")
	of, _ := c.Graph.node(name)
	var known []string
	switch {
	case of == nil:
		for _, n := range slices.Concat(c.Nodes, c.Stores) {
			known = append(known, n.Name)
		}
		c.fail(way, "%s", suggest.Unknown("node", name, known))
	case !both || method == "":
		c.fail(way, "%q names no method; write %s.METHOD", call, name)
	default:
		for _, m := range of.Methods {
			known = append(known, m.Name)
		}
		c.fail(way, "%s (of node %s)", suggest.Unknown("method", method, known), name)
	}
}

func (c *checker) operation(o *Operation) {
	way := []string{"operations", o.Name}
	if o.Call == "" {
		c.fail(way, "operation %q needs call: the NODE.METHOD at which it begins", o.Name)
		return
	}
	at := append(way, "call")
	if len(c.problems) > 0 { // calls may name nothing, or never end
		c.call(o.Call, at)
		return
	}
	t, ok := c.Find(o.Call)
	switch {
	case !ok:
		c.call(o.Call, at)
	case t.Store:
		c.fail(at, "%s is a store: an operation begins at a node", t.Node.Name)
	case c.protocol(t.Node, t.Store) != HTTP:
		c.fail(at, "an operation begins at a node that is called by http, and %s is called by %s; give it protocol: http", t.Node.Name, c.protocol(t.Node, t.Store))
	default:
		if calls := c.Count(*o).Calls; calls > MostCalls {
			c.fail(at, "operation %q makes %.0f calls; the most is %d", o.Name, calls, MostCalls)
		}
	}
}

// cycles complains of methods that call themselves, however far round.
func (c *checker) cycles() {
	const under, done = 1, 2
	state := map[string]int{}
	var chain []string
	var visit func(t Target)
	visit = func(t Target) {
		state[t.Name()] = under
		chain = append(chain, t.Name())
		each(t.Steps, append(slices.Clone(t.way), "steps"), func(s *Step, way []string) {
			to, ok := c.Find(s.Call)
			switch {
			case !ok:
			case state[to.Name()] == under:
				round := append(slices.Clone(chain[slices.Index(chain, to.Name()):]), to.Name())
				c.fail(append(way, "call"), "a call that never ends: %s", strings.Join(round, " → "))
			case state[to.Name()] == 0:
				visit(to)
			}
		})
		chain = chain[:len(chain)-1]
		state[t.Name()] = done
	}
	for _, n := range c.Nodes {
		for _, m := range n.Methods {
			if t, ok := c.Find(n.Name + "." + m.Name); ok && state[t.Name()] == 0 {
				visit(t)
			}
		}
	}
}
