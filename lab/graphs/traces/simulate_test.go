package traces_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// simulated is a span that a walk of a topology makes.
type simulated struct {
	trace, id, parent string // hex
	service, name     string
	kind              int // of OTLP
	start, end        int64
	failed            bool
	attributes        map[string]string
}

// walker walks topologies and makes the spans that a traced program would.
type walker struct {
	*rand.Rand
	g     *topology.Graph
	spans []simulated
	at    int64  // the begin of the next trace, ns
	trace string // of the spans that are made
	old   bool   // conventions of the old age
}

func newWalker(g *topology.Graph, seed uint64) *walker {
	return &walker{Rand: rand.New(rand.NewPCG(seed, 1)), g: g, at: 1_790_000_000_000_000_000}
}

func (w *walker) hex(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(w.IntN(256))
	}
	text[0] |= 1
	return hex.EncodeToString(text)
}

// operation makes the spans of one trace. Its root has a parent elsewhere, as the load generator's traceparent makes it.
func (w *walker) operation(o topology.Operation) {
	w.trace = w.hex(16)
	w.at += 20_000_000
	w.serve(o.Call, w.hex(8), w.at)
}

// serve makes the span of what is called, and those of its calls; it returns when it ended.
func (w *walker) serve(call, parent string, at int64) int64 {
	t, ok := w.g.Find(call)
	if !ok {
		panic("no " + call)
	}
	id := w.hex(8)
	end := w.steps(t, id, t.Steps, at+w.Int64N(50_000)+10_000) + w.Int64N(50_000) + 10_000 + t.Does.Wait.Nanoseconds()
	w.add(simulated{id: id, parent: parent, service: t.Node.Name, kind: 2, start: at, end: end}, t)
	return end
}

func (w *walker) steps(by topology.Target, parent string, steps []topology.Step, at int64) int64 {
	for _, s := range steps {
		for range max(1, s.Times) {
			at += w.Int64N(5_000) + 2_000
			switch {
			case len(s.AtOnce) > 0:
				last := at
				for _, i := range w.Perm(len(s.AtOnce)) {
					at += w.Int64N(3_000)
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
	t, ok := w.g.Find(call)
	if !ok {
		panic("no " + call)
	}
	id, end := w.hex(8), at+w.Int64N(200_000)+20_000
	if !t.Store {
		end = w.serve(call, id, at+w.Int64N(20_000)+1_000) + w.Int64N(20_000) + 1_000
	}
	w.add(simulated{id: id, parent: parent, service: by.Node.Name, kind: 3, start: at, end: end}, t)
	return end
}

// add adds a span with the names that instrumentations give it.
func (w *walker) add(s simulated, t topology.Target) {
	s.trace, s.attributes = w.trace, map[string]string{}
	protocol := t.Node.Protocol
	if protocol == "" && !t.Store {
		protocol = w.g.Protocol
	}
	age := func(young, old string) string {
		if w.old {
			return old
		}
		return young
	}
	switch {
	case t.Store:
		s.name = t.Method + " " + t.Node.Name
		s.attributes[age("db.system.name", "db.system")], s.attributes[age("db.operation.name", "db.operation")] = t.Node.Name, t.Method
	case protocol == "grpc":
		s.name = t.Node.Name + "/" + t.Method
		s.attributes[age("rpc.system.name", "rpc.system")] = "grpc"
		if w.old {
			s.attributes["rpc.service"], s.attributes["rpc.method"] = t.Node.Name, t.Method
		} else {
			s.attributes["rpc.method"] = t.Node.Name + "/" + t.Method
		}
	case protocol == "thrift":
		s.name = t.Node.Name + "." + t.Method
		s.attributes["rpc.system"] = "thrift"
	default:
		s.name = age("GET", "HTTP GET")
		s.attributes[age("http.request.method", "http.method")] = "GET"
		if s.kind == 2 {
			s.attributes[age("http.route", "http.target")] = age("GET /", "/") + t.Method
		} else {
			s.attributes[age("url.full", "http.url")] = "http://127.1.0.3:40001/" + t.Method
		}
	}
	w.spans = append(w.spans, s)
}

// otlp writes the spans as a Collector's file exporter does: lines, each of one service and of several traces.
func (w *walker) otlp(t testing.TB, ids func(string) string) []byte {
	t.Helper()
	var out bytes.Buffer
	const line = 50
	waiting := map[string][]any{}
	flush := func(service string) {
		text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
			"resource":   map[string]any{"attributes": []any{attribute("service.name", service)}},
			"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "node"}, "spans": waiting[service]}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
		delete(waiting, service)
	}
	for i, s := range w.spans {
		one := map[string]any{"traceId": ids(s.trace), "spanId": ids(s.id), "name": s.name, "kind": s.kind, "endTimeUnixNano": fmt.Sprint(s.end)}
		if one["parentSpanId"] = ids(s.parent); i%2 == 0 {
			one["startTimeUnixNano"] = s.start
		} else {
			one["startTimeUnixNano"] = fmt.Sprint(s.start)
		}
		if s.failed {
			one["status"] = map[string]any{"code": 2}
		}
		var attributes []any
		for key, value := range s.attributes {
			attributes = append(attributes, attribute(key, value))
		}
		one["attributes"] = attributes
		if waiting[s.service] = append(waiting[s.service], one); len(waiting[s.service]) == line {
			flush(s.service)
		}
	}
	for service := range waiting {
		flush(service)
	}
	return out.Bytes()
}

func attribute(key, value string) any {
	return map[string]any{"key": key, "value": map[string]any{"stringValue": value}}
}

func sameID(id string) string { return id }

func inBase64(id string) string {
	raw, err := hex.DecodeString(id)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// jaeger writes the spans as Jaeger's page saves them.
func (w *walker) jaeger(t testing.TB) []byte {
	t.Helper()
	kinds := map[int]string{2: "server", 3: "client"}
	traces, order := map[string][]any{}, []string{}
	for _, s := range w.spans {
		tags := []any{map[string]any{"key": "span.kind", "type": "string", "value": kinds[s.kind]}}
		for key, value := range s.attributes {
			tags = append(tags, map[string]any{"key": key, "type": "string", "value": value})
		}
		if s.failed {
			tags = append(tags, map[string]any{"key": "error", "type": "bool", "value": true})
		}
		if traces[s.trace] == nil {
			order = append(order, s.trace)
		}
		traces[s.trace] = append(traces[s.trace], map[string]any{
			"traceID": s.trace, "spanID": s.id, "operationName": s.name, "startTime": s.start / 1000, "duration": (s.end - s.start) / 1000,
			"references": []any{map[string]any{"refType": "CHILD_OF", "traceID": s.trace, "spanID": s.parent,
				"span": map[string]any{"traceID": s.trace, "spanID": "1", "references": []any{}, "operationName": "another"}}},
			"processID": "p-" + s.service, "tags": tags, "logs": []any{}, "warnings": nil,
		})
	}
	var data []any
	for _, id := range order {
		processes := map[string]any{}
		for _, s := range w.spans {
			processes["p-"+s.service] = map[string]any{"serviceName": s.service, "tags": []any{}}
		}
		data = append(data, map[string]any{"traceID": id, "spans": traces[id], "processes": processes, "warnings": nil})
	}
	text, err := json.MarshalIndent(map[string]any{"data": data, "total": 0, "errors": nil}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}
