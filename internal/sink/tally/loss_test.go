package tally

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/record"
)

// lost is the whole part of n times the share, by another arithmetic.
func lost(t *testing.T, n uint64, share float64) uint64 {
	t.Helper()
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(share, 'f', -1, 64))
	if !ok {
		t.Errorf("share %v", share)
		return 0
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).SetUint64(n)))
	return new(big.Int).Quo(r.Num(), r.Denom()).Uint64()
}

func TestLossIsExact(t *testing.T) {
	for _, share := range []float64{0, 0.03, 0.07, 0.29, 0.1, 0.5, 0.57, 0.999999999, 1, 0.333333333, 1e-9} {
		l := newLoss(share)
		var taken uint64
		for n := range uint64(20_000) {
			if l.takes() {
				taken++
			}
			if want := lost(t, n+1, share); taken != want {
				t.Fatalf("share %v: %d of %d taken, want %d", share, taken, n+1, want)
			}
		}
	}
}

// A share that is no binary fraction is still the one that was asked for.
func TestLossTakesDecimals(t *testing.T) {
	for share, want := range map[float64]uint64{1.5e-8: 15, 3e-8: 30, 1.26e-7: 126, 0.29: 290_000_000, 0.999999999: 999_999_999} {
		if got := newLoss(share).share; got != want {
			t.Errorf("a share of %v is taken as %d parts of %d, want %d", share, got, whole, want)
		}
	}
}

func TestLosable(t *testing.T) {
	zero := 0.0
	for share, want := range map[float64]bool{
		0: true, 1: true, 0.03: true, 0.333333333: true, 1e-9: true,
		-0.1: false, 1.01: false, 1.0 / 3: false, 1e-10: false, 1 / zero: false, zero / zero: false,
	} {
		if Losable(share) != want {
			t.Errorf("Losable(%v) = %v", share, !want)
		}
	}
}

// A thrown span is in no other count, in either mode.
func TestThrownSpansAreInNoOtherCount(t *testing.T) {
	for _, checking := range []bool{false, true} {
		total := New(Config{Checking: checking, MaxSpans: 100, Lose: 0.25})
		b := total.Batch()
		for i := range byte(8) {
			b.Span(&Span{Trace: append(make([]byte, 15), i+1), ID: []byte("8 bytes!"), Name: fmt.Appendf(nil, "a%d", i+1), Kind: Server})
		}
		b.Span(&Span{}) // invalid: refused, and not counted among those that may be thrown away
		b.Service([]byte("shop"), b.Spans)
		total.Merge(b, "p", 1000)
		c := total.Counts()
		if c.Thrown != 2 || c.Spans != 6 || c.Roots != 6 || c.Kinds["server"] != 6 || c.Services["shop"] != 6 || c.Rejected != 1 {
			t.Errorf("checking %v: counted %+v", checking, c)
		}
		for i := range 8 {
			if got := c.RootNames["a"+strconv.Itoa(i+1)]; (got == 0) != (i == 3 || i == 7) {
				t.Errorf("checking %v: span %d counted %d times", checking, i+1, got)
			}
		}
		if checking && c.Traces != 6 {
			t.Errorf("%d traces", c.Traces)
		}
		if c.Bytes != 1000 || c.Requests != 1 {
			t.Errorf("of the request as a whole: %d bytes, %d requests", c.Bytes, c.Requests)
		}
	}
}

// Requests of many senders at once, some of which are refused in the middle, lose
// exactly their share at every moment.
func TestLossUnderConcurrency(t *testing.T) {
	const senders, requests, share = 8, 300, 0.03
	total := New(Config{Checking: true, MaxSpans: 1000, Lose: share})
	var all sync.WaitGroup
	for i := range uint64(senders) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(i, 1))
			for range requests {
				b := total.Batch()
				for range random.IntN(40) {
					b.Span(valid("x"))
				}
				if random.IntN(4) == 0 {
					total.Discard(b)
				} else {
					total.Merge(b, "p", 1)
				}
				checkLoss(t, total.Counts(), share)
			}
		})
	}
	all.Wait()
	if c := total.Counts(); c.Thrown == 0 || c.Spans == 0 {
		t.Errorf("counted %+v", c)
	}
}

func checkLoss(t *testing.T, c record.Counts, share float64) {
	t.Helper()
	if want := lost(t, c.Spans+c.Thrown, share); c.Thrown != want {
		t.Errorf("%d thrown away of %d, want %d", c.Thrown, c.Spans+c.Thrown, want)
	}
}

// in returns a span of a trace; parent 0 is a root.
func in(trace, id, parent uint64, name string) *Span {
	eight := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	return &Span{Trace: append(make([]byte, 8), eight(trace)...), ID: eight(id), Parent: eight(parent), Name: []byte(name)}
}

