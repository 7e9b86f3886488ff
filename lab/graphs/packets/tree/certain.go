package tree

// state says how far the parent of a call is known.
type state uint8

const (
	open    state = iota // several calls may have made it
	root                 // it has no parent
	byID                 // its parent is named
	alone                // its parent is the one call that was served
	lost                 // the call that it names is not there, or there twice
	idle                 // its caller served nothing that it can belong to
	guessed              // its parent is the likeliest
	vague                // none fits, or several alike
)

// found is the present answer for a call.
type found struct {
	parent int32
	state  state
}

// work holds the answers so far for the calls of a book.
type work struct {
	*book
	opt   *Options
	found []found
	mixed []bool  // of a served call: it may have made some of those that are open
	opens []int32 // calls that are open by server
	lost  int

	before *Programs // what was known before these calls
}

// certain finds all that ids, and times alone, tell.
func (w *work) certain() {
	w.found, w.mixed, w.opens = make([]found, len(w.entries)), make([]bool, len(w.entries)), make([]int32, len(w.servers))
	serving := make([][]int32, len(w.servers))
	var late []int32
	for i := range w.entries {
		e, f := &w.entries[i], &w.found[i]
		if e.from == nobody {
			*f = found{nobody, root}
			if e.of != 0 {
				f.state = lost
				w.lost++
			}
		} else {
			now := still(serving[e.from], w.entries, e.begin)
			serving[e.from] = now
			if e.of == 0 {
				*f = w.only(now, e)
			} else if *f = named(w.entries, now, e); f.state == lost {
				late = append(late, int32(i))
			}
		}
		if len(w.servers[e.to].made) > 0 {
			serving[e.to] = append(serving[e.to], int32(i))
		}
	}
	if len(late) > 0 {
		w.late(late)
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

// named finds the call that e names among those that are served.
func named(entries []entry, now []int32, e *entry) found {
	f := found{nobody, lost}
	for _, i := range now {
		if of := &entries[i]; of.span == e.of && of.trace == e.trace {
			if f.parent != nobody {
				return found{nobody, lost}
			}
			f = found{i, byID}
		}
	}
	return f
}

// late finds the calls that others name which began when those were answered, or have another clock.
func (w *work) late(calls []int32) {
	type id struct {
		trace    [2]uint64
		span     uint64
		serverOf int32
	}
	const twice = -2
	by := map[id]int32{}
	for _, i := range calls {
		e := &w.entries[i]
		by[id{e.trace, e.of, e.from}] = nobody
	}
	for i := range w.entries {
		e := &w.entries[i]
		key := id{e.trace, e.span, e.to}
		if at, wanted := by[key]; wanted && at == nobody {
			by[key] = int32(i)
		} else if wanted {
			by[key] = twice
		}
	}
	for _, i := range calls {
		e := &w.entries[i]
		if at := by[id{e.trace, e.of, e.from}]; at >= 0 && !w.below(at, i) {
			w.found[i] = found{at, byID}
		} else {
			w.lost++
		}
	}
}

// below reports whether a call is another one, or was made below it.
func (w *work) below(i, other int32) bool {
	for range w.entries {
		if i == other {
			return true
		}
		if i = w.found[i].parent; i == nobody {
			return false
		}
	}
	return true
}

// only finds the one call that can have made e, by time and by trace.
func (w *work) only(now []int32, e *entry) found {
	among, n := kin(w.entries, now, e)
	switch {
	case n == 0:
		return found{nobody, idle}
	case n == 1:
		one := first(w.entries, now, e, among)
		if of := &w.entries[one]; !of.traced() {
			of.trace = e.trace // it began the trace
		}
		return found{one, alone}
	}
	for _, i := range now {
		if among.has(&w.entries[i], e) {
			w.mixed[i] = true
		}
	}
	w.opens[e.from]++
	return found{nobody, open}
}

// kinship is which of the calls that are served can have made a call.
type kinship uint8

const (
	anyone    kinship = iota // the call has no trace
	ofTrace                  // those of its trace
	untracted                // none is of its trace: those without one
)

func (k kinship) has(of, e *entry) bool {
	switch k {
	case anyone:
		return true
	case ofTrace:
		return of.trace == e.trace
	}
	return !of.traced()
}

// kin says which calls can have made e, and how many they are.
func kin(entries []entry, now []int32, e *entry) (kinship, int) {
	if !e.traced() {
		return anyone, len(now)
	}
	same, without := 0, 0
	for _, i := range now {
		if of := &entries[i]; of.trace == e.trace {
			same++
		} else if !of.traced() {
			without++
		}
	}
	if same > 0 {
		return ofTrace, same
	}
	return untracted, without
}

// first is the first of the calls that can have made e.
func first(entries []entry, now []int32, e *entry, among kinship) int32 {
	for _, i := range now {
		if among.has(&entries[i], e) {
			return i
		}
	}
	return nobody
}
