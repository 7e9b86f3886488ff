package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config/program"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// healthTypes is the descriptor set of the health service.
func healthTypes(t *testing.T) []byte {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(grpc_health_v1.File_grpc_health_v1_health_proto)
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// filesExperiment is an experiment with one operation, in a folder with files.
func filesExperiment(t *testing.T, dir, operation string) ([]*Experiment, error) {
	t.Helper()
	for name, text := range map[string]string{"rows.csv": "user\n1\n", "types.pb": string(healthTypes(t)), "garbage.pb": "\xff"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return ParseExperiment("x.yaml", dir, []byte(`
workload:
  processes: [{name: shop, run: [shop, "{port}"]}]
  operations: {a: `+operation+`}
variants: {none: , otel-python: }
`), builtIn())
}

func TestTypesAndOrder(t *testing.T) {
	dir := t.TempDir()
	es, err := filesExperiment(t, dir, `{grpc: /grpc.health.v1.Health/Check, protoset: types.pb, data: rows.csv, order: random, body: '{"service": "{data.user}"}'}`)
	if err != nil {
		t.Fatal(err)
	}
	o := es[0].Operations[0]
	if o.Order != program.OrderRandom || o.Protoset != filepath.Join(dir, "types.pb") || string(o.Body.Bytes) != `{"service": "{data.user}"}` {
		t.Errorf("%+v", o)
	}
	roundTrip(t, es[0])
	for operation, want := range map[string]string{
		`{request: "GET /{data.user}", data: rows.csv, order: turn}`:                                "",
		`{request: "GET /{data.user}", data: rows.csv, order: rndom}`:                               "random",
		`{request: GET /, order: random}`:                                                           "order is that of the rows of request data",
		`{request: GET /, protoset: types.pb}`:                                                      "a protoset holds the types of a gRPC service",
		`{grpc: /grpc.health.v1.Health/Check, protoset: none.pb, body: "{}"}`:                       `protoset: there is no file "none.pb" beside this one`,
		`{grpc: /grpc.health.v1.Health/Check, protoset: garbage.pb, body: "{}"}`:                    "protoc --descriptor_set_out=FILE",
		`{grpc: /grpc.health.v1.Health/Chek, protoset: types.pb, body: "{}"}`:                       `did you mean "/grpc.health.v1.Health/Check"`,
		`{grpc: /grpc.health.v1.Health/Check, protoset: types.pb}`:                                  "the body is the message in JSON; write body: '{}'",
		`{grpc: /grpc.health.v1.Health/Check, protoset: types.pb, body: service}`:                   "the message in JSON, and this is not",
		`{grpc: "https://127.0.0.1:{port}/grpc.health.v1.Health/Check", protoset: ., body: "{}"}`:   `protoset: "." is not a file`,
		`{grpc: "https://127.0.0.1:{port}/grpc.health.v1.Health/Check", protoset: "", body: "{}"}`:  "protoset names a descriptor set",
		`{grpc: "grpc://127.0.0.1:99/grpc.health.v1.Health/Check", protoset: types.pb, body: "{}"}`: "",
	} {
		_, err := filesExperiment(t, dir, operation)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", operation, err)
		}
	}
}

// TestLargeBodies: a body of over 256 KiB stays in its file, which the resolved experiment names, and whose digest is kept; of one
// that is too large the message has the limit.
func TestLargeBodies(t *testing.T) {
	dir := t.TempDir()
	body := bytes.Repeat([]byte{0, 1, 2, 255}, 80<<10)
	for name, size := range map[string]int{"body.bin": len(body), "small.bin": 100} {
		if err := os.WriteFile(filepath.Join(dir, name), body[:size], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, size := range map[string]int64{"most.bin": 64 << 20, "huge.bin": 64<<20 + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := filesExperiment(t, dir, `{request: POST /up, body: "@most.bin"}`); err != nil {
		t.Errorf("64 MiB: %v", err)
	}
	for _, operation := range []string{
		`{request: POST /up, body: "@body.bin"}`,
		`{request: POST /up, body: {file: body.bin}}`,
		`{steps: [{request: GET /}, {request: POST /up, body: {file: body.bin}}, {request: POST /, body: "@small.bin"}]}`,
	} {
		all, err := filesExperiment(t, dir, operation)
		if err != nil {
			t.Fatal(err)
		}
		es := all[0]
		again(t, builtIn(), es)
		text, err := es.YAML()
		if err != nil || len(text) > 4096 || !bytes.Contains(text, []byte("file: "+filepath.Join(dir, "body.bin"))) {
			t.Errorf("%v, %d bytes:\n%.1000s", err, len(text), text)
		}
		digests, err := es.Digests()
		if err != nil || len(digests[filepath.Join(dir, "body.bin")]) != 64 {
			t.Errorf("digests %v, %v", digests, err)
		}
		o := es.Operations[0]
		if len(o.Then) > 0 {
			o.Body = o.Then[0].Body
		}
		if !bytes.Equal(o.Body.Bytes, body) {
			t.Errorf("%d bytes of %d", len(o.Body.Bytes), len(body))
		}
	}
	if _, err := filesExperiment(t, dir, `{request: POST /up, body: "@huge.bin"}`); err == nil || !strings.Contains(err.Error(), "the most is 64 MiB") || !strings.Contains(err.Error(), "larger bodies are not supported") {
		t.Errorf("%v", err)
	}
}

// TestFilesOfACatalog: a workload of a catalog names files of its own folder,
// and no others.
func TestFilesOfACatalog(t *testing.T) {
	catalog := func(data, body string) *program.Catalog {
		return program.NewCatalog(fstest.MapFS{
			"workloads/shop/workload.yaml": {Data: []byte(`
processes: [{name: shop, run: [shop, "{port}"]}]
operations:
  a: {request: "POST /{data.user}", data: ` + data + `, body: "@` + body + `"}
`)},
			"workloads/shop/data/rows.csv":        {Data: []byte("user\n1\n")},
			"workloads/shop/data/under.mod.embed": {Data: []byte("user\n2\n")},
			"workloads/shop/order.json":           {Data: []byte("{}")},
			"workloads/shop/large":                {Data: make([]byte, program.MaxBody+1)},
			"workloads/other/rows.csv":            {Data: []byte("user\n3\n")},
			"workloads/other/workload.yaml":       {Data: []byte("{}")},
			"experiments/x.yaml":                  {Data: []byte("workload: shop\nvariants: {none: , a: {env: {A: b}}}")},
		})
	}
	w, err := catalog("data/rows.csv", "order.json").Workload("shop")
	if err != nil {
		t.Fatal(err)
	}
	if o := w.Operations[0]; o.Data != "data/rows.csv" || string(o.Body.Bytes) != "{}" || program.File(o.Data, "/copy") != "/copy/data/rows.csv" {
		t.Errorf("%+v", o)
	}
	if w, err := catalog("./data/under.mod", "order.json").Workload("shop"); err != nil || w.Operations[0].Data != "data/under.mod" {
		t.Errorf("a file that is embedded under another name: %+v, %v", w, err)
	}
	for _, c := range [][3]string{
		{"none.csv", "order.json", `there is no file "none.csv" beside this one`},
		{"../other/rows.csv", "order.json", `"../other/rows.csv" is not in the folder of this workload`},
		{"/etc/passwd", "order.json", `"/etc/passwd" is not in the folder of this workload`},
		{"data", "order.json", `"data" is not a file`},
		{"data/rows.csv", "none.json", `there is no file "none.json" beside this one`},
		{"data/rows.csv", "/etc/hostname", `"/etc/hostname" is not in the folder of this workload`},
		{"data/rows.csv", "large", "has more than 256 KiB"},
	} {
		if _, err := catalog(c[0], c[1]).Workload("shop"); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("data %s, body %s: %v", c[0], c[1], err)
		}
	}
	es, err := BuiltIn(catalog("data/rows.csv", "order.json"), "x")
	if err != nil {
		t.Fatal(err)
	}
	digests, err := es[0].Digests()
	if err != nil || len(digests) != 1 || len(digests["data/rows.csv"]) != 64 {
		t.Errorf("digests %v, %v", digests, err)
	}
}

// TestDigests: a file counts once, parts of a mix count, and what changes in a
// file changes its digest.
func TestDigests(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "rows.csv")
	write := func(text string) map[string]string {
		t.Helper()
		if err := os.WriteFile(rows, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		part := program.Operation{Name: "b", Data: rows}
		digests, err := (&Experiment{Workload: &program.Workload{}, Operations: []program.Operation{
			{Name: "a", Data: rows}, {Name: "mix", Mix: []program.Share{{Operation: part, Weight: 1}}}, {Name: "plain"},
		}}).Digests()
		if err != nil {
			t.Fatal(err)
		}
		return digests
	}
	// printf abc | sha256sum
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := write("abc"); len(got) != 1 || got[rows] != abc {
		t.Errorf("%v", got)
	}
	if got := write("abd"); got[rows] == abc {
		t.Errorf("%v", got)
	}
	if _, err := (&Experiment{Operations: []program.Operation{{Data: "gone.csv"}}}).Digests(); err == nil || !strings.Contains(err.Error(), "reading gone.csv for its digest") {
		t.Errorf("a file that is gone: %v", err)
	}
}

// A result is named after the program that is measured, and not after the database that starts before it.
func TestNameOfAnOwnWorkload(t *testing.T) {
	for processes, want := range map[string]string{
		"[{name: redis, role: database, run: [redis-server]}, {name: web, run: [web]}, {name: worker, run: [worker]}]": "web",
		"[{name: redis, role: database, run: [redis-server]}]":                                                         "redis",
	} {
		es, err := ParseExperiment("x.yaml", t.TempDir(), []byte("workload:\n  processes: "+processes+"\n  operations: {a: GET http://127.0.0.1:1/}\nvariants: {none: , x: {env: {A: 1}}}\n"), builtIn())
		if err != nil {
			t.Fatal(err)
		}
		if got := es[0].Workload.Name; got != want {
			t.Errorf("%s: %q, want %q", processes, got, want)
		}
	}
}
