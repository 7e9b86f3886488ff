// Package drivetest is the other end of a load.Driver, for tests: a program that
// is self-driving as docs/self-driving.md says, and that can go wrong on purpose.
// It knows nothing of who gives the orders.
package drivetest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Program is a self-driving workload.
type Program struct {
	Call   func(depth int)                                 // one operation; nil does nothing
	Answer func(line string) (string, bool)                // an answer to give instead of the right one
	Spoil  func(samples string, durations []int64) []int64 // the numbers to write instead of the durations
	Die    func(line string)                               // called with every line before it is carried out
	Late   time.Duration                                   // after an order's duration, none is begun at a rate; 0: 100 ms
	Steps  bool                                            // it knows no random moments: operations at a rate keep step
}

// Serve takes orders on a listener until the order to stop, the end of a connection with orders, or the end of ctx.
func (p Program) Serve(ctx context.Context, l net.Listener) error {
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for orders: %w", err)
		}
		ordered := p.obey(ctx, conn)
		if err := conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("closing a connection: %w", err)
		}
		if ordered {
			return nil
		}
	}
}

// obey carries out the lines of a connection, and reports whether there were any.
func (p Program) obey(ctx context.Context, conn net.Conn) (ordered bool) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var work work
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		line := lines.Text()
		ordered = true
		if p.Die != nil {
			p.Die(line)
		}
		answer, instead := "", false
		if p.Answer != nil {
			answer, instead = p.Answer(line)
		}
		if !instead {
			answer = p.carryOut(&work, line)
		}
		if _, err := conn.Write([]byte(answer + "\n")); err != nil || line == "stop" {
			return true
		}
	}
	return ordered
}

func (p Program) carryOut(w *work, line string) string {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "prepare":
		next, err := prepare(rest)
		if err == nil && p.Steps && next.moments > 0 {
			err = errors.New("unknown word moments")
		}
		if err != nil {
			return "error " + err.Error()
		}
		*w = next
		if p.Steps {
			return "prepared"
		}
		return "prepared moments=1"
	case "run":
		if w.threads == nil {
			return "error nothing is prepared"
		}
		return w.run(p)
	case "write":
		n, err := w.write(p.Spoil)
		if err != nil {
			return "error " + err.Error()
		}
		return fmt.Sprintf("written samples=%d", n)
	case "live":
		return "live heap_live_bytes=1048576"
	case "stop":
		return "bye"
	}
	return "error unknown line " + word
}

// work is a prepared order.
type work struct {
	calls    uint64
	duration time.Duration
	rate     float64
	depth    int
	moments  uint64
	samples  string
	batches  string
	threads  []thread
}

// thread is the part of one thread, and its durations in ns.
type thread struct {
	number          int
	most            uint64
	durations, lags []int64
}

// late bounds the time after its duration in which an order at a rate still begins operations that fell due in time.
const late = 100 * time.Millisecond

// most is the number of durations that a thread keeps of an order without calls and rate.
const most = 1 << 20

func prepare(words string) (work, error) {
	w, threads := work{}, 1
	for _, word := range strings.Fields(words) {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch name {
		case "calls":
			w.calls, err = strconv.ParseUint(value, 10, 64)
		case "duration_ns":
			var ns int64
			ns, err = strconv.ParseInt(value, 10, 64)
			w.duration = time.Duration(ns)
		case "rate":
			w.rate, err = strconv.ParseFloat(value, 64)
		case "threads":
			threads, err = strconv.Atoi(value)
		case "depth":
			w.depth, err = strconv.Atoi(value)
		case "seed", "busy_ns":
			_, err = strconv.ParseUint(value, 10, 63)
		case "moments":
			w.moments, err = strconv.ParseUint(value, 10, 63)
		case "samples":
			w.samples = value
		case "batches":
			w.batches = value
		default:
			err = errors.New("unknown word " + name)
		}
		if err != nil {
			return w, fmt.Errorf("%s: %w", word, err)
		}
	}
	w.threads = make([]thread, threads)
	for i := range w.threads {
		n := uint64(most)
		switch {
		case w.calls > 0:
			n = (w.calls + uint64(threads-1-i)) / uint64(threads)
		case w.rate > 0:
			n = uint64(w.rate*w.duration.Seconds())/uint64(threads) + 1
		}
		w.threads[i].number = i
		w.threads[i].most = n
		w.threads[i].durations = make([]int64, 0, n)
		w.threads[i].lags = make([]int64, 0, n)
	}
	return w, nil
}

// run makes the operations.
func (w *work) run(p Program) string {
	call, late := p.Call, cmp.Or(p.Late, late)
	if call == nil {
		call = func(int) {}
	}
	begun := time.Now()
	var all sync.WaitGroup
	for i := range w.threads {
		all.Go(func() { w.threads[i].run(w, begun, late, call) })
	}
	all.Wait()
	wall := time.Since(begun)
	var started, sum int64
	for _, t := range w.threads {
		started += int64(len(t.durations))
		for _, ns := range t.durations {
			sum += ns
		}
	}
	return fmt.Sprintf("done started=%d failed=0 wall_ns=%d call_ns=%d gc_count=2 heap_peak_bytes=4096", started, int64(wall), sum)
}

func (t *thread) run(w *work, begun time.Time, late time.Duration, call func(int)) {
	gap, offset := time.Duration(0), time.Duration(0)
	moments := rand.New(rand.NewPCG(w.moments, uint64(t.number)))
	if w.rate > 0 {
		offset = time.Duration(float64(t.number) / w.rate * float64(time.Second)) // the threads take turns
		gap = time.Duration(float64(len(w.threads)) / w.rate * float64(time.Second))
	} else {
		late = 0
	}
	for n := uint64(0); n < t.most; n++ {
		due := begun.Add(offset + time.Duration(n)*gap)
		if w.duration > 0 && (due.Sub(begun) >= w.duration || time.Since(begun) >= w.duration+late) {
			return
		}
		if w.moments > 0 {
			due = due.Add(time.Duration(moments.Float64() / w.rate * float64(time.Second)))
		}
		if gap > 0 {
			time.Sleep(time.Until(due)) // the pace of the order
		}
		start := time.Now()
		call(w.depth)
		t.durations = append(t.durations, int64(time.Since(start)))
		t.lags = append(t.lags, max(0, int64(start.Sub(due))))
	}
}

// write writes the durations to files.
func (w *work) write(spoil func(string, []int64) []int64) (n int, err error) {
	for i, t := range w.threads {
		n += len(t.durations)
		durations := t.durations
		path := w.samples + "." + strconv.Itoa(i)
		if spoil != nil {
			durations = spoil(path, durations)
		}
		err = errors.Join(err, writeNumbers(path, durations))
		if w.rate > 0 {
			err = errors.Join(err, writeNumbers(path+".lag", t.lags))
		}
	}
	if w.batches == "" {
		return n, err
	}
	half := len(w.threads[0].durations) / 2
	text := fmt.Sprintf("calls,heap_bytes,gc_count\n%d,1000,1\n%d,2000,2\n", half, len(w.threads[0].durations))
	return n, errors.Join(err, os.WriteFile(w.batches, []byte(text), 0o644))
}

func writeNumbers(path string, numbers []int64) error {
	var out []byte
	for _, n := range numbers {
		out = binary.LittleEndian.AppendUint64(out, uint64(n))
	}
	return os.WriteFile(path, out, 0o644)
}
