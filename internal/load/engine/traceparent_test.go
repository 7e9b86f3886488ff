//go:build linux

package engine

import (
	"context"
	hexes "encoding/hex"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/traceparent"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// headers are the values of traceparent that a server got.
type headers struct {
	mu  sync.Mutex
	all []string
}

func (h *headers) add(values []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, strings.Join(values, "|"))
}

func (h *headers) values() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// check says of the values that each is one of the key's, how many traces they are of, and how many of these are sampled.
func (h *headers) check(t *testing.T, key traceparent.Key) (traces, sampled int) {
	t.Helper()
	seen := map[string]bool{}
	for _, value := range h.values() {
		if len(value) != traceparent.Length {
			t.Fatalf("a request has the traceparent %q", value)
		}
		trace, err := hexes.DecodeString(value[3:35])
		if err != nil || !key.Has(trace) {
			t.Fatalf("the traceparent %q is none of the key's (%v)", value, err)
		}
		parent, err := hexes.DecodeString(value[36:52])
		if err != nil || !key.Began(trace, parent) {
			t.Fatalf("the traceparent %q has another parent (%v)", value, err)
		}
		if seen[value[:52]] {
			continue
		}
		seen[value[:52]] = true
		if strings.HasSuffix(value, "-01") {
			sampled++
		}
	}
	return len(seen), sampled
}

// Every request brings the ids of a trace of its own, whatever its kind, over all tasks of a generator; exactly the share that is
// asked for is to be sampled.
func TestEveryRequestBringsATrace(t *testing.T) {
	key := traceparent.NewKey(11)
	rows := dataFile(t, "rows.csv", "a\n1\n222\n")
	eachEngine(t, func(t *testing.T, g *Generator) {
		var got headers
		addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) { got.add(r.Header.Values(traceparent.Header)) })
		for _, requests := range [][]load.Request{
			{{Address: addr}},
			{{Address: addr, Path: "/{data.a}", Data: rows, Method: "POST", Body: []byte("traceparent: 00-{data.a}")}},
			{{Address: addr}, {Address: addr, Path: "/other"}},
		} {
			load := do(t, g, load.Task{Operations: requests, Count: 40, Connections: 4, Threads: 2, Traces: &load.Traces{Key: key, Sampled: .25}})
			if load.Started != 40 || load.Identified != 40 || load.Sampled != 10 {
				t.Errorf("%d started, %d with ids of the generator's, %d to be sampled", load.Started, load.Identified, load.Sampled)
			}
		}
		if traces, sampled := got.check(t, key); traces != 120 || sampled != 30 {
			t.Errorf("%d requests are of %d traces, of which %d are to be sampled; want 120, 120, 30", len(got.values()), traces, sampled)
		}
	})
}

// Each step of an operation begins a trace, as each request of a user's does; all of them are sampled, or none.
func TestEveryStepBringsATrace(t *testing.T) {
	key := traceparent.NewKey(12)
	eachEngine(t, func(t *testing.T, g *Generator) {
		var got headers
		addr := shop(t, &counter{}, func(_ http.ResponseWriter, r *http.Request) bool {
			got.add(r.Header.Values(traceparent.Header))
			return false
		})
		load := do(t, g, load.Task{Operations: []load.Request{shopping(addr)}, Count: 20, Traces: &load.Traces{Key: key, Sampled: .5}})
		if load.Completed != 20 || load.Identified != 20 {
			t.Errorf("%d completed, %d identified: %v", load.Completed, load.Identified, load.Errors)
		}
		if traces, sampled := got.check(t, key); len(got.values()) != traces || len(got.values()) != 60 || sampled != traces/2 {
			t.Errorf("%d requests are of %d traces, of which %d are to be sampled", len(got.values()), traces, sampled)
		}
	})
}

