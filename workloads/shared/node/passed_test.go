//go:build !otel

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	someTrace  = "0af7651916cd43dd8448eb211c80319c"
	someParent = "00-" + someTrace + "-b7ad6b7169203331-01"
)

func TestPassingOf(t *testing.T) {
	for value, want := range map[string]passing{"": passNothing, "off": passNothing, "on": passAsCame, "call": passIDs} {
		if got, err := passingOf(value); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", value, got, err, want)
		}
	}
	for _, value := range []string{"On", "calls", "1", " call"} {
		_, err := passingOf(value)
		if err == nil || !strings.Contains(err.Error(), "on (") || !strings.Contains(err.Error(), "call (") {
			t.Errorf("%q: %v, want an error that names the choices", value, err)
		}
	}
}

func TestValidParents(t *testing.T) {
	for parent, want := range map[string]bool{
		someParent:                               true,
		"01" + someParent[2:]:                    true,
		"01" + someParent[2:] + "-more":          true,
		"01" + someParent[2:] + "more":           false,
		someParent + "-more":                     false,
		"ff" + someParent[2:]:                    false,
		"":                                       false,
		someParent[:54]:                          false,
		strings.ToUpper(someParent):              false,
		strings.Replace(someParent, "-", "_", 1): false,
		"00-" + strings.Repeat("0", 32) + someParent[35:]:           false,
		someParent[:36] + strings.Repeat("0", 16) + someParent[52:]: false,
	} {
		if got := valid(parent); got != want {
			t.Errorf("%q is valid: %t, want %t", parent, got, want)
		}
	}
}

// Entries of others stay behind the own one, in their order; an older own one goes; of too many the last go.
func TestState(t *testing.T) {
	const own = "tt=b7ad6b7169203331"
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("k%d=v", i))
	}
	for _, test := range []struct {
		came []string
		want string
	}{
		{nil, own},
		{[]string{"rojo=1,congo=t61"}, own + ",rojo=1,congo=t61"},
		{[]string{"rojo=1 , ,tt=00000000000000aa", "\tcongo=t61"}, own + ",rojo=1,congo=t61"},
		{[]string{"ttx=1"}, own + ",ttx=1"},
		{[]string{strings.Join(many, ",")}, own + "," + strings.Join(many[:31], ",")},
	} {
		if got := stateOf(someParent, test.came); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.came, got, test.want)
		}
	}
}

// served holds the headers that a node was called with.
type served struct{ node, parent, state string }

func (s served) trace() string { return s.parent[3:35] }
func (s served) id() string    { return s.parent[idAt:idEnd] }

// spy stands for a node, and notes what its caller was called with.
type spy struct {
	of   string
	mu   *sync.Mutex
	seen *[]served
}

func (s spy) call(ctx context.Context, _ string, _ int) error {
	of, _ := ctx.Value(passedKey{}).(*passed)
	if of == nil {
		of = &passed{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.seen = append(*s.seen, served{s.of, of.parent, strings.Join(of.states, ",")})
	return nil
}

func (spy) close() {}

// chain starts real nodes on loopback: front by HTTP, then by gRPC, by Thrift and by HTTP again, each called three times at once by
// the one before. It returns the front's address, and what all of them were called with.
func chain(t *testing.T) (address string, seen func() []served) {
	t.Helper()
	var mu sync.Mutex
	var all []served
	protocols := []string{"http", "grpc", "thrift", "http"}
	below := ""
	for i := len(protocols) - 1; i >= 0; i-- {
		name := fmt.Sprintf("n%d", i)
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		m := method{Answer: 10, Steps: []step{{Node: "spy", Method: "look", Times: 1}}}
		p := plan{Node: name, Protocol: protocols[i], From: "127.0.0.1", Peers: map[string]peer{}}
		if below != "" {
			next := fmt.Sprintf("n%d", i+1)
			p.Peers[next] = peer{Protocol: protocols[i+1], Addresses: []string{below}}
			one := step{Node: next, Method: "do", Times: 1, Request: 20}
			m.Steps = append(m.Steps, step{Times: 1, AtOnce: []step{one, one, one}})
		}
		p.Methods = map[string]method{"do": m}
		n, err := newNode(p)
		if err != nil {
			t.Fatal(err)
		}
		n.clients["spy"] = spy{name, &mu, &all}
		server := newServer(n)
		ended := make(chan error, 1)
		go func() { ended <- server.serve(l) }()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if err := server.stop(ctx); err != nil {
				t.Errorf("stopping %s: %v", name, err)
			}
			n.close()
			if err := <-ended; err != nil {
				t.Errorf("%s ended: %v", name, err)
			}
		})
		below = l.Addr().String()
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections) // a server waits for those that were never used
	return below, func() []served {
		mu.Lock()
		defer mu.Unlock()
		return append([]served(nil), all...)
	}
}

