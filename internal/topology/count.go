package topology

// Range is a number that lies between two ends, which are equal where no chance has a part in it.
type Range struct{ Low, High float64 }

func (r Range) plus(s Range) Range { return Range{r.Low + s.Low, r.High + s.High} }

func (r Range) times(s Range) Range { return Range{r.Low * s.Low, r.High * s.High} }

// Exact reports whether it is one number.
func (r Range) Exact() bool { return r.Low == r.High }

// Count is what one operation makes.
type Count struct {
	Calls Range            // between nodes, and of stores
	Spans Range            // of a tracer that makes one at each end of a call, and of a call of a store the client's alone
	Of    map[string]Range // how often each NODE.METHOD is called, the operation's own call among them
	Edges map[Edge]Range   // calls by who calls whom
}

// Edge is a node that calls another one.
type Edge struct{ From, To string }

// Count counts what an operation of a graph without problems makes.
func (g *Graph) Count(o Operation) Count {
	t, ok := g.Find(o.Call)
	if !ok {
		return Count{}
	}
	once := Range{1, 1}
	c := Count{Spans: once, Of: map[string]Range{t.Name(): once}, Edges: map[Edge]Range{}}
	for made, n := range g.below(t, map[string]map[made]Range{}) {
		to, _ := g.Find(made.call)
		edge := Edge{made.by, to.Node.Name}
		c.Calls, c.Spans = c.Calls.plus(n), c.Spans.plus(n)
		c.Of[made.call], c.Edges[edge] = c.Of[made.call].plus(n), c.Edges[edge].plus(n)
		if !to.Store {
			c.Spans = c.Spans.plus(n)
		}
	}
	return c
}

// Calls are how often one process calls another in an operation: of a node's replicas each is called in turn.
func (g *Graph) Calls(o Operation) map[Edge]Range {
	out := map[Edge]Range{}
	for edge, n := range g.Count(o).Edges {
		from, _ := g.node(edge.From)
		to, _ := g.node(edge.To)
		share := 1 / float64(len(from.replicas())*len(to.replicas()))
		for _, caller := range from.replicas() {
			for _, called := range to.replicas() {
				out[Edge{caller, called}] = n.times(Range{share, share})
			}
		}
	}
	return out
}

// made is a call that a node makes.
type made struct{ by, call string }

// below counts the calls that one call of a method leads to; known are those of methods counted before.
func (g *Graph) below(t Target, known map[string]map[made]Range) map[made]Range {
	if out := known[t.Name()]; out != nil {
		return out
	}
	out := map[made]Range{}
	known[t.Name()] = out
	var walk func(steps []Step, often Range)
	walk = func(steps []Step, often Range) {
		for _, s := range steps {
			n := often.times(s.often())
			walk(s.AtOnce, n)
			walk(s.InTurn, n)
			to, ok := g.Find(s.Call)
			if !ok {
				continue
			}
			one := made{t.Node.Name, to.Name()}
			out[one] = out[one].plus(n)
			for each, times := range g.below(to, known) {
				out[each] = out[each].plus(n.times(times))
			}
		}
	}
	walk(t.Steps, Range{1, 1})
	return out
}

// often is how often a step is made.
func (s Step) often() Range {
	n := float64(max(1, s.Times))
	if s.Chance > 0 && s.Chance < 1 {
		return Range{0, n}
	}
	return Range{n, n}
}
