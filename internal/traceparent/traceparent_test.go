package traceparent

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func idsOf(t *testing.T, value string) (trace, parent []byte) {
	t.Helper()
	parts := strings.Split(value, "-")
	if len(value) != Length || len(parts) != 4 || parts[0] != "00" {
		t.Fatalf("traceparent %q", value)
	}
	trace, err := hex.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	if parent, err = hex.DecodeString(parts[2]); err != nil {
		t.Fatal(err)
	}
	return trace, parent
}

// The generator's ids are known again, whole or by their right half, each is another one, and no id of anybody else is taken for one.
func TestIDsAreKnownAgain(t *testing.T) {
	key, other, seen := NewKey(7), NewKey(8), map[string]bool{}
	for number := range uint64(20_000) {
		for step := range 2 {
			trace, parent := idsOf(t, key.Value(number, step, number%2 == 0))
			if seen[string(trace)] || !key.Has(trace) || !key.Has(trace[8:]) || !key.Began(trace, parent) || !key.Began(trace[8:], parent) {
				t.Fatalf("number %d, step %d: id %x, parent %x", number, step, trace, parent)
			}
			seen[string(trace)] = true
			if other.Has(trace) || other.Began(trace, parent) || Key(0).Has(trace) {
				t.Fatalf("id %x passes for one of another run", trace)
			}
		}
	}
	for _, trace := range [][]byte{nil, make([]byte, 7), make([]byte, 16)} {
		if key.Has(trace) {
			t.Errorf("id %x passes", trace)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	passed := 0
	for range 1_000_000 {
		trace := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, r.Uint64()), r.Uint64())
		if key.Has(trace) {
			t.Fatalf("the id %x of others passes", trace)
		}
		if key.Has(trace[8:]) {
			passed++
		}
	}
	if passed > 2 {
		t.Errorf("of a million ids of 64 bits %d pass", passed)
	}
}

// Samplers compare either half, or seven bytes of it, with a threshold: each keeps its share.
func TestIDsLookLikeChance(t *testing.T) {
	const n = 40_000
	for name, read := range map[string]func([]byte) uint64{
		"the right half":       func(id []byte) uint64 { return binary.BigEndian.Uint64(id[8:]) },
		"the left half":        func(id []byte) uint64 { return binary.BigEndian.Uint64(id) },
		"the left, backwards":  func(id []byte) uint64 { return binary.LittleEndian.Uint64(id) },
		"the last seven bytes": func(id []byte) uint64 { return binary.BigEndian.Uint64(id[8:]) << 8 },
		"four parts, as one": func(id []byte) uint64 {
			return (binary.BigEndian.Uint64(id) ^ binary.BigEndian.Uint64(id[8:])) * (1<<32 + 1)
		},
		"the last bit":          func(id []byte) uint64 { return uint64(id[15]) << 63 },
		"multiplied by a prime": func(id []byte) uint64 { return binary.BigEndian.Uint64(id[8:]) * 1111111111111111111 },
	} {
		for _, share := range []float64{.01, .1, .5} {
			kept := 0
			for number := range uint64(n) {
				trace, _ := idsOf(t, NewKey(3).Value(number, 0, true))
				if float64(read(trace)>>11)/(1<<53) < share {
					kept++
				}
			}
			if off := math.Abs(float64(kept)-n*share) / math.Sqrt(n*share*(1-share)); off > 4 && (name != "the last bit" || share == .5) {
				t.Errorf("%s, %v: %d of %d are kept, %.1f standard deviations off", name, share, kept, n, off)
			}
		}
	}
}

func TestUnmix(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 1000 {
		if x := r.Uint64(); unmix(mix(x)) != x || mix(unmix(x)) != x {
			t.Fatalf("%x is not its own inverse", x)
		}
	}
}
