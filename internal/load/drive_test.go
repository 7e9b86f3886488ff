package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load/drivetest"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
)

// driving is a Driver of a program that runs in this process.
func driving(t *testing.T, p drivetest.Program) *Driver {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx, l) }()
	look, err := net.Dial("tcp", l.Addr().String()) // whether it is ready
	if err != nil {
		t.Fatal(err)
	}
	if err := look.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Dial(t.Context(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return d
}

// driven is what one order comes to.
func driven(t *testing.T, d *Driver, o Order) (record.Load, error) {
	t.Helper()
	if err := d.Prepare(t.Context(), o); err != nil {
		return record.Load{}, err
	}
	l, err := d.Run(t.Context())
	if err == nil && o.Samples != "" {
		err = d.Collect(t.Context(), &l)
	}
	return l, err
}

func TestDriver(t *testing.T) {
	for name, test := range map[string]struct {
		order    Order
		started  uint64
		intended uint64
		lags     int64
	}{
		"calls":           {Order{Calls: 1000}, 1000, 1000, 0},
		"uneven threads":  {Order{Calls: 1001, Threads: 4}, 1001, 1001, 0},
		"fixed rate":      {Order{Rate: 2000, Duration: 50 * time.Millisecond}, 100, 100, 100},
		"calls at a rate": {Order{Rate: 2000, Calls: 30}, 30, 30, 30},
		"no samples":      {Order{Calls: 10}, 10, 10, 0},
		"depth and words": {Order{Calls: 10, Depth: 3, Words: map[string]string{"depth": "7", "calls": "99"}}, 10, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			depths := make(chan int, 2000)
			d := driving(t, drivetest.Program{Call: func(depth int) { depths <- depth }})
			if name != "no samples" {
				test.order.Samples = filepath.Join(t.TempDir(), "window")
			}
			l, err := driven(t, d, test.order)
			if err != nil {
				t.Fatal(err)
			}
			fixedRate := test.order.Rate > 0 // on a busy machine the program may be late
			if l.Intended != test.intended || l.Started > test.started || !fixedRate && l.Started != test.started || l.Completed != l.Started {
				t.Errorf("intended %d, started %d, completed %d; want %d, %d", l.Intended, l.Started, l.Completed, test.intended, test.started)
			}
			if l.WallSeconds <= 0 || l.Driven == nil || *l.Driven.GCCount != 2 || l.Driven.ThreadCPU != nil {
				t.Errorf("wall %g, %+v", l.WallSeconds, l.Driven)
			}
			if got := <-depths; got != test.order.Depth || l.Driven.Depth != test.order.Depth {
				t.Errorf("depth %d, said to be %d; want %d", got, l.Driven.Depth, test.order.Depth)
			}
			for what, h := range map[string]record.Histogram{"durations": l.Latency, "lags": l.Lag} {
				want := int64(l.Started)
				if test.order.Samples == "" || what == "lags" && test.lags == 0 {
					want = 0
				}
				decoded, err := h.Decode()
				if err != nil || decoded.TotalCount() != want {
					t.Errorf("%d %s, %v; want %d", decoded.TotalCount(), what, err, want)
				}
			}
			if err := d.Live(t.Context(), &l); err != nil || *l.Driven.HeapLive != 1<<20 {
				t.Errorf("live: %v, %v", l.Driven.HeapLive, err)
			}
			if err := d.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if test.order.Samples == "" {
				return
			}
			if err := test.order.RemoveSamples(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(filepath.Dir(test.order.Samples)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A program that does not do what it is told is found out, in words that say how.
func TestDriverOfABadProgram(t *testing.T) {
	instead := func(to, answer string) drivetest.Program {
		return drivetest.Program{Answer: func(line string) (string, bool) { return answer, strings.HasPrefix(line, to) }}
	}
	spoilt := func(how func([]int64) []int64) drivetest.Program {
		return drivetest.Program{
			Call:  func(int) { time.Sleep(100 * time.Microsecond) },
			Spoil: func(_ string, all []int64) []int64 { return how(all) },
		}
	}
	const done = "done started=100 failed=0 wall_ns=1000000 call_ns=900000"
	for name, test := range map[string]struct {
		program drivetest.Program
		want    string
	}{
		"refuses":            {instead("prepare", "error no such word: depth"), `telling the workload "prepare": it says: no such word: depth`},
		"refuses silently":   {instead("run", "error"), "it says:"},
		"nonsense":           {instead("run", "HTTP/1.1 400 Bad Request"), `it answered "HTTP/1.1 400 Bad Request"; want done …`},
		"the wrong answer":   {instead("run", "prepared"), "want done"},
		"an unknown word":    {instead("run", done+" speed=9"), `"speed=9" is none of`},
		"no word":            {instead("run", "done nothing"), `"nothing" is none of`},
		"twice":              {instead("run", done+" failed=1"), "says failed twice"},
		"no number":          {instead("run", "done started=1e3 failed=0 wall_ns=1"), "started=1e3: want a whole number"},
		"a negative number":  {instead("run", "done started=-3 failed=0 wall_ns=1"), "started=-3: want a whole number"},
		"too little is said": {instead("run", "done started=3 failed=0"), "it does not say wall_ns"},
		"more failed":        {instead("run", "done started=3 failed=4 wall_ns=1"), "4 of 3 operations failed"},
		"more than told":     {instead("run", "done started=101 failed=0 wall_ns=1000000"), "it made 101 operations, and was told to make 100"},
		"no time":            {instead("run", "done started=100 failed=0 wall_ns=0"), "in no time"},
		"more time than is":  {instead("run", "done started=100 failed=0 wall_ns=1000 call_ns=99000000"), "which cannot be"},
		"a long answer":      {instead("run", strings.Repeat("x", maxAnswer+1)), "longer than"},
		"fewer samples":      {spoilt(func(all []int64) []int64 { return all[:99] }), "there are 99 durations of 100 operations"},
		"says so":            {instead("write", "written samples=99"), "wrote 99 durations of 100 operations"},
		"no files":           {instead("write", "written samples=100"), "no such file"},
		"below zero":         {spoilt(func(all []int64) []int64 { all[7] = -1; return all }), "value 7 is -1 ns, which is below 0"},
		"other numbers":      {spoilt(func(all []int64) []int64 { return make([]int64, len(all)) }), "little-endian"},
		"the other byte order": {spoilt(func(all []int64) []int64 {
			for i, n := range all {
				all[i] = int64(binary.BigEndian.Uint64(binary.LittleEndian.AppendUint64(nil, uint64(n)))) & math.MaxInt64
			}
			return all
		}), "little-endian"},
	} {
		t.Run(name, func(t *testing.T) {
			d := driving(t, test.program)
			_, err := driven(t, d, Order{Calls: 100, Samples: filepath.Join(t.TempDir(), "window")})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A process that ends in the middle says nothing more.
func TestDriverOfAProgramThatEnds(t *testing.T) {
	var conn net.Conn
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d, err := Dial(t.Context(), l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if conn, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Prepare(t.Context(), Order{Calls: 1}); err == nil {
		t.Error("an order was taken by nobody")
	}
	if _, err := d.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "given up before") {
		t.Errorf("then: %v", err)
	}
	if err := d.Stop(t.Context()); err != nil {
		t.Errorf("stopping what has ended: %v", err)
	}
}

// The end of the context ends a stretch at once.
func TestDriverIsCancelled(t *testing.T) {
	entered := make(chan struct{}, 1)
	d := driving(t, drivetest.Program{Call: func(int) {
		select {
		case entered <- struct{}{}:
		default:
		}
		time.Sleep(time.Millisecond)
	}})
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("enough")
	if err := d.Prepare(ctx, Order{Calls: 500}); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-entered
		cancel(because)
	}()
	if _, err := d.Run(ctx); !errors.Is(err, because) {
		t.Errorf("error %v", err)
	}
}

func TestOrders(t *testing.T) {
	for name, test := range map[string]struct {
		order Order
		want  string // of the line, or the error
	}{
		"all": {Order{Calls: 7, Duration: time.Second, Rate: 0.5, Threads: 2, Depth: 3, Seed: 10, Words: map[string]string{"size": "9", "depth": "8"}, Samples: "/tmp/x"},
			"prepare calls=7 duration_ns=1000000000 rate=0.5 threads=2 seed=5 depth=3 size=9 samples=/tmp/x batches=/tmp/x.csv"},
		"random":  {Order{Calls: 2, Rate: 1, Moments: 14}, "prepare calls=2 duration_ns=0 rate=1 threads=1 seed=0 moments=7"},
		"no step": {Order{Calls: 2, Moments: 14}, "prepare calls=2 duration_ns=0 rate=0 threads=1 seed=0"},
		"least":   {Order{Calls: 1, Words: map[string]string{"depth": "8"}}, "prepare calls=1 duration_ns=0 rate=0 threads=1 seed=0 depth=8"},
		"endless": {Order{Rate: 5}, "it would never end"},
		"a blank": {Order{Calls: 1, Samples: "/a folder/x"}, "holds a blank"},
		"no rate": {Order{Calls: 1, Rate: math.NaN()}, "rate NaN"},
	} {
		line, err := test.order.line()
		if err != nil && !strings.Contains(err.Error(), test.want) || err == nil && line != test.want {
			t.Errorf("%s: %q, %v; want %q", name, line, err, test.want)
		}
	}
}

func TestWriteCSV(t *testing.T) {
	o := Order{Threads: 2, Samples: filepath.Join(t.TempDir(), "x")}
	for thread, durations := range [][]int64{{10, 20, 30, 40, 50}, {1, 2}} {
		var b []byte
		for _, ns := range durations {
			b = binary.LittleEndian.AppendUint64(b, uint64(ns))
		}
		if err := os.WriteFile(o.samplesOf(thread), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ batches, want string }{
		"batches":        {"calls,heap_bytes,gc_count\n2,100,1\n2,150,2\n4,200,5\n", "0;10;100;1|0;20;100;0|0;30;200;4|0;40;200;0|0;50;200;0|1;1;100;0|1;2;100;0|"},
		"none":           {"calls,heap_bytes,gc_count\n", "0;10;0;0|0;20;0;0|0;30;0;0|0;40;0;0|0;50;0;0|1;1;0;0|1;2;0;0|"},
		"another header": {"calls,heap,gc\n", `column 2 of the header is "heap"`},
		"no number":      {"calls,heap_bytes,gc_count\n2,x,1\n", "line 2, heap_bytes"},
		"falling":        {"calls,heap_bytes,gc_count\n2,1,1\n1,1,1\n", "never fall"},
	} {
		if err := os.WriteFile(o.BatchesPath(), []byte(test.batches), 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := o.WriteCSV(&out)
		if got := strings.ReplaceAll(out.String(), "\n", "|"); err == nil && got != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
}

// mostShown is how long an error about what others wrote may be: a few excerpts, and its
// own words.
const mostShown = 4*quote.Most + 400

// checkShown checks that an error can be shown, whatever it quotes.
func checkShown(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); len(text) > mostShown || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		t.Errorf("an error of %d bytes, of which %d may be shown: %.*q", len(text), mostShown, mostShown, text)
	}
}

// What a workload, a server or a file says is cut and escaped wherever an error quotes it.
func TestForeignTextIsCut(t *testing.T) {
	long := strings.Repeat("\x1bx", 1<<14)
	answers := []string{long, "error " + long, "done " + long, "done " + long + "=1", "done started=" + long, "done started=1 started=1" + long}
	for _, line := range answers {
		_, err := parseAnswer(line, "done")
		if err == nil {
			t.Fatalf("%.20q is taken", line)
		}
		checkShown(t, err)
	}
	for _, file := range []string{long + ",a,b\n", "calls,heap_bytes,gc_count\n" + long + ",1,2\n"} {
		_, err := parseBatches(strings.NewReader(file))
		if err == nil {
			t.Fatalf("%.20q is taken", file)
		}
		checkShown(t, err)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, line := range []string{"prepared", "done started=1 failed=0 wall_ns=5", "error no", "errors", "written samples=9223372036854775808", "live", "done  started=1", "done started=1\r", "done =", ""} {
		for word := range answerWords {
			f.Add(line, word)
		}
	}
	f.Fuzz(func(t *testing.T, line, word string) {
		values, err := parseAnswer(line, word)
		if err != nil {
			checkShown(t, err)
			return
		}
		if !strings.HasPrefix(line, word) {
			t.Errorf("%q was taken for %q", line, word)
		}
		for name, n := range values {
			if !strings.Contains(line, name+"=") || n > math.MaxInt64 {
				t.Errorf("%q gave %s=%d", line, name, n)
			}
		}
		if word == "done" { // nothing that is said may break what is made of it
			if l, err := (Order{Calls: 5}).load(values); err == nil && l.Completed+l.Failed != l.Started {
				t.Errorf("%q gave %+v", line, l)
			}
		}
	})
}

func FuzzParseBatches(f *testing.F) {
	f.Add("calls,heap_bytes,gc_count\n2,100,1\n4,200,5\n")
	f.Add("calls,heap_bytes,gc_count\n\"2\",100,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		batches, err := parseBatches(strings.NewReader(text))
		if err != nil {
			checkShown(t, err)
			return
		}
		w, last := batchWalk{batches: batches, first: true}, uint64(0)
		for range 10 {
			_, n := w.next()
			last += n
		}
		if n := len(batches); n > 0 && last > batches[n-1].collections {
			t.Errorf("%d collections of %d", last, batches[n-1].collections)
		}
	})
}

// The files may hold whatever the process wrote.
func FuzzSamples(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127, 0})
	path := filepath.Join(f.TempDir(), "samples")
	f.Fuzz(func(t *testing.T, content []byte) {
		path := path + strconv.Itoa(os.Getpid())
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		h := record.NewHistogram()
		n, _, err := readSamples(path, h)
		if err == nil && (n != uint64(len(content))/sampleBytes || h.TotalCount() != int64(n)) {
			t.Errorf("%d values of %d bytes, %d in the histogram", n, len(content), h.TotalCount())
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("half a value was not found out: %v", err)
		}
	})
}

// Only a program that has said so gets random moments; of another one it is said that it keeps step.
func TestDriverOfRandomMoments(t *testing.T) {
	order := Order{Calls: 2, Rate: 1000, Moments: 14}
	for _, test := range []struct {
		steps    bool
		orders   string // the word moments in each of them
		constant bool   // the last one
	}{{false, "[false true true]", false}, {true, "[false false false]", true}} {
		var with []bool
		d := driving(t, drivetest.Program{Steps: test.steps, Die: func(line string) {
			if strings.HasPrefix(line, "prepare") {
				with = append(with, strings.Contains(line, " moments=7"))
			}
		}})
		var last record.Load
		for range 3 {
			var err error
			if last, err = driven(t, d, order); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(with); got != test.orders || last.Driven.Constant != test.constant {
			t.Errorf("steps %t: moments in %s, constant %t; want %s, %t", test.steps, got, last.Driven.Constant, test.orders, test.constant)
		}
	}
}

// Threads that each begin at once make more than falls due: that rate is not the one ordered.
func TestDriverOfThreadsThatDoNotTakeTurns(t *testing.T) {
	burst := drivetest.Program{Answer: func(line string) (string, bool) {
		return "done started=64 failed=0 wall_ns=1000000", strings.HasPrefix(line, "run")
	}}
	order := Order{Rate: 1, Duration: 100 * time.Millisecond, Threads: 64}
	const want = "it made 64 operations, and in 100ms no more than 1 fall due at 1/s"
	if _, err := driven(t, driving(t, burst), order); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if l, err := driven(t, driving(t, drivetest.Program{}), order); err != nil || l.Started != 1 {
		t.Errorf("with turns: %d operations, %v", l.Started, err)
	}
}
