package tree

// Learning counts the steps of served calls. Facts come from served calls whose calls are all certain, guesses from the others.

// children are the calls that each call made, in their order.
type children struct {
	first []int32 // by call, and one more
	calls []int32
}

func (c *children) of(call int32) []int32 { return c.calls[c.first[call]:c.first[call+1]] }

func childrenOf(all []found) children {
	c := children{first: make([]int32, len(all)+1)}
	for i := range all {
		if at := all[i].parent; at != nobody {
			c.first[at+1]++
		}
	}
	for i := range all {
		c.first[i+1] += c.first[i]
	}
	c.calls = make([]int32, c.first[len(all)])
	next := append([]int32(nil), c.first...)
	for i := range all {
		if at := all[i].parent; at != nobody {
			c.calls[next[at]] = int32(i)
			next[at]++
		}
	}
	return c
}

// Weights of what is learnt: a guess says less than a fact.
const (
	ofFact  = 1
	ofGuess = 0.5
)

// facts adds the steps of served calls whose calls are all certain.
func (w *work) facts(known *Programs) {
	c := childrenOf(w.found)
	for s := range w.servers {
		if len(w.servers[s].made) == 0 {
			continue
		}
		for _, i := range w.servers[s].served {
			if e := &w.entries[i]; !e.open && !w.mixed[i] {
				w.follow(known.walk(e.method, ofFact, e.ready), e, c.of(i))
			}
		}
	}
}

// guesses adds the steps of the other served calls that end before a time, which each server has of its own. Where a method has a
// program, guesses teach its gaps, and no new ways.
func (w *work) guesses(known *Programs, until []int64) {
	c, taught := childrenOf(w.found), known.taught()
	for s := range w.servers {
		for _, i := range w.servers[s].served {
			e := &w.entries[i]
			if e.begin > until[s] {
				break
			}
			if !e.open && w.mixed[i] && e.end <= until[s] {
				of := known.walk(e.method, ofGuess, e.ready)
				of.fixed = taught[e.method]
				w.follow(of, e, c.of(i))
			}
		}
	}
}

// follow learns what one call did until it answered. What began later is no part of a program.
func (w *work) follow(of walk, e *entry, made []int32) {
	for _, i := range made {
		if child := &w.entries[i]; child.begin <= e.end {
			of.call(child.method, child.begin, child.end)
		}
	}
	gap, _ := of.gap(e.end)
	of.end(gap)
}
