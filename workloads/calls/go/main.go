// Calls makes calls of a recursive function, as it is ordered to over TCP on
// loopback (docs/self-driving.md); it is there to be traced.
//
//	calls -listen 127.0.0.1:8080
//
// Built with the tag otel or elastic the function is instrumented; without a tag,
// no tracer is linked.

package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"net"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// shutdownPatience bounds how long the export of the last spans may take.
const shutdownPatience = 10 * time.Second

func main() {
	address := flag.String("listen", "127.0.0.1:8080", "`address` to take orders on")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		log.Print("calls: ", err)
		os.Exit(1)
	}
}

// run takes orders until the work is over or ctx ends. Tracing stops after that, so
// that the spans of the last calls are exported too.
func run(ctx context.Context, address string) (err error) {
	stopTracing, err := startTracing(ctx)
	if err != nil {
		return fmt.Errorf("starting tracing: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	over := make(chan error, 1)
	go func() { over <- new(server).serve(listener) }()
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return listener.Close()
	}
}

// What is asked for: the words of a "prepare" line.

const (
	defaultDepth = 10
	mostDepth    = 4096
	mostThreads  = 1024
)

// order is a stretch of work that is asked for.
type order struct {
	calls    int64         // the most operations, over all threads; 0 is no limit
	duration time.Duration // the longest time; 0 is no limit
	rate     float64       // operations/s over all threads; 0 is as fast as it goes
	moments  uint64        // seed of the moments at which operations start at a rate; 0 is the beginning of each slot
	threads  int
	depth    int           // calls in one another that make one operation
	busy     time.Duration // that the innermost call takes at least
	samples  string        // prefix of the files that every duration goes to; "" keeps none
	batches  string        // file of the heap's course; "" keeps none
}

func (o *order) fixedRate() bool { return o.rate > 0 }

func (o *order) kept() bool { return o.samples != "" }

// interval is the time between the intended starts of two operations of one thread.
func (o *order) interval() float64 { return 1e9 * float64(o.threads) / o.rate }

// offset is when the first operation of a thread is due: the threads take turns.
func (o *order) offset(thread int) float64 { return 1e9 * float64(thread) / o.rate }

// due is how many operations of a thread have fallen due so long after the start.
func (o *order) due(d time.Duration, thread int) int64 {
	return int64(math.Floor((float64(d)-o.offset(thread))/o.interval())) + 1
}

// leastSlot: operations that fall due within it start together.
const leastSlot = time.Millisecond

// slot is the time in which the n-th operation of a thread, from 0, starts: its own period or, of more frequent ones, a
// millisecond. What ends the stretch cuts the last one off.
func (o *order) slot(n int64, thread int) (begin, length time.Duration) {
	begin, length = time.Duration(math.Round(o.offset(thread)+float64(n)*o.interval())), time.Duration(1e9/o.rate)
	if length < leastSlot {
		begin, length = begin.Truncate(leastSlot), leastSlot
	}
	if o.duration > 0 {
		length = min(length, o.duration-begin)
	}
	return begin, length
}

// share is the most operations that a thread, counted from 0, makes.
func (o *order) share(thread int) int64 {
	share := int64(math.MaxInt64)
	if o.calls > 0 {
		share = o.calls / int64(o.threads)
		if int64(thread) < o.calls%int64(o.threads) {
			share++
		}
	}
	switch {
	case o.fixedRate() && o.duration > 0:
		return min(share, o.due(o.duration-1, thread))
	case o.kept() && o.calls == 0:
		return mostSamples
	}
	return share
}

// parseOrder reads the words that follow "prepare".
func parseOrder(line string) (order, error) {
	w := words{}
	for word := range strings.FieldsSeq(line) {
		name, value, ok := strings.Cut(word, "=")
		if _, twice := w[name]; !ok || twice {
			return order{}, fmt.Errorf("the word %q is not of the form name=value, or stands there twice", word)
		}
		w[name] = value
	}
	delete(w, "seed") // no operation is left to chance
	var errs [7]error
	o := order{threads: 1, depth: defaultDepth, samples: w.take("samples"), batches: w.take("batches")}
	o.calls, errs[0] = w.whole("calls", 0, 0, math.MaxInt64)
	duration, err := w.whole("duration_ns", 0, 0, math.MaxInt64)
	o.duration, errs[1] = time.Duration(duration), err
	threads, err := w.whole("threads", 1, 1, mostThreads)
	o.threads, errs[2] = int(threads), err
	depth, err := w.whole("depth", defaultDepth, 1, mostDepth)
	o.depth, errs[3] = int(depth), err
	busy, err := w.whole("busy_ns", 0, 0, math.MaxInt64)
	o.busy, errs[4] = time.Duration(busy), err
	o.rate, errs[5] = w.rate("rate")
	moments, err := w.whole("moments", 0, 0, math.MaxInt64)
	o.moments, errs[6] = uint64(moments), err
	if err := errors.Join(errs[:]...); err != nil {
		return order{}, err
	}
	for name := range w {
		return order{}, fmt.Errorf("unknown word %q", name)
	}
	if o.calls == 0 && o.duration == 0 {
		return order{}, errors.New("neither calls nor duration_ns is given")
	}
	return o, nil
}

// words are those that nobody has taken yet.
type words map[string]string

func (w words) take(name string) string {
	value := w[name]
	delete(w, name)
	return value
}

func (w words) whole(name string, otherwise, least, most int64) (int64, error) {
	value := w.take(name)
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s=%s is not a whole number from %d to %d", name, value, least, most)
	}
	return n, nil
}

