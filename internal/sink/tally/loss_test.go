package tally

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

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