// A traceparent of the user's own is sent as it is, and such operations are not taken for the generator's.
func TestOwnTraceparentWins(t *testing.T) {
	const own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	eachEngine(t, func(t *testing.T, g *Generator) {
		var got headers
		addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) { got.add(r.Header.Values(traceparent.Header)) })
		for _, name := range []string{"TraceParent", traceparent.Header} {
			load := do(t, g, load.Task{Operations: []load.Request{{Address: addr, Headers: []load.Header{{Name: name, Value: own}}}}, Count: 5, Traces: &load.Traces{Key: traceparent.NewKey(1), Sampled: 1}})
			if load.Identified != 0 || load.Sampled != 0 {
				t.Errorf("%s: %d identified, %d to be sampled", name, load.Identified, load.Sampled)
			}
		}
		if all := slices.Compact(got.values()); len(got.values()) != 10 || len(all) != 1 || all[0] != own {
			t.Errorf("the server got %q", all)
		}
	})
}

// gRPC calls bring the ids as metadata, with data and without.
func TestCallsBringATrace(t *testing.T) {
	key := traceparent.NewKey(13)
	message, err := proto.Marshal(wrapperspb.Bytes([]byte("x")))
	if err != nil {
		t.Fatal(err)
	}
	var got headers
	addr, _ := grpcServer(t, func(ctx context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
		values, _ := metadata.FromIncomingContext(ctx)
		got.add(values.Get(traceparent.Header))
		return in, nil
	})
	g, err := NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rows := dataFile(t, "rows.csv", "who\na\n")
	for _, r := range []load.Request{
		{Address: addr, GRPC: true, Path: "/test.Echo/Say", Body: message},
		{Address: addr, GRPC: true, Path: "/test.Echo/Say", Body: message, Headers: []load.Header{{Name: "x-who", Value: "{data.who}"}}, Data: rows},
	} {
		if load := do(t, g, load.Task{Operations: []load.Request{r}, Count: 300, Streams: 8, Traces: &load.Traces{Key: key, Sampled: .1}}); load.Completed != 300 || load.Identified != 300 {
			t.Errorf("%d completed, %d identified: %v", load.Completed, load.Identified, load.Errors)
		}
	}
	if traces, sampled := got.check(t, key); traces != 600 || sampled != 60 {
		t.Errorf("%d calls are of %d traces, of which %d are to be sampled", len(got.values()), traces, sampled)
	}
}

// Ids cost no memory of their own.
func TestIDsAllocateNothing(t *testing.T) {
	p, err := planned(t.Context(), load.Task{Operations: []load.Request{{Address: "127.0.0.1:80"}}, Count: 1, Traces: &load.Traces{Key: traceparent.NewKey(1), Sampled: 1}})
	if err != nil {
		t.Fatal(err)
	}
	room := make([]byte, 1024)
	if n := testing.AllocsPerRun(100, func() { _, room = (&walk{op: &p.ops[0]}).bytes(0, room) }); n > 0 {
		t.Errorf("%v allocations a request", n)
	}
}

// Which operations are sampled is by chance, of the seed: every one of ten connections, or of ten rows, gets its share.
func TestShareKeepsNoRhythm(t *testing.T) {
	var last []uint64
	for seed := range uint64(3) {
		of, turns := load.Traces{Key: traceparent.NewKey(seed), Sampled: .1}, make([]uint64, 10)
		for number := range uint64(10_000) {
			if of.IsSampled(number + 1) {
				turns[number%10]++
			}
		}
		for turn, n := range turns { // binomial, of 1,000 and a tenth
			if n < 60 || n > 140 {
				t.Errorf("seed %d: of each ten, number %d is sampled %d times, want about 100", seed, turn, n)
			}
		}
		if slices.Equal(turns, last) {
			t.Errorf("two seeds choose alike: %v", turns)
		}
		last = turns
	}
}

// Of any number of operations exactly the share is sampled, to one of them.
func TestShareIsExact(t *testing.T) {
	for _, share := range []float64{0, .01, .1, 1. / 3, .5, .999, 1} {
		sampled, of := 0.0, load.Traces{Sampled: share}
		for number := uint64(1); number < 5000; number++ {
			if of.IsSampled(number) {
				sampled++
			}
			if math.Abs(sampled-float64(number)*share) > 1+1e-6 {
				t.Fatalf("share %v: %v of %d", share, sampled, number)
			}
		}
	}
}