func (w words) rate(name string) (float64, error) {
	value := w.take(name)
	if value == "" {
		return 0, nil
	}
	r, err := strconv.ParseFloat(value, 64)
	if err != nil || !(r >= 0 && r <= 1e9) {
		return 0, fmt.Errorf("%s=%s is not a number between 0 and 1e9", name, value)
	}
	return r, nil
}

// Orders, a line each, and the answers to them.

// server carries out one order after the other.
type server struct {
	stretch *stretch // nil before the first "prepare"
}

// serve listens until the work is over: at "stop", or where a connection ends on
// which a line came. A connection without a line only asked whether anybody listens.
func (s *server) serve(listener net.Listener) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		over, err := s.talk(connection)
		connection.Close()
		if err != nil {
			log.Print("calls: the connection broke: ", err)
		}
		if over {
			return nil
		}
	}
}

func (s *server) talk(connection net.Conn) (over bool, err error) {
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		over = true
		line := lines.Text()
		if _, err := fmt.Fprintln(connection, s.answer(line)); err != nil || line == "stop" {
			return true, err
		}
	}
	return over, lines.Err()
}

var unprintable = regexp.MustCompile(`[^ -~]+`)

func (s *server) answer(line string) string {
	answer, err := s.carryOut(line)
	if err != nil {
		return "error " + unprintable.ReplaceAllString(err.Error(), " ")
	}
	return answer
}

func (s *server) carryOut(line string) (answer string, err error) {
	verb, words, _ := strings.Cut(line, " ")
	switch verb {
	case "prepare":
		return s.prepare(words)
	case "run":
		if s.stretch == nil {
			return "", errors.New("no order was prepared")
		}
		return s.stretch.make()
	case "write":
		if s.stretch == nil {
			return "", errors.New("no order was prepared")
		}
		written, err := s.stretch.write()
		return fmt.Sprint("written samples=", written), err
	case "live":
		runtime.GC()
		return fmt.Sprint("live heap_live_bytes=", readMeters().heap), nil
	case "stop":
		return "bye", nil
	}
	return "", fmt.Errorf("unknown order %q", verb)
}

func (s *server) prepare(words string) (string, error) {
	o, err := parseOrder(words)
	if err != nil {
		return "", err
	}
	if s.stretch != nil {
		if err := s.stretch.close(); err != nil {
			return "", err
		}
		s.stretch = nil // its arrays make room for the new ones
	}
	s.stretch, err = newStretch(o)
	return "prepared moments=1", err
}
