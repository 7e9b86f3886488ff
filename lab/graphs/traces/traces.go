// Package traces owns the way from recorded traces to a topology: which spans are one call, what each method calls, in which
// order, and how often it does so. It must not know how a file of spans is written (its formats do), nor how a topology is read.
package traces

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// Options are the choices of an import.
type Options struct {
	Shapes int                    // most shapes of an operation that are kept; the rarest are left out
	Work   float64                // share of a method's own time that is CPU work, from 0 to 1; the rest is waiting
	Fits   func(text []byte) bool // reports whether a text is within the bounds of a topology
}

// Import gathers the spans of files, and makes a topology of them.
type Import struct {
	options Options
	chunks  [][]span // in the order of the files, each but the last with chunkSpans
	ids     numbers[[2]uint64]
	traces  []trace // by the number of their ids
	labels  numbers[label]
	found   formats.Found
	cutOff  []string // files that end too early
}

// New returns an import without spans.
func New(o Options) *Import { return &Import{options: o} }

// span holds little of a span, for there may be millions.
type span struct {
	id, parent     uint64
	start, end     int64    // ns since 1970; 0: not known
	before         uint32   // place of the trace's previous span
	label          uint32   // of Import.labels
	bytes          [2]int32 // of the request and the answer; -1: not known
	failed, shared bool
	guessed        bool // its parent is likely, or not known; or it may have more calls, or fewer
	cut            bool // its answer is not known
}

// trace is a list of spans, from the last one on. A place is counted from 1; 0 is none.
type trace struct{ last, spans uint32 }

const chunkSpans = 1 << 14

// Add reads the spans of a file.
func (im *Import) Add(file string, in io.Reader) error {
	found, err := formats.Read(in, func(s *formats.Span) error { im.add(s); return nil })
	if err != nil {
		return fmt.Errorf("reading traces from %s: %w", file, err)
	}
	im.found.Spans += found.Spans
	im.found.Without += found.Without
	im.found.Beyond += found.Beyond
	if found.CutOff {
		im.cutOff = append(im.cutOff, file)
	}
	return nil
}

func (im *Import) add(s *formats.Span) {
	number := im.ids.of(s.Trace)
	if int(number) == len(im.traces) {
		im.traces = append(im.traces, trace{})
	}
	of := &im.traces[number]
	of.spans++
	if of.spans > formats.MostSpans+1 { // the one beyond says that there were more
		im.found.Beyond++
		return
	}
	if n := len(im.chunks); n == 0 || len(im.chunks[n-1]) == chunkSpans {
		im.chunks = append(im.chunks, make([]span, 0, chunkSpans))
	}
	last := &im.chunks[len(im.chunks)-1]
	*last = append(*last, span{
		id: s.ID, parent: s.Parent, start: s.Start, end: s.End, before: of.last, label: im.labels.of(labelOf(s)),
		bytes: [2]int32{bytesOf(s.Fields[formats.Request]), bytesOf(s.Fields[formats.Answer])}, failed: s.Failed, shared: s.Shared,
		guessed: s.Fields[formats.KnownBy] == "likely" || s.Fields[formats.KnownBy] == "unknown" ||
			s.Fields[formats.Whole] == "false",
		cut: s.Fields[formats.Ended] == "false",
	})
	of.last = uint32((len(im.chunks)-1)*chunkSpans + len(*last))
}

// bytesOf reads a number of bytes; -1 where there is none.
func bytesOf(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return int32(min(n, math.MaxInt32))
}

// at is the span of a place.
func (im *Import) at(place uint32) *span {
	return &im.chunks[(place-1)/chunkSpans][(place-1)%chunkSpans]
}

// thisCentury is the earliest time that is believed: a clock that was never set says 1970.
var thisCentury = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// numbers counts things that are not the same, from 0 on, in the order in which they come.
type numbers[T comparable] struct {
	all     []T
	numbers map[T]uint32
}

// of is the number of a thing.
func (n *numbers[T]) of(one T) uint32 {
	number, known := n.numbers[one]
	if !known {
		if n.numbers == nil {
			n.numbers = map[T]uint32{}
		}
		number = uint32(len(n.all))
		n.numbers[one], n.all = number, append(n.all, one)
	}
	return number
}
