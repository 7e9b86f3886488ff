package topology

import "github.com/tracetax/tracetax/internal/config/program"

// Count is the work of one operation: calls and spans.
type Count struct {
	Calls float64            // between nodes, and of stores
	Spans float64            // of a tracer that makes one at each end of a call, and of a call of a store the client's alone
	Of    map[string]float64 // how often each NODE.METHOD is called, the operation's own call among them
	Edges map[Edge]float64   // calls by who calls whom
}

// Edge is a node, or a process, that calls another one.
type Edge = program.Edge

// Count counts what an operation of a graph without problems makes.
func (g *Graph) Count(o Operation) Count {
	t, ok := g.Find(o.Call)
	if !ok {
		return Count{}
	}
	c := Count{Spans: 1, Of: map[string]float64{t.Name(): 1}, Edges: map[Edge]float64{}}
	for made, n := range g.below(t, map[string]map[made]float64{}) {
		to, _ := g.Find(made.call)
		edge := Edge{From: made.by, To: to.Node.Name}
		c.Calls += n
		c.Spans += n
		c.Of[made.call] += n
		c.Edges[edge] += n
		if !to.Store {
			c.Spans += n
		}
	}
	return c
}

// Calls are how often one process calls another in an operation: of a node's replicas each is called in turn.
func (g *Graph) Calls(o Operation) map[Edge]float64 {
	out := map[Edge]float64{}
	for edge, n := range g.Count(o).Edges {
		from, _ := g.node(edge.From)
		to, _ := g.node(edge.To)
		share := 1 / float64(len(from.replicas())*len(to.replicas()))
		for _, caller := range from.replicas() {
			for _, called := range to.replicas() {
				out[Edge{From: caller, To: called}] = n * share
			}
		}
	}
	return out
}

// made is a call that a node makes.
type made struct{ by, call string }

// below counts the calls that one call of a method leads to; known are those of methods counted before.
func (g *Graph) below(t Target, known map[string]map[made]float64) map[made]float64 {
	if out := known[t.Name()]; out != nil {
		return out
	}
	out := map[made]float64{}
	known[t.Name()] = out
	var walk func(steps []Step, often float64)
	walk = func(steps []Step, often float64) {
		for _, s := range steps {
			n := often * float64(max(1, s.Times))
			walk(s.AtOnce, n)
			walk(s.InTurn, n)
			to, ok := g.Find(s.Call)
			if !ok {
				continue
			}
			one := made{t.Node.Name, to.Name()}
			out[one] += n
			for each, times := range g.below(to, known) {
				out[each] += n * times
			}
		}
	}
	walk(t.Steps, 1)
	return out
}
