// Data files as requests use them: forms of values, orders, caching, and the
// bytes that a server gets.

package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// dataFile writes a file for a test and returns its name.
func dataFile(t testing.TB, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// wires returns the first n requests of r.
func wires(t *testing.T, r Request, n int) []string {
	t.Helper()
	r.Address = "127.0.0.1:80"
	p, err := newPlan(t.Context(), Task{Operations: []Request{r}, Count: 1, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var b, room []byte
	for nth := range n {
		b, room = p.ops[0].bytes(uint64(nth), room)
		out = append(out, string(b))
	}
	return out
}

func TestDataInRequests(t *testing.T) {
	csv := dataFile(t, "users.csv", "id,full name,path,n\n1,\"Ann \"\"A\"\" \\ Lee\",/a/1?x=y,7\n2,Zoë/ß,/b,\n")
	lines := dataFile(t, "users.jsonl", `{"id": 1, "full name": "Ann \"A\" \\ Lee", "tags": ["x", {"y": null}]}`+"\n\n"+`{"id": 2, "full name": "Zo\u00eb/ß", "tags": null}`+"\n")
	const start, host = "GET ", " HTTP/1.1\r\nHost: 127.0.0.1:80\r\nUser-Agent: tracetax\r\n"
	for _, c := range []struct {
		name    string
		request Request
		want    []string
	}{
		{"path", Request{Path: "/u/{data.id}?name={data.full name}", Data: csv}, []string{
			start + "/u/1?name=Ann%20%22A%22%20%5C%20Lee" + host + "\r\n", start + "/u/2?name=Zo%C3%AB%2F%C3%9F" + host + "\r\n",
		}},
		{"whole path", Request{Path: "{data.path:raw}", Data: csv}, []string{start + "/a/1?x=y" + host + "\r\n", start + "/b" + host + "\r\n"}},
		{"header", Request{Data: csv, Headers: []Header{{"X-A", "<{data.full name}>"}, {"X-B", "{data.id}"}}}, []string{
			start + "/" + host + "X-A: <Ann \"A\" \\ Lee>\r\nX-B: 1\r\n\r\n", start + "/" + host + "X-A: <Zoë/ß>\r\nX-B: 2\r\n\r\n",
		}},
		{"JSON body from CSV", Request{Data: csv, Body: []byte(`{"n\"":"{data.full name}","i":{data.id},"r":"{data.id:raw}"}`)}, []string{
			start + "/" + host + "Content-Length: 46\r\n\r\n" + `{"n\"":"Ann \"A\" \\ Lee","i":1,"r":"1"}`,
			start + "/" + host + "Content-Length: 33\r\n\r\n" + `{"n\"":"Zoë/ß","i":2,"r":"2"}`,
		}},
		{"JSON body from JSON", Request{Data: lines, Body: []byte(`{"n":{data.full name},"q":"{data.full name}","t":{data.tags},"i":{data.id}}`)}, []string{
			start + "/" + host + "Content-Length: 89\r\n\r\n" + `{"n":"Ann \"A\" \\ Lee","q":"Ann \"A\" \\ Lee","t":["x", {"y": null}],"i":1}`,
			start + "/" + host + "Content-Length: 54\r\n\r\n" + `{"n":"Zo\u00eb/ß","q":"Zoë/ß","t":null,"i":2}`,
		}},
		{"form", Request{Data: csv, Headers: []Header{{"content-type", "application/x-www-form-urlencoded; charset=utf-8"}}, Body: []byte(`n={data.full name}`)}, []string{
			start + "/" + host + "content-type: application/x-www-form-urlencoded; charset=utf-8\r\nContent-Length: 33\r\n\r\nn=Ann%20%22A%22%20%5C%20Lee", "",
		}},
		{"plain body", Request{Data: csv, Headers: []Header{{"Content-Type", "text/plain"}}, Body: []byte(`{"n":"{data.full name}"}`)}, []string{
			start + "/" + host + "Content-Type: text/plain\r\nContent-Length: 22\r\n\r\n" + `{"n":"Ann "A" \ Lee"}`, "",
		}},
		{"empty value", Request{Data: csv, Method: "POST", Body: []byte(`{data.n}`)}, []string{
			"POST /" + host + "Content-Length: 1\r\n\r\n7", "POST /" + host + "Content-Length: 0\r\n\r\n",
		}},
	} {
		got := wires(t, c.request, 2)
		for i, want := range c.want {
			head, body, _ := strings.Cut(want, "\r\n\r\n")
			if at := strings.Index(head, "Content-Length"); at >= 0 { // the length is what is counted here
				want = fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head[:at], len(body), body)
			}
			if want != "" && got[i] != want {
				t.Errorf("%s, row %d: sent\n%q, want\n%q", c.name, i+1, got[i], want)
			}
		}
		if again := wires(t, c.request, 3); again[2] != got[0] {
			t.Errorf("%s: after the last row comes %q, not the first again", c.name, again[2])
		}
	}
}

func TestRandomRowsFollowTheSeed(t *testing.T) {
	var file strings.Builder
	file.WriteString("id\n")
	for i := range 100 {
		fmt.Fprintln(&file, i)
	}
	r := Request{Path: "/{data.id}", Data: dataFile(t, "x.csv", file.String()), Order: Random}
	first, second := wires(t, r, 1000), wires(t, r, 1000)
	if !slices.Equal(first, second) {
		t.Error("the same seed gives another order")
	}
	seen := map[string]int{}
	for _, w := range first {
		seen[w]++
	}
	if len(seen) != 100 || slices.Equal(first[:100], first[100:200]) {
		t.Errorf("%d of 100 rows in 1000 draws", len(seen))
	}
}

// Each row is sent in turn, whatever the number of threads, with the right length.
func TestDataReachesTheServer(t *testing.T) {
	const rows = 10
	file := "id,text\n"
	for i := range rows {
		file += fmt.Sprintf("%d,%s\n", i, strings.Repeat("ü", i))
	}
	name := dataFile(t, "x.csv", file)
	eachEngine(t, func(t *testing.T, g *Generator) {
		for _, shape := range []Task{
			{Rate: 2000, Threads: 1, Count: 10 * rows}, {Rate: 2000, Threads: 2, Count: rows},
			{Connections: 4, Threads: 2, Count: 10 * rows}, {Connections: 4, Threads: 2, Count: rows},
		} {
			var mu sync.Mutex
			seen := map[string]int{}
			addr := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				id := r.URL.Query().Get("id")
				var n int
				if _, bad := fmt.Sscan(id, &n); err != nil || bad != nil || string(body) != strings.Repeat("ü", n) || r.Header.Get("X-Id") != id {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				seen[id]++
			})
			task := shape
			task.Operations = []Request{{
				Address: addr, Method: "POST", Path: "/?id={data.id}", Data: name,
				Body: []byte("{data.text}"), Headers: []Header{{"X-Id", "{data.id}"}},
			}}
			if l := do(t, g, task); l.Completed != task.Count {
				t.Errorf("%+v: %d of %d completed: %v", shape, l.Completed, task.Count, l.Errors)
			}
			mu.Lock()
			for id, n := range seen {
				if uint64(n) != task.Count/rows {
					t.Errorf("%+v: row %s was sent %d times, not %d", shape, id, n, task.Count/rows)
				}
			}
			if len(seen) != rows {
				t.Errorf("%+v: %d of %d rows sent", shape, len(seen), rows)
			}
			mu.Unlock()
		}
	})
}

// A file is read once for all operations and tasks that use it, and again once it
// has changed.
func TestDataFileIsReadOnce(t *testing.T) {
	name := dataFile(t, "x.csv", "a,b\n1,2\n")
	task := Task{Count: 1, Operations: []Request{
		{Address: "127.0.0.1:80", Path: "/{data.a}", Data: name},
		{Address: "127.0.0.1:80", Path: "/{data.b}", Data: name},
	}}
	var files dataFiles
	read := func() *plan {
		t.Helper()
		p, err := newPlanWith(t.Context(), task, &files, &atomic.Uint64{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := read()
	if p.ops[0].rows.table != p.ops[1].rows.table {
		t.Error("two operations have the file twice")
	}
	if again := read(); again.ops[0].rows.table != p.ops[0].rows.table {
		t.Error("the next task reads the file again")
	}
	if err := os.WriteFile(name, []byte("a,b\n10,20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, _ := read().ops[0].bytes(0, nil)
	if !strings.HasPrefix(string(b), "GET /10 ") {
		t.Errorf("the file has changed, but %q is sent", b)
	}
	task.Operations = []Request{{Address: "127.0.0.1:80"}}
	if read(); len(files.kept) != 0 {
		t.Error("a file is kept that nobody uses")
	}
}

func TestDataIsGivenUp(t *testing.T) {
	name := dataFile(t, "x.csv", "a\n1\n"+strings.Repeat("1\n", 2*heedEvery))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	task := Task{Duration: time.Second, Operations: []Request{{Address: "127.0.0.1:80", Path: "/{data.a}", Data: name}}}
	if _, err := newPlan(ctx, task); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("reading goes on: %v", err)
	}
}

// Requests without data must not pay for it, and those with it not allocate.
func TestRenderingARowAllocatesNothing(t *testing.T) {
	r := Request{Address: "127.0.0.1:80", Path: "/{data.a}", Data: dataFile(t, "x.csv", "a\n1\n22\n"), Body: []byte("{data.a}")}
	p, err := newPlan(t.Context(), Task{Operations: []Request{r}, Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	room, nth := make([]byte, 1024), uint64(0)
	if n := testing.AllocsPerRun(100, func() { _, room = p.ops[0].bytes(nth, room); nth++ }); n > 0 {
		t.Errorf("%v allocations a request", n)
	}
}

// What Prepare has read, Do does not read again: its cost is not among the load's.
func TestPrepareReadsTheData(t *testing.T) {
	g, err := NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	task := Task{Count: 1, Operations: []Request{{Address: addr, Path: "/{data.a}", Data: dataFile(t, "x.csv", "a\n1\n")}}}
	if err := g.Prepare(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	read := g.data.kept[task.Operations[0].Data].table
	if l := do(t, g, task); l.Completed != 1 || g.data.kept[task.Operations[0].Data].table != read {
		t.Error("the file was read again")
	}
}

// gRPC messages: bytes, and JSON that is the same each time or by row.

const healthCheck = "/grpc.health.v1.Health/Check"

// healthSchema is the descriptor set of the health service.
func healthSchema(t testing.TB) []byte {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(grpc_health_v1.File_grpc_health_v1_health_proto)
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bodies returns what the first n calls of r send.
func bodies(t *testing.T, r Request, n int) ([]string, error) {
	t.Helper()
	r.Address, r.GRPC = "127.0.0.1:80", true
	p, err := newPlan(t.Context(), Task{Operations: []Request{r}, Count: 1})
	if err != nil {
		return nil, err
	}
	var out []string
	for nth := range n {
		if rows := p.ops[0].rows; rows != nil {
			wire, _ := p.ops[0].bytes(uint64(nth), nil)
			_, message, _ := strings.Cut(string(wire), "\r\n\r\n")
			out = append(out, message)
			continue
		}
		out = append(out, string(p.task.Operations[0].Body))
	}
	return out, nil
}

func TestMessages(t *testing.T) {
	schema := healthSchema(t)
	csv := dataFile(t, "x.csv", "name\n\"a\"\"b\"\nc\n")
	for _, c := range []struct {
		name    string
		request Request
		want    []string
		wrong   string
	}{
		{"bytes", Request{Path: healthCheck, Body: []byte("\x0a\x01x")}, []string{"\x0a\x01x", "\x0a\x01x"}, ""},
		{"JSON", Request{Path: healthCheck, Schema: schema, Body: []byte(`{"service":"x"}`)}, []string{"\x0a\x01x", "\x0a\x01x"}, ""},
		{"no JSON", Request{Path: healthCheck, Schema: schema}, nil, "is no grpc.health.v1.HealthCheckRequest in JSON"},
		{"JSON by row", Request{Path: healthCheck, Schema: schema, Data: csv, Body: []byte(`{"service":"{data.name}"}`)}, []string{"\x0a\x03a\"b", "\x0a\x01c"}, ""},
		{"a message with a gap", Request{Path: healthCheck, Data: csv, Body: []byte("\x0a\x05{data.name}")}, nil, "needs the descriptor set"},
		{"wrong field", Request{Path: healthCheck, Schema: schema, Body: []byte(`{"servic":"x"}`)}, nil, `unknown field "servic"`},
		{"wrong field by row", Request{Path: healthCheck, Schema: schema, Data: csv, Body: []byte(`{"{data.name}":"x"}`)}, nil, "x.csv:2: the body is no grpc.health.v1.HealthCheckRequest"},
		{"wrong service", Request{Path: "/a.B/Check", Schema: schema, Body: []byte(`{}`)}, nil, "no service a.B; it has grpc.health.v1.Health"},
		{"wrong method", Request{Path: "/grpc.health.v1.Health/Chec", Schema: schema, Body: []byte(`{}`)}, nil, "no method Chec; it has Check, "},
		{"streaming", Request{Path: "/grpc.health.v1.Health/Watch", Schema: schema, Body: []byte(`{}`)}, nil, "only unary"},
		{"no descriptor set", Request{Path: healthCheck, Schema: []byte("\xff"), Body: []byte(`{}`)}, nil, "reading the descriptor set"},
	} {
		got, err := bodies(t, c.request, 2)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
