// The files in which a self-driving workload hands over its durations: read as a
// stream, so that millions of them take no memory.

package load

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tracetax/tracetax/internal/record"
)

// sampleBytes is the size of one duration in a file.
const sampleBytes = 8

func (o Order) samplesOf(thread int) string { return o.Samples + "." + strconv.Itoa(thread) }

// collect reads the files of the order into l, and holds them against what the
// process said.
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

// readSamples adds the durations of a file to a histogram, and returns their
// number and their sum in nanoseconds. Those beyond the histogram's end count as its end.
func readSamples(path string, to *hdrhistogram.Histogram) (n uint64, sum float64, err error) {
	highest := to.HighestTrackableValue()
	err = eachSample(path, func(ns int64) error {
		n, sum = n+1, sum+float64(ns)
		return to.RecordValue(min(ns, highest))
	})
	return n, sum, err
}

// eachSample calls do for every value of a file, in nanoseconds, none below 0.
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
