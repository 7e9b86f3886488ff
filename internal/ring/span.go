// Package ring owns the reading of rings: files in memory to which a traced program appends 8 bytes when a method is entered, and 8 when it
// is left, as docs/ring.md describes. It puts spans together, gives them ids and times, and hands them on. It trusts nothing that a folder
// of rings holds. It must not know what becomes of the spans.
package ring

import (
	"strings"
	"time"
)

// Span is one call of a method.
type Span struct {
	Trace  [16]byte
	ID     [8]byte
	Parent [8]byte // zeros: the call is the root of its trace
	Method *Method
	Start  int64 // nanoseconds since 1970, UTC
	End    int64 // likewise; at least Start
	Thread uint64
	Order  uint32 // how many calls of the trace were entered before: Kieker's execution order index
	Depth  uint32 // how many calls of the trace were open: Kieker's execution stack size

	Unfinished bool // the program ended before the call did; End is the last event of its thread
}

// Method is a traced method.
type Method struct {
	Number int
	Class  string // with its package; UTF-8
	Name   string
}

// SpanName returns the name of a method's spans: Cart.add, of com.acme.Cart.
func (m *Method) SpanName() string {
	class := m.Class[strings.LastIndexByte(m.Class, '.')+1:]
	if class == "" {
		return m.Name
	}
	return class + "." + m.Name
}

// Clock says what the stamps of a program count.
type Clock string

// The clocks of programs.
const (
	TSC  Clock = "tsc"  // the processor's counter
	Nano Clock = "nano" // nanoseconds of CLOCK_MONOTONIC
	Page Clock = "page" // the same, as the reader keeps writing them into the page of its file
)

// Program describes a traced program, in its own words.
type Program struct {
	Name        string            // of its folder
	PID         int               // in its own namespace
	Service     string            // OTEL_SERVICE_NAME; "" where the program has none
	Resource    map[string]string // OTEL_RESOURCE_ATTRIBUTES
	Runtime     string            // such as OpenJDK 17.0.15
	Clock       Clock
	ClockCostNS float64 // of one reading
	ClockStepNS float64 // between two values that differ
	Fallback    string  // why the clock is not a better one; "" where it is the best
}

// Untraced is a method that the agent left alone.
type Untraced struct{ Method, Why string }

// Handler takes spans. Its methods are called by the goroutine of Pass or Run.
type Handler interface {
	// Take takes spans of one program. The slice is the reader's again when Take returns; programs and methods stay as they are. Take
	// blocks while nothing more can be taken: rings then fill, and programs wait. An error ends the pass.
	Take(p *Program, spans []Span) error
	// Rest is called after each pass: what is held back for company may be sent.
	Rest() error
	// Settled returns how many of the spans taken of a program, counted from the first, need the program's files no more.
	Settled(p *Program) uint64
	// Forget is called when nothing more comes of a program, and all is settled.
	Forget(p *Program)
}

// Counts add up the findings of a reader since it was opened.
type Counts struct {
	Programs   int           // that were found
	Live       int           // of these, those that are not read to their end
	Rings      int           // that were found
	Events     uint64        // entries and exits
	Spans      uint64        // put together, unfinished ones included
	Unfinished uint64        // spans of calls that were open when their program ended
	Torn       uint64        // calls whose entry or exit alone was found
	LeftOut    uint64        // calls that programs left out
	Waits      uint64        // how often a full ring made a program wait
	Waited     time.Duration // for how long in all
	Longest    time.Duration // the longest of these waits
	ClockError time.Duration // the most that a stamp was found to be away from CLOCK_REALTIME
	Refused    []string      // rings and programs that are read no further: name, colon, why
	Untraced   []Untraced    // methods that agents left alone
}
