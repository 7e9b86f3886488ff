// Data files as requests use them: forms of values, orders, caching, and messages.

package feed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/load"
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

// rowsOf are the rows of the only operation of a task that is all right; nil where it uses no data.
func rowsOf(ctx context.Context, r load.Request) (*Rows, error) {
	if err := Check(load.Task{Operations: []load.Request{r}, Count: 1}); err != nil {
		return nil, err
	}
	var files Files
	rows, err := files.Rows(ctx, []load.Request{r}, 7)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// A kept value stands in a body in the form of its kind, and what is none of them stays.
func TestBodyWith(t *testing.T) {
	values := map[string]string{"token": `a"b&c {user}`, "user": "u"}
	for body, c := range map[string]struct{ kind, want string }{
		`{"t": "{token}", "n": {user}, "x": {other}}`: {"", `{"t": "a\"b&c {user}", "n": u, "x": {other}}`},
		`t={token}&u={user}`:                          {"application/x-www-form-urlencoded", `t=a%22b%26c%20%7Buser%7D&u=u`},
		`token {token}`:                               {"text/plain", `token a"b&c {user}`},
	} {
		r := load.Request{Body: []byte(body), Headers: []load.Header{{Name: "Content-Type", Value: c.kind}}}
		if c.kind == "" {
			r.Headers = nil
		}
		if got, err := BodyWith(r, values); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", body, got, err, c.want)
		}
	}
}

