package traces_test

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/lab/graphs"
	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces"
)

func fits(text []byte) bool { return new(program.Source).Graph(text) != nil }

// imported is the result of an import of one text, and the topology that is read from its file.
func imported(t testing.TB, text []byte, o traces.Options) (*traces.Result, *topology.Graph) {
	t.Helper()
	if o.Fits = fits; o.Shapes == 0 {
		o.Shapes = 20
	}
	im := traces.New(o)
	if err := im.Add("traces.json", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := im.Topology()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, r.Text, 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := graphs.Read(file)
	if err != nil {
		t.Fatalf("the topology cannot be read: %v\n%s", err, r.Text)
	}
	return r, g
}

// calls writes what a call leads to: loops unrolled, what is at once sorted.
func calls(g *topology.Graph, call string) string {
	t, _ := g.Find(call)
	var list func(steps []topology.Step) []string
	list = func(steps []topology.Step) []string {
		var out []string
		for _, s := range steps {
			one := list(s.InTurn)
			switch {
			case len(s.AtOnce) > 0:
				for i := range s.AtOnce {
					one = append(one, strings.Join(list(s.AtOnce[i:i+1]), "; "))
				}
				slices.Sort(one)
				one = []string{"(" + strings.Join(one, " | ") + ")"}
			case s.Background:
				one = []string{calls(g, s.Call) + " &"}
			case s.Call != "":
				one = []string{calls(g, s.Call)}
			}
			out = append(out, slices.Repeat(one, max(1, s.Times))...)
		}
		return out
	}
	if steps := list(t.Steps); len(steps) > 0 {
		return call + "{" + strings.Join(steps, "; ") + "}"
	}
	return call
}

// operations writes the calls and spans of each operation, by its first call.
func operations(g *topology.Graph) map[string]string {
	out := map[string]string{}
	for _, o := range g.Operations {
		c := g.Count(o)
		out[o.Call] = fmt.Sprintf("%.0f calls, %.0f spans: %s", c.Calls, c.Spans, calls(g, o.Call))
	}
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func builtIn(t *testing.T, name string) *topology.Graph {
	t.Helper()
	g, err := graphs.Read(filepath.Join("../../../workloads/graph", name, name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Every built-in graph comes back from its traces, twice round, by the conventions of both ages. The spans of all traces come mixed.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"boutique", "hotel", "social-network"} {
		t.Run(name, func(t *testing.T) {
			first := builtIn(t, name)
			for round, g := 0, first; round < 2; round++ {
				const n = 30
				w := walked(g, uint64(round)+1, n, round == 1)
				w.Shuffle(len(w.spans), func(i, j int) { w.spans[i], w.spans[j] = w.spans[j], w.spans[i] })
				var r *traces.Result
				r, g = imported(t, lines(t, w.spans), traces.Options{})
				same(t, fmt.Sprint("round ", round), operations(g), operations(first))
				if r.Traces != n*len(first.Operations) || len(r.LeftOut.Traces) > 0 || len(r.LeftOut.Spans) > 0 {
					t.Errorf("round %d: %s", round, r.Summary())
				}
				for name, weight := range g.Mix {
					if weight != n {
						t.Errorf("round %d: operation %s weighs %v, want %d", round, name, weight, n)
					}
				}
			}
		})
	}
}

// One text makes one topology, byte by byte.
func TestSameTextSameTopology(t *testing.T) {
	text := lines(t, walked(builtIn(t, "social-network"), 7, 20, false).spans)
	one, _ := imported(t, text, traces.Options{})
	for range 5 {
		other, _ := imported(t, text, traces.Options{})
		same(t, "the same traces again", string(other.Text), string(one.Text))
	}
}

// zipkinSpan is a span as Zipkin writes it.
type zipkinSpan struct {
	TraceID       string            `json:"traceId"` // hex, as all ids
	ID            string            `json:"id"`
	ParentID      string            `json:"parentId"`
	Kind          string            `json:"kind"`
	Name          string            `json:"name"`
	Timestamp     int64             `json:"timestamp"` // µs since 1970
	Duration      int64             `json:"duration"`  // µs
	LocalEndpoint endpoint          `json:"localEndpoint"`
	Tags          map[string]string `json:"tags"`
}

type endpoint struct {
	ServiceName string `json:"serviceName"`
}

// lines writes spans, a line each.
func lines(t testing.TB, spans []zipkinSpan) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, s := range spans {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	return out.Bytes()
}

// walker walks topologies and makes the spans that a traced program would.
type walker struct {
	*rand.Rand
	g     *topology.Graph
	spans []zipkinSpan
	at    int64  // the begin of the next trace, µs
	trace string // of the spans that are made
	old   bool   // conventions of the old age
}

// walked makes n traces of each operation. Their roots have a parent elsewhere, as the load generator's traceparent makes it.
func walked(g *topology.Graph, seed uint64, n int, old bool) *walker {
	w := &walker{Rand: rand.New(rand.NewPCG(seed, 1)), g: g, at: 1_790_000_000_000_000, old: old}
	for range n {
		for _, o := range g.Operations {
			w.trace = w.hex(16)
			w.at += 20_000
			w.serve(o.Call, w.hex(8), w.at)
		}
	}
	return w
}

func (w *walker) hex(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(w.IntN(256))
	}
	text[0] |= 1
	return hex.EncodeToString(text)
}

func (w *walker) find(call string) topology.Target {
	t, ok := w.g.Find(call)
	if !ok {
		panic("no " + call)
	}
	return t
}

// serve makes the span of what is called, and those of its calls; it returns when it ended.
func (w *walker) serve(call, parent string, at int64) int64 {
	t, id := w.find(call), w.hex(8)
	end := w.steps(t, id, t.Steps, at+w.Int64N(50)+10) + w.Int64N(50) + 10 + t.Does.Wait.Microseconds()
	w.add(t, "SERVER", t.Node.Name, id, parent, at, end)
	return end
}

func (w *walker) steps(by topology.Target, parent string, steps []topology.Step, at int64) int64 {
	for _, s := range steps {
		for range max(1, s.Times) {
			at += w.Int64N(5) + 2
			switch {
			case len(s.AtOnce) > 0:
				last := at
				for _, i := range w.Perm(len(s.AtOnce)) {
					at += w.Int64N(3)
					last = max(last, w.steps(by, parent, s.AtOnce[i:i+1], at))
				}
				at = last
			case len(s.InTurn) > 0:
				at = w.steps(by, parent, s.InTurn, at)
			case s.Background:
				w.call(by, s.Call, parent, at)
			default:
				at = w.call(by, s.Call, parent, at)
			}
		}
	}
	return at
}

func (w *walker) call(by topology.Target, call, parent string, at int64) int64 {
	t, id, end := w.find(call), w.hex(8), at+w.Int64N(200)+20
	if !t.Store {
		end = w.serve(call, id, at+w.Int64N(20)+1) + w.Int64N(20) + 1
	}
	w.add(t, "CLIENT", by.Node.Name, id, parent, at, end)
	return end
}

// add adds the span of a call of t, with the names that instrumentations give it.
func (w *walker) add(t topology.Target, kind, service, id, parent string, start, end int64) {
	age := func(young, old string) string {
		if w.old {
			return old
		}
		return young
	}
	node, method := t.Node.Name, t.Method
	name, tags := node+"/"+method, map[string]string{}
	switch protocol := cmp.Or(t.Node.Protocol, w.g.Protocol); {
	case t.Store:
		name = method + " " + node
		tags = map[string]string{age("db.system.name", "db.system"): node, age("db.operation.name", "db.operation"): method}
	case protocol == "grpc" && w.old:
		tags = map[string]string{"rpc.system": "grpc", "rpc.service": node, "rpc.method": method}
	case protocol == "grpc":
		tags = map[string]string{"rpc.system.name": "grpc", "rpc.method": name}
	case protocol == "thrift":
		name, tags = node+"."+method, map[string]string{"rpc.system": "thrift"}
	case kind == "SERVER":
		name, tags[age("http.request.method", "http.method")] = age("GET", "HTTP GET"), "GET"
		tags[age("http.route", "http.target")] = age("GET /", "/") + method
	default:
		name, tags[age("http.request.method", "http.method")] = age("GET", "HTTP GET"), "GET"
		tags[age("url.full", "http.url")] = "http://127.1.0.3:40001/" + method
	}
	w.spans = append(w.spans, zipkinSpan{
		TraceID: w.trace, ID: id, ParentID: parent, Kind: kind, Name: name, Timestamp: start, Duration: end - start,
		LocalEndpoint: endpoint{service}, Tags: tags,
	})
}
