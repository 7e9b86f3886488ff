// Package traces owns the way from recorded traces to a topology: which spans are one call, what each method calls, in which
// order, and how often it does so. It must not know how a file of spans is written; its formats do.
package traces

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/traces/formats"
)

// Options are the choices of whoever imports.
type Options struct {
	Shapes int     // most shapes of an operation that are kept; the rarest are left out
	Work   float64 // share of a method's own time that is CPU work, from 0 to 1; the rest is waiting
}

// Import gathers the spans of files, and makes a topology of them.
type Import struct {
	options Options
	chunks  [][]span // in the order of the files, each but the last with chunkSpans
	sizes   []uint32 // spans by trace
	traces  map[[2]uint64]uint32
	whats   []what
	whatIDs map[what]uint32
	found   formats.Found
	cutOff  []string // files that end too early
}

// New returns an import without spans.
func New(o Options) *Import {
	return &Import{options: o, traces: map[[2]uint64]uint32{}, whatIDs: map[what]uint32{}}
}

// span is what is kept of a span: little, for there may be millions.
type span struct {
	id, parent      uint64
	start, end      int64  // ns since 1970; 0: not known
	trace           uint32 // in the order of the first spans
	what            uint32 // of Import.whats
	request, answer int32  // bytes; -1: not known
	failed, shared  bool
	guessed         bool // its parent is likely, or not known; or what it called may be more or less
	cut             bool // its answer is not known
}

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
	trace, known := im.traces[s.Trace]
	if !known {
		trace = uint32(len(im.sizes))
		im.traces[s.Trace], im.sizes = trace, append(im.sizes, 0)
	}
	im.sizes[trace]++
	if im.sizes[trace] > formats.MostSpans+1 { // the one beyond says that there were more
		im.found.Beyond++
		return
	}
	one := whatOf(s)
	id, known := im.whatIDs[one]
	if !known {
		id = uint32(len(im.whats))
		im.whatIDs[one], im.whats = id, append(im.whats, one)
	}
	if n := len(im.chunks); n == 0 || len(im.chunks[n-1]) == chunkSpans {
		im.chunks = append(im.chunks, make([]span, 0, chunkSpans))
	}
	last := &im.chunks[len(im.chunks)-1]
	*last = append(*last, span{
		id: s.ID, parent: s.Parent, start: s.Start, end: s.End, trace: trace, what: id,
		request: bytesOf(s.Fields[formats.Request]), answer: bytesOf(s.Fields[formats.Answer]), failed: s.Failed, shared: s.Shared,
		guessed: s.Fields[formats.KnownBy] == "likely" || s.Fields[formats.KnownBy] == "unknown" ||
			s.Fields[formats.Whole] == "false",
		cut: s.Fields[formats.Ended] == "false",
	})
}

// bytesOf reads a number of bytes; -1 where there is none.
func bytesOf(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return int32(min(n, math.MaxInt32))
}

// at is a span by its place in the files.
func (im *Import) at(place uint32) *span { return &im.chunks[place/chunkSpans][place%chunkSpans] }

// byTrace returns the places of all spans, those of a trace together, and where each trace begins among them.
func (im *Import) byTrace() (places, begins []uint32) {
	begins = make([]uint32, len(im.sizes)+1)
	for _, chunk := range im.chunks {
		for i := range chunk {
			begins[chunk[i].trace+1]++
		}
	}
	total := uint32(0)
	for i := range begins {
		total += begins[i]
		begins[i] = total
	}
	places, next := make([]uint32, total), append([]uint32(nil), begins...)
	place := uint32(0)
	for _, chunk := range im.chunks {
		for i := range chunk {
			t := chunk[i].trace
			places[next[t]] = place
			next[t]++
			place++
		}
	}
	return places, begins
}

// thisCentury is the earliest time that is believed: a clock that was never set says 1970.
var thisCentury = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
