// Tasks that several generators carry out together: divided, begun at the same moment, and added up.

package load_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// arrivals are the operations of a task of an open loop, by all of its threads, in their order.
func arrivals(t load.Task) (all []load.Arrival) {
	for thread := range t.Threads {
		of := load.NewFeeder(t, thread)
		for a, more := of.Take(load.Never-1, 0); more; a, more = of.Take(load.Never-1, 0) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b load.Arrival) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Nth, b.Nth))
	})
	return all
}

// Whatever the rate, the arrivals, the mix and the number of generators: together they make the operations of one, at its moments and
// with its rows, each once.
func TestPartsMakeTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 10))
	for range 300 {
		task := load.Task{
			Operations: []load.Request{{Name: "a", Weight: 1, Data: "a.csv"}, {Name: "b", Weight: 3 * rng.Float64()}},
			Rate:       1 + 9000*rng.Float64()*rng.Float64(), Arrivals: []string{load.Even, load.Poisson, load.Constant}[rng.IntN(3)],
			Duration: time.Duration(1+rng.IntN(1000)) * time.Millisecond, Seed: rng.Uint64(), Own: uint64(rng.IntN(3)), Used: uint64(rng.IntN(50)),
			Threads: 1 + rng.IntN(2),
		}
		if rng.IntN(2) == 0 {
			task.Count = uint64(1 + rng.IntN(200))
		}
		if rng.IntN(2) == 0 {
			task.Slices = &load.Slices{Of: 2, Place: rng.IntN(2), Length: 10 * time.Millisecond, First: rng.Int64N(1e9)}
		}
		many := 1 + rng.IntN(64)
		var all []load.Arrival
		for _, part := range load.Parts(task, many) {
			all = append(all, arrivals(part)...)
		}
		slices.SortFunc(all, func(a, b load.Arrival) int {
			return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Nth, b.Nth))
		})
		if whole := arrivals(task.WithDefaults()); !slices.Equal(all, whole) {
			t.Fatalf("%+v by %d generators: %d operations, and one makes %d", task, many, len(all), len(whole))
		}
	}
}

// In a closed loop the connections and the count are divided, and no row is used twice. Every part has a connection: the others of more
// generators make nothing.
func TestPartsOfAClosedLoop(t *testing.T) {
	for _, c := range []struct{ connections, threads, generators, parts int }{
		{1, 1, 3, 1}, {0, 0, 2, 1}, {2, 1, 3, 2}, {3, 1, 3, 3}, {7, 1, 3, 3}, {64, 2, 5, 5}, {5, 2, 4, 2}, {512, 1, 64, 64},
	} {
		task := load.Task{
			Operations: []load.Request{{Data: "a.csv"}}, Connections: c.connections, Threads: c.threads, Count: 1000,
			Traces: &load.Traces{Key: 7, Sampled: 1},
		}
		parts := load.Parts(task, c.generators)
		if len(parts) != c.parts {
			t.Errorf("%+v: %d parts", c, len(parts))
		}
		rows, ids, next := map[uint64]bool{}, map[uint64]bool{}, 0
		for _, part := range parts {
			if part.FirstOpen() != next || part.OpenOfAll() < 1 {
				t.Errorf("%+v: a part has %d connections from number %d, want them from %d", c, part.OpenOfAll(), part.FirstOpen(), next)
			}
			next += part.OpenOfAll()
			for thread := range part.Threads {
				of := load.NewFeeder(part, thread)
				for a, more := of.Take(0, 0); more; a, more = of.Take(0, 0) {
					rows[a.Nth] = true
				}
			}
			for made := range uint64(20) {
				ids[part.Traces.Number(made+1)] = true
			}
		}
		if next != max(1, c.connections) || len(rows) != 1000 || len(ids) != 20*len(parts) {
			t.Errorf("%+v: %d connections, %d rows, %d numbers of traces", c, next, len(rows), len(ids))
		}
	}
}