func with(t *testing.T, p passing) {
	t.Helper()
	before := passes
	passes = p
	t.Cleanup(func() { passes = before })
}

func ask(t *testing.T, address, parent, state string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/do", nil)
	if err != nil {
		t.Fatal(err)
	}
	if parent != "" {
		r.Header.Set(parentHeader, parent)
	}
	if state != "" {
		r.Header.Set(stateHeader, state)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s", address, answer.Status)
	}
}

// perTrace are the calls that a request of the chain makes: 1 + 3 + 9 + 27.
const perTrace = 40

// Over HTTP, gRPC and Thrift each call has an id of its own, and names that of the call that was served.
func TestEachCallHasAnID(t *testing.T) {
	with(t, passIDs)
	address, seen := chain(t)
	const traces = 20
	var all sync.WaitGroup
	for i := range traces {
		all.Go(func() { ask(t, address, fmt.Sprintf("00-%032x-%016x-01", i+1, i+1), "rojo=1") })
	}
	all.Wait()
	got := seen()
	if len(got) != traces*perTrace {
		t.Fatalf("%d calls, want %d", len(got), traces*perTrace)
	}
	by := map[string]served{}
	for _, s := range got {
		if !valid(s.parent) {
			t.Fatalf("%s was called with %q", s.node, s.parent)
		}
		if other, has := by[s.id()]; has {
			t.Errorf("%s and %s were called with one id %s", other.node, s.node, s.id())
		}
		by[s.id()] = s
	}
	below := map[string]int{}
	for _, s := range got {
		if s.node == "n0" {
			if s.state != "rojo=1" {
				t.Errorf("the request came with %q", s.state)
			}
			continue
		}
		named, others, _ := strings.Cut(strings.TrimPrefix(s.state, stateKey), ",")
		of, has := by[named]
		if !has || others != "rojo=1" || of.trace() != s.trace() || of.node[1]+1 != s.node[1] {
			t.Errorf("%v names %v", s, of)
		}
		below[named]++
	}
	for id, n := range below {
		if n != 3 {
			t.Errorf("%d calls name %s, want 3", n, id)
		}
	}
	if want := traces * (1 + 3 + 9); len(below) != want {
		t.Errorf("%d calls are named, want %d", len(below), want)
	}
}

// With on the header goes on as it came, and nothing else; with off, or without a header that is one, nothing goes on.
func TestWhatElseIsPassed(t *testing.T) {
	for _, test := range []struct {
		passes       passing
		parent, want string
	}{
		{passAsCame, someParent, someParent},
		{passNothing, someParent, ""},
		{passIDs, "", ""},
		{passIDs, "00-nonsense", ""},
	} {
		t.Run(fmt.Sprintf("%d %s", test.passes, test.parent), func(t *testing.T) {
			with(t, test.passes)
			address, seen := chain(t)
			ask(t, address, test.parent, "rojo=1")
			got := seen()
			if len(got) != perTrace {
				t.Fatalf("%d calls, want %d", len(got), perTrace)
			}
			for _, s := range got {
				if s.parent != test.want || s.node != "n0" && s.state != "" {
					t.Errorf("%v, want %q", s, test.want)
				}
			}
		})
	}
}

// A store has no place for ids: one that a node stands for gets none either.
func TestStoresGetNoID(t *testing.T) {
	with(t, passIDs)
	came := make(chan http.Header, 1)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r.Header })}
	go func() { _ = server.Serve(l) }() // until the test closes it
	t.Cleanup(func() { server.Close() })
	for _, store := range []bool{true, false} {
		c, err := newClient("kept", peer{Protocol: "http", Addresses: []string{l.Addr().String()}, Store: store}, "127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		if err := c.call(passIDs.withPassed(t.Context(), someParent, nil), "get", 0); err != nil {
			t.Fatal(err)
		}
		if got := (<-came).Get(stateHeader) != ""; got == store {
			t.Errorf("a store: %t, and an id came: %t", store, got)
		}
	}
}

func BenchmarkPassing(b *testing.B) {
	passes = passIDs
	defer func() { passes = passNothing }()
	ctx := context.Background()
	of := passIDs.withPassed(ctx, someParent, []string{"tt=00f067aa0ba902b7"})
	b.Run("served", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			passIDs.withPassed(ctx, someParent, []string{"tt=00f067aa0ba902b7"})
		}
	})
	b.Run("http", func(b *testing.B) {
		r, err := http.NewRequestWithContext(of, http.MethodGet, "http://127.0.0.1/do", nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			parent, state := passIDs.next(r.Context())
			withHeaders(r, parent, state)
		}
	})
	b.Run("grpc", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			withMetadata(of)
		}
	})
	b.Run("thrift", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = traceThriftCall(of, "", "", map[string]string{}, func(context.Context) error { return nil })
		}
	})
}
