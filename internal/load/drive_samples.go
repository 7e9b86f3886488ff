// The answers of a self-driving workload.

package load

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
)

// answerWords lists the words that may follow the first one of an answer.
var answerWords = map[string][]string{
	"prepared": {"moments"},
	"done": {
		"started", "failed", "wall_ns", "call_ns", "thread_cpu_ns", "allocated_bytes", "allocated_callers_bytes",
		"gc_count", "gc_ns", "heap_peak_bytes",
	},
	"written": {"samples"},
	"live":    {"heap_live_bytes"},
	"bye":     nil,
}

// refusedError is a line that the process reports it cannot carry out; the connection remains usable.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return "it says: " + quote.Line(e.text) }

// parseAnswer parses an answer that must begin with a word: its values are whole numbers.
func parseAnswer(line, word string) (map[string]uint64, error) {
	line = strings.TrimSuffix(line, "\r")
	if text, refused := strings.CutPrefix(line, "error"); refused && (text == "" || text[0] == ' ') {
		return nil, &refusedError{strings.TrimSpace(text)}
	}
	parts := strings.Split(line, " ")
	if parts[0] != word {
		return nil, fmt.Errorf("it answered %s; want %s …", quote.Quoted(line), quote.Line(word))
	}
	values := map[string]uint64{}
	for _, part := range parts[1:] {
		name, text, ok := strings.Cut(part, "=")
		if !ok || !slices.Contains(answerWords[word], name) {
			return nil, fmt.Errorf("it answered %s, in which %s is none of %s=…", quote.Quoted(line), quote.Quoted(part), strings.Join(answerWords[word], "=…, "))
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("it answered %s, which says %s twice", quote.Quoted(line), name)
		}
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return nil, fmt.Errorf("it answered %s=%s: want a whole number from 0: %w", name, quote.Line(text), errors.Unwrap(err))
		}
		values[name] = n
	}
	return values, nil
}

// told returns a value as the record has it; nil if the process does not report it.
func told[T any](values map[string]uint64, name string, as func(uint64) T) *T {
	n, said := values[name]
	if !said {
		return nil
	}
	v := as(n)
	return &v
}

func inSeconds(ns uint64) float64 { return float64(ns) * 1e-9 }

func asTold(n uint64) uint64 { return n }

// Tolerances of figures: clocks of threads are not read at the very moments at which the stretch begins and ends.
const (
	sumTolerance  = 1e-3
	wallTolerance = 1e-2
	wallSlack     = 1e-3 // seconds
)

// possible returns an error if the reported figures cannot be true.
func possible(l *record.Load) error {
	most := l.WallSeconds*float64(l.Driven.Threads)*(1+wallTolerance) + wallSlack
	if l.Driven.CallSeconds > most {
		return fmt.Errorf("its operations took %.6g s on %d threads in %.6g s of wall time, which cannot be", l.Driven.CallSeconds, l.Driven.Threads, l.WallSeconds)
	}
	return nil
}

// The files with a self-driving workload's durations: read as a stream, so millions of them take no memory.

// sampleBytes is the size of one duration in a file.
const sampleBytes = 8

func (o Order) samplesOf(thread int) string { return o.Samples + "." + strconv.Itoa(thread) }

// collect reads the files of the order into l, and checks them against the process's report.
func (o Order) collect(l *record.Load) error {
	latency, lag := record.NewHistogram(), record.NewHistogram()
	var counted uint64
	var sum float64 // seconds
	for thread := range o.threads() {
		n, ns, err := readSamples(o.samplesOf(thread), latency)
		if err != nil {
			return err
		}
		counted, sum = counted+n, sum+ns*1e-9
		if o.Rate <= 0 {
			continue
		}
		lags, _, err := readSamples(o.samplesOf(thread)+".lag", lag)
		if err != nil {
			return err
		}
		if lags != n {
			return fmt.Errorf("thread %d has %d durations and %d lags: it must write one of each an operation", thread, n, lags)
		}
	}
	if counted != l.Started {
		return fmt.Errorf("there are %d durations of %d operations", counted, l.Started)
	}
	if said := l.Driven.CallSeconds; said > 0 && math.Abs(said-sum) > sumTolerance*sum {
		return fmt.Errorf("the durations add up to %.6g s, and it says %.6g s (call_ns): are they little-endian nanoseconds?", sum, said)
	}
	l.Driven.CallSeconds = sum
	if err := possible(l); err != nil {
		return err
	}
	var err, lagErr error
	l.Latency, err = record.EncodeHistogram(latency)
	l.Lag, lagErr = record.EncodeHistogram(lag)
	return errors.Join(err, lagErr)
}

// readSamples adds the durations of a file to a histogram, and returns their number and their sum in nanoseconds. Longer ones
// than the histogram holds count as its longest.
func readSamples(path string, to *hdrhistogram.Histogram) (n uint64, sum float64, err error) {
	highest := to.HighestTrackableValue()
	err = eachSample(path, func(ns int64) error {
		n, sum = n+1, sum+float64(ns)
		return to.RecordValue(min(ns, highest))
	})
	return n, sum, err
}