// fake is a generator whose clock is ahead, and does as it is told.
type fake struct {
	ahead, within time.Duration
	failed        error
	do            func(context.Context, load.Task) (record.Load, error)
	got           *load.Task
}

func (f *fake) Do(ctx context.Context, t load.Task) (record.Load, error) {
	f.got = &t
	return f.do(ctx, t)
}

func (f *fake) Ahead(context.Context) (ahead, within time.Duration, err error) {
	return f.ahead, f.within, f.failed
}

func (f *fake) Close() error { return nil }

// Generators whose clocks differ begin at the same moment, in the same slices.
func TestSpreadBeginsAtOnce(t *testing.T) {
	nothing := func(context.Context, load.Task) (record.Load, error) { return record.Load{}, nil }
	a, b := &fake{ahead: time.Hour, do: nothing}, &fake{ahead: -3 * time.Second, within: time.Millisecond, do: nothing}
	task := load.Task{Operations: []load.Request{{}}, Rate: 100, Duration: time.Second}
	before := time.Now()
	if _, err := (load.Spread{a, b}).Do(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(0, a.got.Among.Begin).Add(-a.ahead)
	if !at.Equal(time.Unix(0, b.got.Among.Begin).Add(-b.ahead)) || at.Sub(before) < 10*time.Millisecond {
		t.Errorf("they begin at %v and %v", time.Unix(0, a.got.Among.Begin), time.Unix(0, b.got.Among.Begin))
	}
	task.Slices = &load.Slices{Of: 2, Place: 1, Length: 10 * time.Millisecond}
	if _, err := (load.Spread{a, b}).Do(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	at = time.Unix(0, a.got.Among.Begin).Add(-a.ahead)
	if s := a.got.Slices; *s != *b.got.Slices || at.UnixNano() != s.First*int64(20*time.Millisecond) {
		t.Errorf("slices %+v and %+v from %v", s, b.got.Slices, at)
	}
	if start, from := a.got.Start(time.Now()); start.UnixNano() != a.got.Among.Begin || from.First != a.got.Slices.First {
		t.Errorf("a generator begins at %v, told %d", start, a.got.Among.Begin)
	}
	b.within = 3 * time.Millisecond
	if _, err := (load.Spread{a, b}).Do(t.Context(), task); err == nil || !strings.Contains(err.Error(), "known to 3ms") {
		t.Errorf("with clocks that are hardly known: %v", err)
	}
	b.failed = errors.New("it is away")
	if _, err := (load.Spread{a, b}).Do(t.Context(), task); !errors.Is(err, b.failed) {
		t.Errorf("with a clock that is not known: %v", err)
	}
}

// Two loads in slices stay apart though three generators make each, whose clocks differ: a slice has the operations of one.
func TestSpreadInSlices(t *testing.T) {
	type operation struct {
		at   time.Time
		load int
	}
	var all []operation
	slice := load.Slices{Of: 2, Length: 10 * time.Millisecond}
	for place := range slice.Of {
		var by load.Spread
		var fakes []*fake
		for i := range 3 {
			one := &fake{ahead: time.Duration(i-place) * time.Hour, do: func(context.Context, load.Task) (record.Load, error) { return record.Load{}, nil }}
			by, fakes = append(by, one), append(fakes, one)
		}
		slice.Place = place
		task := load.Task{Operations: []load.Request{{}}, Rate: 1000, Duration: time.Second, Slices: &slice, Seed: 9, Own: uint64(place)}
		if _, err := by.Do(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		for _, one := range fakes {
			for _, a := range arrivals(*one.got) {
				all = append(all, operation{time.Unix(0, one.got.Among.Begin).Add(a.At - one.ahead), place})
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return a.at.Compare(b.at) })
	turns := 0
	for i := range all[1:] {
		if all[i].load != all[i+1].load {
			turns++
		}
	}
	if len(all) != 2000 || turns < 50 || turns > 110 { // one or two in each of 50 periods, and spread out some 1000
		t.Errorf("%d operations, in which the loads take turns %d times", len(all), turns)
	}
}

// The error of a generator is that of the whole, and ends the others; what was done until then is told.
func TestSpreadFails(t *testing.T) {
	waits := func(ctx context.Context, _ load.Task) (record.Load, error) {
		<-ctx.Done()
		return record.Load{Started: 3, Intended: 3}, ctx.Err()
	}
	broken := errors.New("load generator of pod b: gone")
	b := &fake{do: func(context.Context, load.Task) (record.Load, error) { return record.Load{Started: 4}, broken }}
	task := load.Task{Operations: []load.Request{{}}, Rate: 100, Duration: time.Hour}
	l, err := (load.Spread{&fake{do: waits}, b, &fake{do: waits}}).Do(t.Context(), task)
	if !errors.Is(err, broken) || errors.Is(err, context.Canceled) || l.Started != 10 {
		t.Errorf("%d operations, %v", l.Started, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := (load.Spread{&fake{do: waits}, &fake{do: waits}}).Do(ctx, task); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// What generators saw of the same operations is what one would have seen: the durations in one histogram, and the time from the first
// start of all to the last end.
func TestSpreadAddsUp(t *testing.T) {
	task := load.Task{Operations: []load.Request{{}}, Rate: 2, Duration: 10 * time.Second, Seed: 5}
	latency := func(a load.Arrival) time.Duration {
		return time.Duration(rand.New(rand.NewPCG(uint64(a.At), 1)).ExpFloat64() * 1e9)
	}
	sees := func(_ context.Context, part load.Task) (record.Load, error) {
		h, l, last := record.NewHistogram(), record.Load{}, time.Duration(0)
		all := arrivals(part)
		for _, a := range all {
			l.Intended++
			last = max(last, a.At+latency(a))
			if err := h.RecordValue(int64(latency(a))); err != nil {
				return l, err
			}
		}
		if len(all) > 0 {
			l.WallSeconds = (last - all[0].At).Seconds()
		}
		var err error
		l.Latency, err = record.EncodeHistogram(h)
		return l, err
	}
	whole, err := sees(t.Context(), task.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, many := range []int{1, 2, 3, 40} { // of 40 half have nothing to do
		var all load.Spread
		for range many {
			all = append(all, &fake{do: sees})
		}
		got, err := all.Do(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if off := got.WallSeconds - whole.WallSeconds; got.Intended != 20 || got.Latency != whole.Latency || off > 1e-9 || off < -1e-9 {
			t.Errorf("%d generators: %d operations in %v s, and one sees %v s; the same durations: %t",
				many, got.Intended, got.WallSeconds, whole.WallSeconds, got.Latency == whole.Latency)
		}
	}
}

// listening is a generator that listens, and what ends its connections.
func listening(t *testing.T, token string) (address string, end func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- load.Admit(ctx, l, token, func(ctx context.Context, c *net.TCPConn) {
			_ = serve(ctx, c, c) // the other end sees what it fails of
		})
	}()
	end = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return l.Addr().String(), end
}

// connected are generators of these addresses, called a, b and so on.
func connected(t *testing.T, token string, addresses ...string) (all load.Spread) {
	t.Helper()
	for i, address := range addresses {
		r, err := load.Connect(t.Context(), "load generator of pod "+string(rune('a'+i)), address, token)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
		all = append(all, r)
	}
	return all
}

// Two generators over TCP ask a real server: every operation once, each with a trace and a row of its own, as many as fall due.
func TestSpreadOverTCP(t *testing.T) {
	var mu sync.Mutex
	ids, rows, peers := map[string]int{}, map[string]int{}, map[string]bool{}
	server := httpServer(t, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		ids[r.Header.Get(traceparent.Header)]++
		rows[r.URL.Path]++
		peers[r.RemoteAddr] = true
	})
	a, _ := listening(t, "secret")
	b, _ := listening(t, "secret")
	all := connected(t, "secret", a, b)
	for _, one := range all { // their clock is this one
		if ahead, within, err := one.Ahead(t.Context()); err != nil || ahead.Abs() > within {
			t.Errorf("a clock is ahead of itself by %v ± %v: %v", ahead, within, err)
		}
	}
	data := filepath.Join(t.TempDir(), "rows.csv")
	task := load.Task{
		Operations: []load.Request{{Address: server, Path: "/{data.id}", Data: data}}, Rate: 500, Duration: time.Second,
		Traces: &load.Traces{Key: 7, Sampled: 0.1},
	}
	for round, letter := range []string{"x", "other"} { // the file changes
		text := "id\n"
		for i := range 1000 {
			text += fmt.Sprintf("%s%d\n", letter, i)
		}
		if err := os.WriteFile(data, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		task.Used = uint64(500 * round)
		l, err := all.Do(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		latency, err := l.Latency.Decode()
		if err != nil || l.Intended != 500 || l.Completed != 500 || l.Identified != 500 || l.Sampled != 50 || latency.TotalCount() != 500 {
			t.Errorf("%+v, %v", l, err)
		}
		if l.Used < 2 || l.WallSeconds < 0.9 {
			t.Errorf("%d connections used in %v s", l.Used, l.WallSeconds)
		}
	}
	alone := load.Task{Operations: []load.Request{{Address: server, Path: "/alone"}}, Count: 20, Connections: 1}
	if l, err := all.Do(t.Context(), alone); err != nil || l.Completed != 20 || l.Connected+l.Used > 2 {
		t.Errorf("one at a time: %+v, %v", l, err)
	}
	ofEach := load.Request{Address: server, Path: "/of/{data.id}", Data: data, Order: load.ByConnection}
	sessions := load.Task{Operations: []load.Request{ofEach}, Count: 60, Connections: 5}
	if l, err := connected(t, "secret", a, b).Do(t.Context(), sessions); err != nil || l.Completed != 60 || l.Used != 5 {
		t.Errorf("a row for each connection: %+v, %v", l, err)
	}
	task.Operations[0].Data += ".gone"
	if _, err := all.Do(t.Context(), task); err == nil || !strings.Contains(err.Error(), "rows.csv.gone") {
		t.Errorf("data that is not there: %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(ids) != 1001 || len(rows) != 1006 || rows["/of/other4"] == 0 || rows["/x499"] != 1 || rows["/other500"] != 1 || len(peers) < 2 {
		t.Errorf("%d ids and %d rows of 1000 operations, and none of those that are made alone; %d connections", len(ids), len(rows), len(peers))
	}
}

// A generator that goes away in the middle is named, and the other one stops at once; so is one that is not there, or that takes another
// token.
func TestSpreadLosesOne(t *testing.T) {
	var asked sync.Once
	seen := make(chan struct{})
	server := httpServer(t, func(http.ResponseWriter, *http.Request) { asked.Do(func() { close(seen) }) })
	a, _ := listening(t, "secret")
	b, end := listening(t, "secret")
	all := connected(t, "secret", a, b)
	go func() {
		<-seen
		end()
	}()
	task := load.Task{Operations: []load.Request{{Address: server}}, Rate: 500, Duration: time.Hour}
	_, err := all.Do(t.Context(), task)
	if err == nil || !strings.Contains(err.Error(), "generator of pod b: ") || strings.Contains(err.Error(), "pod a") {
		t.Errorf("the error is %v", err)
	}
	if _, err := load.Connect(t.Context(), "load generator of pod b", b, "secret"); err == nil || !strings.Contains(err.Error(), "pod b") {
		t.Errorf("of one that is not there: %v", err)
	}
	if _, err := load.Connect(t.Context(), "load generator of pod a", a, "guess!"); err == nil || !strings.Contains(err.Error(), "pod a") {
		t.Errorf("with another token: %v", err)
	}
}
