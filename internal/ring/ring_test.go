package ring

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/ring/ringtest"
)

// A tree of calls comes out as it was: names, places, parents, times.
func TestTree(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a, b := p.Method("com.acme.Cart", "a"), p.Method("com.acme.Cart", "b")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(42)
	before := time.Now().UnixNano()
	r.Enter(a)
	r.Enter(b)
	r.Exit(b)
	r.Enter(b)
	r.Enter(a)
	r.Exit(a)
	r.Exit(b)
	r.Exit(a)
	r.Enter(b)
	r.Exit(b)
	after := time.Now().UnixNano()
	s.pass()
	s.wantSpans("b11 a23 b12 a00 b00")
	s.wantCounts(5, 0, 0, 0)
	spans := s.got.spans
	root := spans[3]
	if spans[0].Parent != root.ID || spans[2].Parent != root.ID || spans[1].Parent != spans[2].ID || root.Parent != [8]byte{} {
		t.Errorf("parents do not fit: %+v", spans)
	}
	if spans[0].Trace != root.Trace || spans[1].Trace != root.Trace || spans[4].Trace == root.Trace {
		t.Errorf("traces do not fit: %+v", spans)
	}
	const slack = int64(time.Millisecond)
	for _, span := range spans {
		if span.Start >= span.End || span.Start < before-slack || span.End > after+slack {
			t.Errorf("a span from %d to %d, between %d and %d", span.Start, span.End, before, after)
		}
		if span.Thread != 42 || span.Method.Class != "com.acme.Cart" {
			t.Errorf("%+v of %+v", span, span.Method)
		}
	}
	if about := s.got.programs["jvm-7-00000007"]; about == nil || about.Service != "shop" || about.PID != 7 {
		t.Errorf("the program is %+v", about)
	}
	if c := s.reader.Counts(); c.Events != 10 || c.Programs != 1 || c.Live != 1 || c.Rings != 1 {
		t.Errorf("%+v", c)
	}
}

// A ring that grew goes on in another one; what was read of the old one is deleted once its spans are settled.
func TestGrowth(t *testing.T) {
	s := newScene(t)
	s.got.holds = true
	p := s.program(7)
	a := p.Method("C", "a")
	small, large := p.Ring(ringtest.Platform, 4096), p.Ring(ringtest.Platform, 8192)
	small.Owner(1)
	small.Enter(a)
	small.Enter(a)
	large.Owner(1)
	large.Exit(a)
	large.Exit(a)
	small.Close()
	s.pass()
	s.wantSpans("a11 a00")
	if _, err := os.Stat(small.Path); err != nil {
		t.Fatal("a ring was deleted whose spans are not settled")
	}
	s.got.holds = false
	s.pass()
	if _, err := os.Stat(small.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ring that was read is still there: %v", err)
	}
	if _, err := os.Stat(large.Path); err != nil {
		t.Errorf("the ring in use was deleted: %v", err)
	}
}

// A thread that owns its ring once more has lost exits to an overflow of its stack: its open calls are over, and torn.
func TestOwnedAgain(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	for range 3 {
		r.Enter(a)
	}
	r.Owner(1)
	r.Enter(a)
	r.Exit(a)
	s.pass()
	s.wantSpans("a00")
	s.wantCounts(1, 0, 3, 0)
}

// A dead thread's ring is taken over: its spans and those of the next thread are apart.
func TestTakeOver(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	for thread := range uint64(300) { // the buffer comes round, and owners straddle its end
		r.Room(32)
		r.Owner(thread)
		r.Enter(a)
		r.Exit(a)
		if r.Written%4096 > 3800 || r.Written%4096 < 40 {
			s.pass()
		}
	}
	r.Put((1<<19-1)<<1, 900)
	r.Publish()
	r.Enter(a)
	s.pass()
	r.Owner(901)
	r.Enter(a)
	r.Exit(a)
	s.pass()
	s.wantCounts(301, 0, 1, 0)
	for i, span := range s.got.spans[:300] {
		if span.Thread != uint64(i) {
			t.Fatalf("span %d is of thread %d", i, span.Thread)
		}
	}
	if got := s.got.spans[300].Thread; got != 901 {
		t.Errorf("the last is of thread %d", got)
	}
}