// wires returns the first n requests of r.
func wires(t *testing.T, r load.Request, n int) []string {
	t.Helper()
	r.Address = "127.0.0.1:80"
	rows, err := rowsOf(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var room []byte
	for nth := range n {
		room = rows.Bytes(uint64(nth), room)
		out = append(out, string(room))
	}
	return out
}

func TestDataInRequests(t *testing.T) {
	csv := dataFile(t, "users.csv", "id,full name,path,n\n1,\"Ann \"\"A\"\" \\ Lee\",/a/1?x=y,7\n2,Zoë/ß,/b,\n")
	lines := dataFile(t, "users.jsonl", `{"id": 1, "full name": "Ann \"A\" \\ Lee", "tags": ["x", {"y": null}]}`+"\n\n"+`{"id": 2, "full name": "Zo\u00eb/ß", "tags": null}`+"\n")
	const start, host = "GET ", " HTTP/1.1\r\nHost: 127.0.0.1:80\r\nUser-Agent: tracetax\r\n"
	for _, c := range []struct {
		name    string
		request load.Request
		want    []string
	}{
		{"path", load.Request{Path: "/u/{data.id}?name={data.full name}", Data: csv}, []string{
			start + "/u/1?name=Ann%20%22A%22%20%5C%20Lee" + host + "\r\n", start + "/u/2?name=Zo%C3%AB%2F%C3%9F" + host + "\r\n",
		}},
		{"whole path", load.Request{Path: "{data.path:raw}", Data: csv}, []string{start + "/a/1?x=y" + host + "\r\n", start + "/b" + host + "\r\n"}},
		{"header", load.Request{Data: csv, Headers: []load.Header{{Name: "X-A", Value: "<{data.full name}>"}, {Name: "X-B", Value: "{data.id}"}}}, []string{
			start + "/" + host + "X-A: <Ann \"A\" \\ Lee>\r\nX-B: 1\r\n\r\n", start + "/" + host + "X-A: <Zoë/ß>\r\nX-B: 2\r\n\r\n",
		}},
		{"JSON body from CSV", load.Request{Data: csv, Body: []byte(`{"n\"":"{data.full name}","i":{data.id},"r":"{data.id:raw}"}`)}, []string{
			start + "/" + host + "Content-Length: 46\r\n\r\n" + `{"n\"":"Ann \"A\" \\ Lee","i":1,"r":"1"}`,
			start + "/" + host + "Content-Length: 33\r\n\r\n" + `{"n\"":"Zoë/ß","i":2,"r":"2"}`,
		}},
		{"JSON body from JSON", load.Request{Data: lines, Body: []byte(`{"n":{data.full name},"q":"{data.full name}","t":{data.tags},"i":{data.id}}`)}, []string{
			start + "/" + host + "Content-Length: 89\r\n\r\n" + `{"n":"Ann \"A\" \\ Lee","q":"Ann \"A\" \\ Lee","t":["x", {"y": null}],"i":1}`,
			start + "/" + host + "Content-Length: 54\r\n\r\n" + `{"n":"Zo\u00eb/ß","q":"Zoë/ß","t":null,"i":2}`,
		}},
		{"form", load.Request{Data: csv, Headers: []load.Header{{Name: "content-type", Value: "application/x-www-form-urlencoded; charset=utf-8"}}, Body: []byte(`n={data.full name}`)}, []string{
			start + "/" + host + "content-type: application/x-www-form-urlencoded; charset=utf-8\r\nContent-Length: 33\r\n\r\nn=Ann%20%22A%22%20%5C%20Lee", "",
		}},
		{"plain body", load.Request{Data: csv, Headers: []load.Header{{Name: "Content-Type", Value: "text/plain"}}, Body: []byte(`{"n":"{data.full name}"}`)}, []string{
			start + "/" + host + "Content-Type: text/plain\r\nContent-Length: 22\r\n\r\n" + `{"n":"Ann "A" \ Lee"}`, "",
		}},
		{"empty value", load.Request{Data: csv, Method: "POST", Body: []byte(`{data.n}`)}, []string{
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
	r := load.Request{Path: "/{data.id}", Data: dataFile(t, "x.csv", file.String()), Order: load.Random}
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

// A file is read once for all operations and tasks that use it, and again once it
// has changed.
func TestDataFileIsReadOnce(t *testing.T) {
	name := dataFile(t, "x.csv", "a,b\n1,2\n")
	operations := []load.Request{
		{Address: "127.0.0.1:80", Path: "/{data.a}", Data: name},
		{Address: "127.0.0.1:80", Path: "/{data.b}", Data: name},
	}
	var files Files
	read := func() []*Rows {
		t.Helper()
		rows, err := files.Rows(t.Context(), operations, 0)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := read()
	if rows[0].table != rows[1].table {
		t.Error("two operations have the file twice")
	}
	if again := read(); again[0].table != rows[0].table {
		t.Error("the next task reads the file again")
	}
	if err := os.WriteFile(name, []byte("a,b\n10,20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b := read()[0].Bytes(0, nil); !strings.HasPrefix(string(b), "GET /10 ") {
		t.Errorf("the file has changed, but %q is sent", b)
	}
	operations = []load.Request{{Address: "127.0.0.1:80"}}
	if read(); len(files.kept) != 0 {
		t.Error("a file is kept that nobody uses")
	}
}

func TestDataIsGivenUp(t *testing.T) {
	name := dataFile(t, "x.csv", "a\n1\n"+strings.Repeat("1\n", 2*heedEvery))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rowsOf(ctx, load.Request{Address: "127.0.0.1:80", Path: "/{data.a}", Data: name}); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("reading goes on: %v", err)
	}
}

// Requests with data must not allocate.
func TestRenderingARowAllocatesNothing(t *testing.T) {
	r := load.Request{Address: "127.0.0.1:80", Path: "/{data.a}", Data: dataFile(t, "x.csv", "a\n1\n22\n"), Body: []byte("{data.a}")}
	rows, err := rowsOf(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	room, nth := make([]byte, 1024), uint64(0)
	if n := testing.AllocsPerRun(100, func() { room = rows.Bytes(nth, room); nth++ }); n > 0 {
		t.Errorf("%v allocations a request", n)
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
func bodies(t *testing.T, r load.Request, n int) ([]string, error) {
	t.Helper()
	r.Address, r.GRPC = "127.0.0.1:80", true
	rows, err := rowsOf(t.Context(), r)
	if err != nil {
		return nil, err
	}
	same, err := Encoded([]load.Request{r})
	if err != nil {
		return nil, err
	}
	var out []string
	for nth := range n {
		if rows == nil {
			out = append(out, string(same[0].Body))
			continue
		}
		_, message, _ := strings.Cut(string(rows.Bytes(uint64(nth), nil)), "\r\n\r\n")
		out = append(out, message)
	}
	return out, nil
}

func TestMessages(t *testing.T) {
	schema := healthSchema(t)
	csv := dataFile(t, "x.csv", "name\n\"a\"\"b\"\nc\n")
	for _, c := range []struct {
		name    string
		request load.Request
		want    []string
		wrong   string
	}{
		{"bytes", load.Request{Path: healthCheck, Body: []byte("\x0a\x01x")}, []string{"\x0a\x01x", "\x0a\x01x"}, ""},
		{"JSON", load.Request{Path: healthCheck, Schema: schema, Body: []byte(`{"service":"x"}`)}, []string{"\x0a\x01x", "\x0a\x01x"}, ""},
		{"no JSON", load.Request{Path: healthCheck, Schema: schema}, nil, "is no grpc.health.v1.HealthCheckRequest in JSON"},
		{"JSON by row", load.Request{Path: healthCheck, Schema: schema, Data: csv, Body: []byte(`{"service":"{data.name}"}`)}, []string{"\x0a\x03a\"b", "\x0a\x01c"}, ""},
		{"a message with a gap", load.Request{Path: healthCheck, Data: csv, Body: []byte("\x0a\x05{data.name}")}, nil, "needs the descriptor set"},
		{"wrong field", load.Request{Path: healthCheck, Schema: schema, Body: []byte(`{"servic":"x"}`)}, nil, `unknown field "servic"`},
		{"wrong field by row", load.Request{Path: healthCheck, Schema: schema, Data: csv, Body: []byte(`{"{data.name}":"x"}`)}, nil, "x.csv:2: the body is no grpc.health.v1.HealthCheckRequest"},
		{"wrong service", load.Request{Path: "/a.B/Check", Schema: schema, Body: []byte(`{}`)}, nil, "no service a.B; it has grpc.health.v1.Health"},
		{"wrong method", load.Request{Path: "/grpc.health.v1.Health/Chec", Schema: schema, Body: []byte(`{}`)}, nil, "no method Chec; it has Check, "},
		{"streaming", load.Request{Path: "/grpc.health.v1.Health/Watch", Schema: schema, Body: []byte(`{}`)}, nil, "only unary"},
		{"no descriptor set", load.Request{Path: healthCheck, Schema: []byte("\xff"), Body: []byte(`{}`)}, nil, "reading the descriptor set"},
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
