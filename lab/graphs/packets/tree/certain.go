package tree

import "slices"

// work holds the answers so far for the calls of a book.
type work struct {
	*book
	found []Parent
	open  []bool  // of a call: several may have made it
	mixed []bool  // of a served call: it may have made some of those that are open
	some  []int32 // of can, which uses it again
}

// certain finds all that ids, and times alone, tell.
func (w *work) certain() {
	w.found, w.open, w.mixed = make([]Parent, len(w.entries)), make([]bool, len(w.entries)), make([]bool, len(w.entries))
	serving := make([][]int32, len(w.servers))
	var late []int32
	for i := range w.entries {
		e, f := &w.entries[i], &w.found[i]
		*f = Parent{nobody, Unknown}
		var now []int32
		if e.from != nobody {
			now = slices.DeleteFunc(serving[e.from], func(i int32) bool { return w.entries[i].end < e.begin })
			serving[e.from] = now
		}
		switch {
		case e.of != 0:
			if at := w.caller(now, e); at != nobody {
				*f = Parent{at, ID}
			} else {
				late = append(late, int32(i))
			}
		case e.from == nobody:
			f.How = Root
		default:
			w.only(now, int32(i))
		}
		if len(w.servers[e.to].made) > 0 {
			serving[e.to] = append(serving[e.to], int32(i))
		}
	}
	if len(late) > 0 {
		w.late(late)
	}
}

// caller finds the call that e names among those that are served; nobody is none, or two.
func (w *work) caller(now []int32, e *entry) int {
	at := nobody
	for _, i := range now {
		if of := &w.entries[i]; of.span == e.of && of.trace == e.trace {
			if at != nobody {
				return nobody
			}
			at = int(i)
		}
	}
	return at
}

// late finds the calls that others name which were answered before those began, or have another clock.
func (w *work) late(calls []int32) {
	type id struct {
		trace  [16]byte
		span   uint64
		server int32
	}
	const twice = -2
	by := map[id]int32{}
	for i := range w.entries {
		e := &w.entries[i]
		own := id{e.trace, e.span, e.to}
		if _, has := by[own]; has {
			by[own] = twice
		} else {
			by[own] = int32(i)
		}
	}
	for _, i := range calls {
		e := &w.entries[i]
		if at, has := by[id{e.trace, e.of, e.from}]; has && at != twice && !w.below(at, i) {
			w.found[i] = Parent{int(at), ID}
		}
	}
}

// below reports whether a call is another one, or was made below it.
func (w *work) below(i, other int32) bool {
	for ; i != nobody; i = int32(w.found[i].Index) {
		if i == other {
			return true
		}
	}
	return false
}

// only finds the one call of those that are served now that can have made call i, by time and by trace.
func (w *work) only(now []int32, i int32) {
	e := &w.entries[i]
	switch among := w.can(now, e); len(among) {
	case 0:
	case 1:
		if of := &w.entries[among[0]]; !of.traced() {
			of.trace = e.trace // it began the trace
		}
		w.found[i] = Parent{int(among[0]), Alone}
	default:
		for _, of := range among {
			w.mixed[of] = true
		}
		w.open[i], w.servers[e.from].opens = true, true
	}
}

// can are those of the calls served now that can have made e: those of its trace, else those without one; all if e has none. They
// are valid until the next call.
func (w *work) can(now []int32, e *entry) []int32 {
	if !e.traced() {
		return now
	}
	for _, trace := range [2][16]byte{e.trace, {}} {
		w.some = w.some[:0]
		for _, i := range now {
			if w.entries[i].trace == trace {
				w.some = append(w.some, i)
			}
		}
		if len(w.some) > 0 {
			break
		}
	}
	return w.some
}