// The number of an owner may stand at the begin of the buffer while the owner stands at its end.
func TestOwnerStraddles(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	for r.Written < 4096-8 {
		r.Enter(a)
		if r.Written < 4096-8 {
			r.Exit(a)
		}
	}
	s.pass()
	r.Exit(a) // at 4,088
	s.pass()
	for r.Written%4096 != 4096-8 {
		r.Room(16)
		r.Enter(a)
		r.Exit(a)
		s.pass()
		if r.Written%4096 == 4096-16 {
			r.Enter(a)
		}
	}
	r.Room(32)
	r.Owner(2)
	r.Enter(a)
	r.Exit(a)
	s.pass()
	last := s.got.spans[len(s.got.spans)-1]
	if c := s.reader.Counts(); last.Thread != 2 || len(c.Refused) > 0 {
		t.Errorf("the last span is of thread %d; refused %q", last.Thread, c.Refused)
	}
}

// Calls that are left out, and waits, are added up: of rings, and of threads without one.
func TestCounters(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	one, two := p.Ring(ringtest.Platform, 4096), p.Ring(ringtest.Platform, 4096)
	one.Set(192, 5)
	one.Set(200, 3)
	one.Set(208, 900)
	one.Set(216, 400)
	s.pass()
	one.Set(192, 7)
	two.Set(192, 10)
	two.Set(200, 1)
	two.Set(208, 50)
	two.Set(216, 50)
	p.LeftOut(100)
	s.pass()
	p.LeftOut(101)
	s.pass()
	s.wantCounts(0, 0, 0, 118)
	if c := s.reader.Counts(); c.Waits != 4 || c.Waited != 950 || c.Longest != 400 {
		t.Errorf("%d waits of %v, the longest %v", c.Waits, c.Waited, c.Longest)
	}
}

// An exit that does not fit the call on top ends the calls above the one that it fits; one that fits none is ignored. Both are torn.
func TestTorn(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a, b, c := p.Method("C", "a"), p.Method("C", "b"), p.Method("C", "c")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	r.Exit(c)
	r.Enter(a)
	r.Enter(b)
	r.Enter(c)
	r.Exit(a)
	r.Enter(a)
	r.Exit(b)
	r.Exit(a)
	s.pass()
	s.wantSpans("a00 a00")
	s.wantCounts(2, 0, 4, 0)
}

// After a program was killed all is read; calls that were open end with the last event of their thread, and the folder goes.
func TestGone(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a, b := p.Method("C", "a"), p.Method("C", "b")
	r, v := p.Ring(ringtest.Platform, 4096), p.Ring(ringtest.Carrier, 4096)
	r.Owner(1)
	r.Enter(a)
	s.pass()
	if s.wantSpans(""); s.reader.Counts().Live != 1 {
		t.Fatal("the program is not alive")
	}
	r.Enter(b)
	r.Enter(b)
	r.Exit(b)
	v.Enter(b, 9)
	p.Die()
	s.got.holds = true
	s.pass()
	s.wantCounts(4, 3, 0, 0)
	if _, err := os.Stat(p.Dir); err != nil {
		t.Fatal("the folder was removed before all was settled")
	}
	if s.got.holds = false; len(s.got.forgotten) > 0 {
		t.Error("the program is forgotten before all was settled")
	}
	s.end()
	if len(s.got.forgotten) != 1 {
		t.Errorf("forgotten are %v", s.got.forgotten)
	}
	if _, err := os.Stat(p.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the program is still there: %v", err)
	}
	spans := map[string]Span{}
	for _, span := range s.got.spans {
		if span.Thread == 1 && span.Unfinished {
			spans[span.Method.Name] = span
		}
	}
	if done := s.got.spans[0]; spans["a"].End != done.End || spans["b"].End != done.End || spans["b"].Parent != spans["a"].ID {
		t.Errorf("unfinished %+v beside %+v", spans, done)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "reader")); err != nil {
		t.Errorf("the reader's file is gone too: %v", err)
	}
}

