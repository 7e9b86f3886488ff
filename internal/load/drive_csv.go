// The raw durations in the form of MooBench's own scripts.

package load

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// batch is a reading of the heap between operations.
type batch struct{ calls, heap, collections uint64 }

// batchHeader is the first line of a file of batches.
var batchHeader = []string{"calls", "heap_bytes", "gc_count"}

// readBatches reads a file of batches; none where there is no file.
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

// maxBatches bounds what is read of a file of batches: a hundredth of the stretch each.
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
					return nil, fmt.Errorf("column %d of the header is %s, want %q", i+1, excerpt.Quoted(fields[i]), name)
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
				return nil, fmt.Errorf("line %d, %s: %s: %w", line, batchHeader[i], excerpt.Quoted(fields[i]), errors.Unwrap(err))
			}
		}
		one := batch{numbers[0], numbers[1], numbers[2]}
		if n := len(out); n > 0 && (one.calls < out[n-1].calls || one.collections < out[n-1].collections) {
			return nil, fmt.Errorf("line %d: calls and collections never fall", line)
		}
		out = append(out, one)
	}
}

// WriteCSV writes every duration of an order that was run and collected, a row
// "thread;duration_ns;heap;gc" each: heap is the reading of the batch that the
// operation was in, gc the collections of that batch on its first row and 0 on the others.
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

// batchWalk goes through the batches along the operations of one thread. The batches
// are those of the first thread; the others make about as many operations beside it.
type batchWalk struct {
	batches []batch
	first   bool // the collections are written with this thread, so that they are counted once
	made    uint64
	at      int
	told    uint64 // collections that were written
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
