package tree

// Learning counts the steps of served calls. Facts come from served calls whose calls are all certain, guesses from the others.

// Weights of what is learnt: a guess says less than a fact.
const (
	ofFact  = 1
	ofGuess = 0.5
)

// links hold the calls that each call made, in their order: of each call the first that it made, and the next one of its own maker.
type links struct{ first, next []int32 }

func (w *work) links() links {
	l := links{make([]int32, len(w.found)), make([]int32, len(w.found))}
	for i := len(w.found) - 1; i >= 0; i-- {
		l.first[i] = nobody
	}
	for i := len(w.found) - 1; i >= 0; i-- {
		l.next[i] = nobody
		if of := w.found[i].Index; of != nobody {
			l.next[i], l.first[of] = l.first[of], int32(i)
		}
	}
	return l
}

// facts adds the steps of served calls whose calls are all certain.
func (w *work) facts(known *Programs) {
	l := w.links()
	for s := range w.servers {
		if len(w.servers[s].made) == 0 {
			continue
		}
		for _, i := range w.servers[s].served {
			if e := &w.entries[i]; !e.unended && !w.mixed[i] {
				w.follow(known.walk(e.method, ofFact, e.ready), e, l, i)
			}
		}
	}
}

// guesses adds the steps of the other served calls that end before a time, which each server has of its own. Where a method has a
// program, guesses teach its gaps, and no new ways.
func (w *work) guesses(known *Programs, until []int64) {
	for m := range known.of {
		known.of[m].fixed = known.known(int32(m))
	}
	l := w.links()
	for s := range w.servers {
		for _, i := range w.servers[s].served {
			e := &w.entries[i]
			if e.begin > until[s] {
				break
			}
			if !e.unended && w.mixed[i] && e.end <= until[s] {
				w.follow(known.walk(e.method, ofGuess, e.ready), e, l, i)
			}
		}
	}
}

// follow learns what one call did until it answered. What began later is no part of a program.
func (w *work) follow(of walk, e *entry, l links, call int32) {
	for i := l.first[call]; i != nobody; i = l.next[i] {
		if made := &w.entries[i]; made.begin <= e.end {
			gap, busy := of.gap(made.begin)
			of.step(made.method, busy, gap)
			of.asked, of.free = made.begin, max(of.free, made.end)
		}
	}
	gap, _ := of.gap(e.end)
	of.step(nobody, false, gap)
}