// A virtual thread enters on one carrier and leaves on another: its events are read by time, whatever ring they stand in.
func TestVirtualThreads(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a, b := p.Method("C", "a"), p.Method("C", "b")
	rings := []*ringtest.Ring{p.Ring(ringtest.Carrier, 65536), p.Ring(ringtest.Carrier, 65536), p.Ring(ringtest.Carrier, 65536)}
	const threads = 500
	n := 0
	on := func() *ringtest.Ring { n++; return rings[n*n%7%3] }
	for _, step := range []struct {
		method int
		exit   bool
	}{{a, false}, {b, false}, {b, true}, {b, false}, {b, true}, {a, true}} {
		for thread := uint64(1); thread <= threads; thread++ {
			if r := on(); step.exit {
				r.Exit(step.method, thread)
			} else {
				r.Enter(step.method, thread)
			}
		}
		if step.exit {
			s.pass()
		}
	}
	s.pass()
	s.wantCounts(3*threads, 0, 0, 0)
	orders := map[uint64]string{}
	for _, span := range s.got.spans {
		orders[span.Thread] += string("01234"[span.Order]) + span.Method.Name
	}
	for thread, got := range orders {
		if got != "1b2b0a" {
			t.Fatalf("thread %d: %q", thread, got)
		}
	}
}

// What is stamped after the pass began waits for the next one: a thread's event before it may stand in a ring that was read already.
func TestHeldBack(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r, other := p.Ring(ringtest.Carrier, 4096), p.Ring(ringtest.Carrier, 4096)
	now := p.Now()
	later := now + uint64(50*time.Millisecond)
	r.At(now, a, false, 5)
	r.At(later+1, a, true, 5)
	s.pass()
	s.wantSpans("")
	if got := r.Read(); got != 16 {
		t.Fatalf("%d bytes read, want 16: the exit is stamped later than the pass", got)
	}
	other.At(later-1, a, false, 5)
	other.At(later, a, true, 5)
	s.reader.clocks[Nano].now = func() uint64 { return later + 100 }
	s.pass()
	s.wantSpans("a11 a00")
}

// A reader that comes after another one goes on where that stopped, and knows whose events come.
func TestNextReader(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(33)
	r.Enter(a)
	r.Exit(a)
	r.Enter(a)
	s.pass()
	if err := s.reader.Close(); err != nil {
		t.Fatal(err)
	}
	s.open()
	r.Exit(a) // its entry is lost with the first reader
	r.Enter(a)
	r.Exit(a)
	s.pass()
	s.wantSpans("a00 a00")
	s.wantCounts(1, 0, 1, 0)
	if got := s.got.spans[1].Thread; got != 33 {
		t.Errorf("the second span is of thread %d", got)
	}
}

// One reader reads a folder.
func TestOneReader(t *testing.T) {
	t.Parallel() // it waits for the lock
	s := newScene(t)
	if _, err := Open(s.folder); err == nil || !strings.Contains(err.Error(), "another reader (process") {
		t.Errorf("a second reader: %v", err)
	}
}

// An error of the handler ends the pass; no span is lost to it that was not handed over.
func TestHandlerFails(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	r.Enter(a)
	r.Exit(a)
	s.got.fails = errors.New("enough")
	if _, err := s.reader.Pass(s.got); !errors.Is(err, s.got.fails) {
		t.Errorf("the pass ended with %v", err)
	}
	if c := s.reader.Counts(); len(c.Refused) > 0 || c.Spans != 0 || r.Read() != 0 {
		t.Errorf("read %d of the ring, refused %q", r.Read(), c.Refused)
	}
}

// The time stands in the reader's page while a program reads it there, and 0 else.
func TestClockPage(t *testing.T) {
	s := newScene(t)
	read := func() uint64 {
		b, err := os.ReadFile(filepath.Join(s.folder, "reader"))
		if err != nil || len(b) != 4096 || string(b[:8]) != "TTREAD01" || le.Uint64(b[64:]) != uint64(os.Getpid()) {
			t.Fatalf("the reader's file: %v, %d bytes", err, len(b))
		}
		return le.Uint64(b[128:])
	}
	s.pass()
	if got := read(); got != 0 {
		t.Fatalf("%d where no program asks", got)
	}
	p := ringtest.New(t, s.folder, 7, ringtest.About{Clock: "page"})
	s.pass()
	s.pass()
	for read() == 0 { // the test's time-out ends it
		time.Sleep(time.Millisecond)
	}
	for first := read(); read() == first; {
		time.Sleep(time.Millisecond)
	}
	if now, page := p.Now(), read(); page < now-uint64(time.Second) || page > now+uint64(time.Second) {
		t.Errorf("the page says %d at %d", page, now)
	}
	p.Die()
	s.end()
	s.pass()
	if got := read(); got != 0 {
		t.Errorf("%d after the program is gone", got)
	}
}
