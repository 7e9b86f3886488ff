// The capacity of the generator: who is blamed for what, the search, and the
// little server.

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

func TestBound(t *testing.T) {
	share := func(ran, waited float64) *Share { return &Share{ran, waited} }
	idle := share(0.3, 0)
	for _, c := range []struct {
		name      string
		generator Share
		server    *Share
		failed    uint64
		shared    bool
		want      Bound
	}{
		{"generator", Share{0.97, 0.01}, idle, 0, false, ByGenerator},
		{"server", Share{0.5, 0}, share(0.97, 0), 0, false, ByServer},
		{"both, the generator more", Share{0.99, 0}, share(0.92, 0), 0, false, ByGenerator},
		{"both, the server more", Share{0.92, 0}, share(0.99, 0), 0, false, ByServer},
		{"neither", Share{0.5, 0}, share(0.6, 0), 0, false, ByConnections},
		{"generator without its CPU", Share{0.6, 0.39}, idle, 0, false, ByOthers},
		{"server without its CPU", Share{0.3, 0}, share(0.6, 0.39), 0, false, ByOthers},
		{"both disturbed", Share{0.45, 0.38}, share(0.44, 0.41), 0, false, ByOthers},
		{"one CPU", Share{0.55, 0.43}, share(0.44, 0.5), 0, true, BySharedCPU},
		{"server unknown", Share{0.5, 0}, nil, 0, false, NotByGenerator},
		{"server unknown, generator busy", Share{0.99, 0}, nil, 0, false, ByGenerator},
		{"failures", Share{0.99, 0}, idle, 5, false, ByFailures},
	} {
		s := stretch{load: record.Load{Intended: 100, Completed: 100 - c.failed, Failed: c.failed}, generator: c.generator, server: c.server}
		if got := s.bound(c.shared); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A late generator is to blame itself, unless others had its CPU.
func TestOpenBound(t *testing.T) {
	for _, c := range []struct {
		name      string
		generator Share
		limit     Limit
		want      Bound
	}{
		{"late", Share{0.95, 0.02}, GeneratorLate, ByGenerator},
		{"late at leisure", Share{0.3, 0.01}, GeneratorLate, ByGenerator},
		{"disturbed", Share{0.1, 0.05}, GeneratorLate, ByOthers},
		{"overloaded", Share{0.3, 0.05}, ServerOverloaded, ByServer},
	} {
		s := stretch{load: record.Load{Intended: 100, Completed: 100}, generator: c.generator, server: &Share{Ran: 0.5}}
		s.summary.Limit = c.limit
		if got := s.openBound(false); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A service of known capacity: open loops are held below it, and closed ones reach it.
func TestCapacitySearchFindsAKnownRate(t *testing.T) {
	const known = 8000.0
	var ran time.Duration
	var asked []float64
	late := 0 // how many of the next rates are not held although they could be
	with := Instruments{
		Do: func(_ context.Context, task Task) (record.Load, error) {
			rate := task.Rate
			if rate == 0 {
				rate = known * float64(task.Threads) // each thread can ask as much
			}
			lag := 10 * time.Microsecond
			if task.Rate > 0 && task.Duration == time.Second {
				asked = append(asked, rate/float64(task.Threads))
				if rate > known*float64(task.Threads) || late > 0 {
					lag, late = 5*time.Millisecond, late-1
				}
			}
			ran += time.Duration(rate / known * float64(task.Duration))
			return steadyLoad(t, rate, task.Duration, lag), nil
		},
		Generator: func() (Threads, error) { return Threads{1: {Ran: ran}}, nil },
	}
	plan := CapacityPlan{Threads: []int{1, 2}, Connections: []int{1, 8}, Stretch: time.Second, GeneratorCPUs: 2}
	plan.Task = Task{Operations: []Request{{Address: "127.0.0.1:1"}}}
	late = 1
	c, err := MeasureCapacity(t.Context(), plan, with)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Closed) != 3 || len(c.Open) != 2 { // two threads have no use for one connection
		t.Fatalf("%+v", c)
	}
	for _, cell := range c.Closed {
		if r := cell.Rate / float64(cell.Threads); r < 0.99*known || r > 1.01*known {
			t.Errorf("%+v: want %v/s", cell, known)
		}
	}
	for _, h := range c.Open {
		if rate := h.Rate / float64(h.Threads); rate < 0.95*known || rate > known || h.Failing/float64(h.Threads) <= known || h.Bound != ByGenerator {
			t.Errorf("%+v; asked %v; want a little under %v/s, by the generator", h, asked, known)
		}
	}
	if asked[0] != asked[1] {
		t.Errorf("asked %v: the rate that was not held once was not tried again", asked)
	}
}

// steadyLoad is a load whose operations all took the same time.
func steadyLoad(t *testing.T, rate float64, length, lag time.Duration) record.Load {
	t.Helper()
	n := uint64(rate * length.Seconds())
	tally := newTally(Task{})
	for i := range n {
		at := time.Duration(float64(i) / rate * 1e9)
		tally.due(at)
		tally.late(lag)
		tally.started++
		tally.complete(at, at+lag+20*time.Microsecond)
	}
	l, err := tally.load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestCapacityOfFailures(t *testing.T) {
	failed := errors.New("no more")
	plan := CapacityPlan{Task: Task{}, Threads: []int{1}, Connections: []int{1}, Stretch: time.Second, GeneratorCPUs: 1}
	with := Instruments{
		Do: func(context.Context, Task) (record.Load, error) {
			return record.Load{Intended: 3, Failed: 3, WallSeconds: 1}, nil
		},
		Generator: func() (Threads, error) { return nil, nil },
	}
	c, err := MeasureCapacity(t.Context(), plan, with)
	if err != nil || len(c.Closed) != 1 || c.Closed[0].Bound != ByFailures || len(c.Open) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	with.Do = func(context.Context, Task) (record.Load, error) { return record.Load{}, failed }
	if _, err := MeasureCapacity(t.Context(), plan, with); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := MeasureCapacity(t.Context(), CapacityPlan{}, with); err == nil {
		t.Error("a plan without anything to try is carried out")
	}
}

// answering starts the little server and returns its address.
func answering(t *testing.T, threads int) string {
	t.Helper()
	in, hold := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Answer(context.Background(), threads, in, out) }()
	t.Cleanup(func() {
		if err := errors.Join(hold.Close(), <-ended); err != nil {
			t.Error(err)
		}
	})
	var at Answering
	if err := json.NewDecoder(read).Decode(&at); err != nil {
		t.Fatal(err)
	}
	return at.Address
}

func TestAnswerServesTheGenerator(t *testing.T) {
	addr := answering(t, 2)
	eachEngine(t, func(t *testing.T, g *Generator) {
		r := Request{Address: addr, Status: []int{200}}
		for _, task := range []Task{
			{Connections: 32, Threads: 2, Count: 5000, Operations: []Request{r}},
			{Connections: 1, Count: 200, Operations: []Request{r}},
		} {
			if l := do(t, g, task); l.Completed != task.Count || l.Connected > uint64(task.Connections) {
				t.Errorf("%d of %d completed over %d connections: %v", l.Completed, task.Count, l.Connected, l.Errors)
			}
		}
	})
}

// However requests are cut into packets, each is answered once.
func TestAnswerCountsRequests(t *testing.T) {
	addr := answering(t, 1)
	const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, parts := range [][]string{
		{request},
		{request, request},
		{strings.Repeat(request, 200)},
		{request[:len(request)-2], request[len(request)-2:]},
		{request[:len(request)-3], request[len(request)-3:] + request},
		{"x\r\n\r", "\r\n\r\n"},
		{"GET"},
	} {
		sent := strings.Join(parts, "")
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if _, err := c.Write([]byte(p)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		want := strings.Count(sent, "\r\n\r\n")
		if err != nil || strings.Count(string(got), "200 OK") != want {
			t.Errorf("%.60q: %d answers, %v; want %d", parts, strings.Count(string(got), "200 OK"), err, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestThreadsSince(t *testing.T) {
	before := Threads{1: {10, 5}, 2: {20, 0}, 3: {7, 7}}
	after := Threads{1: {110, 25}, 2: {70, 3}, 4: {2, 900}} // 3 has ended, 4 has begun
	for n, want := range map[int]CPUTime{0: {152, 0}, 1: {152, 20}, 2: {152, 23}, 9: {152, 923}} {
		if got := after.Since(before, n); got != want {
			t.Errorf("%d threads: %+v, want %+v", n, got, want)
		}
	}
}

func TestReadCPU(t *testing.T) {
	if _, err := ReadCPU(1 << 30); err == nil {
		t.Error("a process that is not there uses something")
	}
}

func TestSources(t *testing.T) {
	for list, want := range map[string]string{
		"":                                "[]",
		"127.0.0.2":                       "[127.0.0.2]",
		"127.0.0.2,127.0.0.4":             "[127.0.0.2 127.0.0.4]",
		"127.0.0.254-127.0.1.1":           "[127.0.0.254 127.0.0.255 127.0.1.0 127.0.1.1]",
		"::1":                             "[::1]",
		"127.0.0.9-127.0.0.2":             "the lower one first",
		"127.0.0.2-::1":                   "of one kind",
		"127.0.0.2-300":                   "of one kind",
		"localhost":                       "want an address",
		"127.0.0.0-127.255.0.0":           "more than 1024",
		"127.0.0.2-127.0.0.2":             "[127.0.0.2]",
		"255.255.255.255-":                "of one kind",
		"255.255.255.254-255.255.255.255": "[255.255.255.254 255.255.255.255]",
	} {
		var items []string
		if list != "" {
			items = strings.Split(list, ",")
		}
		got, err := Sources(items)
		if text := fmt.Sprint(got); err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", list, text, err, want)
		}
	}
}
