package usage

// Context switches, counted thread by thread.

// switches is a reading of context switches. The kernel keeps them by thread,
// and by process only for those that have ended, so that a difference needs the
// single threads: those that ended between two readings are lost, unless their
// process ended too and was reaped.
type switches struct {
	threads map[thread]uint64
	reaped  uint64
}

type thread struct{ process, id int }

// since returns how many there were after before was read.
func (s switches) since(before switches) uint64 {
	var sum, lost uint64
	alive := map[int]bool{}
	for t, n := range s.threads {
		alive[t.process] = true
		if b := before.threads[t]; n >= b {
			sum += n - b
		} else {
			sum += n // the number was given to a new thread
		}
	}
	for t, n := range before.threads {
		if !alive[t.process] {
			lost += n // these are within what was reaped since
		}
	}
	if reaped := s.reaped - min(before.reaped, s.reaped); reaped > lost {
		sum += reaped - lost
	}
	return sum
}
