// This file puts spans together: a stack of open calls for each thread.

package ring

import "fmt"

const (
	batchSpans  = 256     // handed over at a time
	mostOpen    = 4 << 20 // open calls of a program: more are no program's, but garbage
	keptThreads = 4096    // threads without an open call that are remembered at least
)

// frame is a call that was entered and not left.
type frame struct {
	id     uint64
	start  int64 // UTC
	method uint32
	order  uint32 // within its trace
}

// thread is the stack of one thread.
type thread struct {
	number uint64
	frames []frame
	last   int64     // UTC of the last event: stamps of a thread never go back
	trace  uint64    // second half of the id of the trace that is open
	order  uint32    // calls that were entered in it
	ring   *ringFile // the ring of kind 1 that the thread owned last
}

// assembler makes the spans of one program.
type assembler struct {
	program *Program
	handler Handler // of the pass
	clock   *clock
	ids     *ids
	counts  *Counts

	learn   func() error // reads what is new of the file methods
	methods []*Method    // by number; nil: not known
	threads map[uint64]*thread
	sweepAt int    // threads at which those without an open call are forgotten
	open    int    // calls
	spans   []Span // not handed over
	taken   uint64 // spans that were handed over
}

func (a *assembler) threadOf(number uint64) *thread {
	t := a.threads[number]
	if t == nil {
		t = &thread{number: number}
		a.threads[number] = t
	}
	return t
}

// sweep forgets threads without an open call, where there are many. It must not run while somebody holds one.
func (a *assembler) sweep() {
	if len(a.threads) < a.sweepAt {
		return
	}
	for number, t := range a.threads {
		if len(t.frames) == 0 && t.ring == nil {
			delete(a.threads, number)
		}
	}
	a.sweepAt = max(keptThreads, 2*len(a.threads))
}

// owns gives the further events of a ring of kind 1 to a thread. The calls that are open there are over: the thread before it is
// dead, unless it went on in another ring, and a thread that owns its ring once more has left them by an overflow of its stack.
func (a *assembler) owns(r *ringFile, number uint64) {
	if old := r.thread; old != nil && old.ring == r {
		a.abandon(old)
		delete(a.threads, old.number)
	}
	r.thread = a.threadOf(number)
	r.thread.ring = r
}

// abandon gives up the open calls of a thread that is no more.
func (a *assembler) abandon(t *thread) {
	a.counts.Torn += uint64(len(t.frames))
	a.open -= len(t.frames)
	t.frames = t.frames[:0]
}

// event takes the entry or the exit of a call, at a moment. It is an error where an event cannot be one of the program.
func (a *assembler) event(t *thread, word uint64, at int64) error {
	number := uint32(word&eventMask) >> 1
	if word&1 == 0 {
		return a.enter(t, number, at)
	}
	top := len(t.frames) - 1
	if top < 0 || t.frames[top].method != number {
		if top = a.unwind(t, number); top < 0 {
			a.counts.Torn++
			return nil
		}
	}
	return a.leave(t, top, at, false)
}

func (a *assembler) enter(t *thread, number uint32, at int64) error {
	if !a.knows(number) {
		if err := a.learn(); err != nil {
			return err
		}
		if !a.knows(number) {
			return fmt.Errorf("an event is of method %d, which has no line in the file methods", number)
		}
	}
	if len(t.frames) == 0 {
		t.trace, t.order = a.ids.next(), 0
	}
	if a.open >= mostOpen {
		return fmt.Errorf("more than %d calls are open at once", mostOpen)
	}
	t.frames = append(t.frames, frame{a.ids.next(), at, number, t.order})
	t.order++
	a.open++
	return nil
}

func (a *assembler) knows(number uint32) bool {
	return int(number) < len(a.methods) && a.methods[number] != nil
}

// unwind gives up the open calls above the newest one of a method, and returns its place; -1 if there is none.
func (a *assembler) unwind(t *thread, number uint32) int {
	for i := len(t.frames) - 1; i >= 0; i-- {
		if t.frames[i].method == number {
			above := len(t.frames) - 1 - i
			a.counts.Torn += uint64(above)
			a.open -= above
			t.frames = t.frames[:i+1]
			return i
		}
	}
	return -1
}

// leave makes a span of the call on top.
func (a *assembler) leave(t *thread, top int, at int64, unfinished bool) error {
	if len(a.spans) == cap(a.spans) {
		if err := a.flush(); err != nil {
			return err
		}
	}
	f := &t.frames[top]
	n := len(a.spans)
	a.spans = a.spans[:n+1]
	s := &a.spans[n]
	le.PutUint64(s.Trace[:], a.ids.trace)
	le.PutUint64(s.Trace[8:], t.trace)
	le.PutUint64(s.ID[:], f.id)
	parent := uint64(0)
	if top > 0 {
		parent = t.frames[top-1].id
	}
	le.PutUint64(s.Parent[:], parent)
	s.Method, s.Start, s.End, s.Thread = a.methods[f.method], f.start, at, t.number
	s.Order, s.Depth, s.Unfinished = f.order, uint32(top), unfinished
	t.frames = t.frames[:top]
	a.open--
	return nil
}

// handoverError wraps an error of a handler. It ends the pass, and is no fault of a ring.
type handoverError struct{ error }

// Unwrap returns the handler's error.
func (e handoverError) Unwrap() error { return e.error }

// flush hands the spans over.
func (a *assembler) flush() error {
	n := len(a.spans)
	if n == 0 {
		return nil
	}
	if err := a.handler.Take(a.program, a.spans); err != nil {
		return handoverError{err}
	}
	a.spans = a.spans[:0]
	a.taken += uint64(n)
	a.counts.Spans += uint64(n)
	return nil
}

// finish makes unfinished spans of all calls that are open.
func (a *assembler) finish() error {
	for _, t := range a.threads {
		for top := len(t.frames) - 1; top >= 0; top-- {
			if err := a.leave(t, top, t.last, true); err != nil {
				return err
			}
			a.counts.Unfinished++
		}
	}
	return a.flush()
}
