package tree

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
	serving, named := make([][]int32, len(w.servers)), w.named()
	var late []int32
	for i := range w.entries {
		e, f := &w.entries[i], &w.found[i]
		*f = Parent{nobody, Unknown}
		var now []int32
		if e.from != nobody {
			now = still(serving[e.from], w.entries, e.begin)
			serving[e.from] = now
		}
		switch at, has := named[e.caller()]; {
		case e.of != 0 && has && at < int32(i):
			*f = Parent{int(at), ID}
		case e.of != 0 && has:
			late = append(late, int32(i))
		case e.of != 0: // its caller is not there
		case e.from == nobody:
			f.How = Root
		default:
			w.only(now, int32(i))
		}
		if len(w.servers[e.to].made) > 0 {
			serving[e.to] = append(serving[e.to], int32(i))
		}
	}
	for _, i := range late { // clocks differ
		if at := named[w.entries[i].caller()]; !w.below(at, i) {
			w.found[i] = Parent{int(at), ID}
		}
	}
}

// still keeps the calls of a list that are served at a time.
func still(serving []int32, entries []entry, at int64) []int32 {
	now := serving[:0]
	for _, i := range serving {
		if entries[i].end >= at {
			now = append(now, i)
		}
	}
	return now
}

// id is what names a call among those of a server.
type id struct {
	trace  [16]byte
	span   uint64
	server int32
}

func (e *entry) caller() id { return id{e.trace, e.of, e.from} }

// named finds calls by their ids, where others name any; those of an id that two have are left out.
func (w *work) named() map[id]int32 {
	if !w.names {
		return nil
	}
	by, twice := make(map[id]int32, len(w.entries)), map[id]bool{}
	for i := range w.entries {
		e := &w.entries[i]
		if e.span == 0 {
			continue
		}
		own := id{e.trace, e.span, e.to}
		if _, has := by[own]; has {
			twice[own] = true
		}
		by[own] = int32(i)
	}
	for of := range twice {
		delete(by, of)
	}
	return by
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