// eachSample calls do for every value of a file, in nanoseconds, at least 0.
func eachSample(path string, do func(ns int64) error) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", path)
	case info.Size()%sampleBytes != 0:
		return fmt.Errorf("%s has %d bytes, which are not whole durations of %d bytes", path, info.Size(), sampleBytes)
	}
	in := bufio.NewReaderSize(file, 64<<10)
	var b [sampleBytes]byte
	for i := 0; ; i++ {
		_, err := io.ReadFull(in, b[:])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		ns := int64(binary.LittleEndian.Uint64(b[:]))
		if ns < 0 {
			return fmt.Errorf("%s: value %d is %d ns, which is below 0: are they little-endian nanoseconds?", path, i, ns)
		}
		if err := do(ns); err != nil {
			return fmt.Errorf("%s: value %d, %v: %w", path, i, time.Duration(ns), err)
		}
	}
}

// RemoveSamples removes the files of an order.
func (o Order) RemoveSamples() error {
	if o.Samples == "" {
		return nil
	}
	paths := []string{o.BatchesPath()}
	for thread := range o.threads() {
		paths = append(paths, o.samplesOf(thread), o.samplesOf(thread)+".lag")
	}
	var errs []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, fmt.Errorf("removing the workload's durations: %w", err))
		}
	}
	return errors.Join(errs...)
}

// The raw durations in the format of MooBench's own scripts.

// batch is a reading of the heap between operations.
type batch struct{ calls, heap, collections uint64 }

// batchHeader is the first line of a file of batches.
var batchHeader = []string{"calls", "heap_bytes", "gc_count"}

// readBatches reads a file of batches; none if it is missing.
func readBatches(path string) ([]batch, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	batches, err := parseBatches(file)
	if err != nil {
		return nil, fmt.Errorf("reading the batches %s: %w", path, err)
	}
	return batches, nil
}

// maxBatches bounds the batches read from a file: each is a hundredth of the stretch.
const maxBatches = 100_000

func parseBatches(from io.Reader) ([]batch, error) {
	in := csv.NewReader(from)
	in.FieldsPerRecord, in.ReuseRecord = len(batchHeader), true
	var out []batch
	for line := 1; ; line++ {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if line == 1 {
			for i, name := range batchHeader {
				if fields[i] != name {
					return nil, fmt.Errorf("column %d of the header is %s, want %q", i+1, quote.Quoted(fields[i]), name)
				}
			}
			continue
		}
		if len(out) == maxBatches {
			return nil, fmt.Errorf("more than %d batches", maxBatches)
		}
		var numbers [3]uint64
		for i := range numbers {
			if numbers[i], err = strconv.ParseUint(fields[i], 10, 63); err != nil {
				return nil, fmt.Errorf("line %d, %s: %s: %w", line, batchHeader[i], quote.Quoted(fields[i]), errors.Unwrap(err))
			}
		}
		one := batch{numbers[0], numbers[1], numbers[2]}
		if n := len(out); n > 0 && (one.calls < out[n-1].calls || one.collections < out[n-1].collections) {
			return nil, fmt.Errorf("line %d: calls and collections never fall", line)
		}
		out = append(out, one)
	}
}

// WriteCSV writes every duration of an order that was run and collected, a row "thread;duration_ns;heap;gc" each: heap is the
// reading of the operation's batch, gc the collections of that batch on its first row and 0 on the others.
func (o Order) WriteCSV(to io.Writer) error {
	batches, err := readBatches(o.BatchesPath())
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(to, 64<<10)
	var line []byte
	for thread := range o.threads() {
		at := batchWalk{batches: batches, first: thread == 0}
		err := eachSample(o.samplesOf(thread), func(ns int64) error {
			heap, collections := at.next()
			line = strconv.AppendInt(line[:0], int64(thread), 10)
			for _, n := range [...]uint64{uint64(ns), heap, collections} {
				line = strconv.AppendUint(append(line, ';'), n, 10)
			}
			_, err := out.Write(append(line, '\n'))
			return err
		})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// batchWalk goes through the batches along the operations of one thread. The batches are those of the first thread; the others
// make about as many operations at the same time.
type batchWalk struct {
	batches []batch
	first   bool // the collections are written with this thread, so they are counted once
	made    uint64
	at      int
	told    uint64 // collections already written
}

func (w *batchWalk) next() (heap, collections uint64) {
	if len(w.batches) == 0 {
		return 0, 0
	}
	for w.at+1 < len(w.batches) && w.made >= w.batches[w.at].calls {
		w.at++
	}
	w.made++
	if w.first {
		collections = w.batches[w.at].collections - w.told
		w.told += collections
	}
	return w.batches[w.at].heap, collections
}