// send counts spans, each request a batch of its own.
func sendEach(total *Total, requests ...[]*Span) {
	for _, spans := range requests {
		b := total.Batch()
		for _, s := range spans {
			b.Span(s)
		}
		total.Merge(b, "p", 1)
	}
}

// Traces are counted by their root's name and by their spans, however these come.
func TestShapes(t *testing.T) {
	twice := in(1, 2, 1, "child")
	teller := in(1, 1, 0, "GET /")
	teller.Merged, teller.Suppressed = 5, 2
	idless := in(1, 0, 0, "trace")
	idless.Loose, idless.ID = true, nil
	tests := []struct {
		name      string
		requests  [][]*Span
		want      record.Shapes
		absent    int64
		unchecked uint64
	}{
		{"children before their root, in two requests", [][]*Span{{in(1, 2, 1, "child"), in(1, 3, 1, "child")}, {in(1, 1, 0, "GET /")}}, record.Shapes{"GET /": {3: 1}}, 0, 0},
		{"two operations, one of which lacks a child", [][]*Span{{in(1, 1, 0, "GET /"), in(1, 2, 1, "child"), in(2, 1, 0, "GET /")}}, record.Shapes{"GET /": {1: 1, 2: 1}}, 0, 0},
		{"other names, other roots", [][]*Span{{in(1, 1, 0, "GET /"), in(2, 1, 0, "tick")}, {in(3, 1, 0, "tick")}}, record.Shapes{"GET /": {1: 1}, "tick": {1: 2}}, 0, 0},
		{"a root that does not come, with two children", [][]*Span{{in(1, 2, 1, "child"), in(1, 3, 1, "child")}}, record.Shapes{"": {2: 1}}, 1, 0},
		{"a span in the middle that does not come", [][]*Span{{in(1, 1, 0, "GET /"), in(1, 3, 2, "leaf")}}, record.Shapes{"GET /": {2: 1}}, 1, 0},
		{"duplicates", [][]*Span{{in(1, 1, 0, "GET /"), twice, twice}, {twice}}, record.Shapes{"GET /": {2: 1}}, 0, 0},
		{"the first root names a trace of two", [][]*Span{{in(1, 1, 0, "a"), in(1, 2, 0, "b")}}, record.Shapes{"a": {2: 1}}, 0, 0},
		{"spans that are told of belong to it", [][]*Span{{teller, in(1, 2, 1, "child")}, {teller}}, record.Shapes{"GET /": {9: 1}}, 0, 0},
		{"spans without an id belong nowhere", [][]*Span{{idless, idless, in(1, 1, 0, "GET /")}}, record.Shapes{"GET /": {1: 1}}, 0, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			total := New(Config{Checking: true, MaxSpans: 100})
			sendEach(total, test.requests...)
			c := total.Counts()
			if diff := cmp.Diff(test.want, c.Shapes); diff != "" {
				t.Errorf("traces (-want +got):\n%s", diff)
			}
			if c.Absent != test.absent || c.Unchecked != test.unchecked {
				t.Errorf("%d absent, %d unchecked; want %d, %d", c.Absent, c.Unchecked, test.absent, test.unchecked)
			}
			if whole := c.Whole(); whole != (test.unchecked == 0) {
				t.Errorf("whole: %t, with %d spans in the traces, %d told of, %d unchecked", whole, c.Shapes.Spans(), c.Sum(), c.Unchecked)
			}
		})
	}
}

// However many names and spans there are, so many are told apart; and the numbers are right.
func TestShapesAreBounded(t *testing.T) {
	total := New(Config{Checking: true, MaxSpans: 100_000})
	var spans []*Span
	for i := range uint64(10 * shapeNames) {
		spans = append(spans, in(i+1, 1, 0, fmt.Sprint("name a", i)))
	}
	for i := range uint64(record.MostShape + 100) {
		spans = append(spans, in(1, i+2, 1, "child"))
	}
	sendEach(total, spans)
	c := total.Counts()
	if len(c.Shapes) != shapeNames+1 || c.Shapes[record.OtherRoot][1] != 9*shapeNames {
		t.Errorf("%d names, %d traces of others", len(c.Shapes), c.Shapes[record.OtherRoot][1])
	}
	if c.Shapes["name a0"][record.MostShape] != 1 || c.Whole() {
		t.Errorf("a trace of %d spans is counted as %v, whole: %t", record.MostShape+101, c.Shapes["name a0"], c.Whole())
	}
}

// Counting holds nothing of traces.
func TestCountingKnowsNoShapes(t *testing.T) {
	total := New(Config{})
	sendEach(total, []*Span{in(1, 1, 0, "GET /"), in(1, 3, 2, "leaf")})
	if c := total.Counts(); c.Shapes != nil || c.Absent != 0 || c.Whole() {
		t.Errorf("counted %v, %d absent", c.Shapes, c.Absent)
	}
}
