package drive

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
)

// What an operation says of its files comes to the load generator, with names
// that hold in its process.
func TestRequestWithFiles(t *testing.T) {
	source := t.TempDir()
	own := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(filepath.Join(source, "types.pb"), []byte("types"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Requests{Run{
		Processes: []program.Process{{Name: "app", Role: "app"}}, Source: source,
		Values: func(p program.Process) map[string]string { return map[string]string{"process": p.Name} },
		Front:  func(process string) string { return map[string]string{"app": "127.0.0.1:80"}[process] },
	}}
	call := program.Operation{Name: "call", Method: "POST", URL: "/a.B/C", GRPC: true, Data: "rows.csv", Order: program.OrderRandom, Protoset: "types.pb"}
	got, err := s.requestFor(call)
	if err != nil {
		t.Fatal(err)
	}
	if got.Data != filepath.Join(source, "rows.csv") || got.Order != load.Random || string(got.Schema) != "types" || got.Address != "127.0.0.1:80" {
		t.Errorf("%+v", got)
	}
	if got, err := s.requestFor(program.Operation{URL: "/", Data: own}); err != nil || got.Data != own || got.Order != "" || got.Schema != nil {
		t.Errorf("a file of your own: %+v, %v", got, err)
	}
	call.Protoset = "none.pb"
	if _, err := s.requestFor(call); err == nil || !strings.Contains(err.Error(), "reading the types of the service (protoset)") {
		t.Errorf("types that are gone: %v", err)
	}
}

// A body in JSON brings its type where the user names none: frameworks take it for a form otherwise, or refuse it.
func TestBodyInJSON(t *testing.T) {
	r := &Requests{Run{
		Processes: []program.Process{{Name: "app", Role: "app"}}, Values: func(program.Process) map[string]string { return nil },
		Front: func(string) string { return "127.0.0.1:80" },
	}}
	for body, c := range map[string]struct {
		headers map[string]string
		grpc    bool
		want    bool
	}{
		`{"id": 7}`:                             {want: true},
		` [1, 2]`:                               {want: true},
		`{"id": {data.id}, "n": "{take.name}"}`: {want: true},
		`{"id": 8}`:                             {headers: map[string]string{"content-TYPE": "application/vnd.shop+json"}},
		`{"id": 9}`:                             {grpc: true},
		`{"id": 7`:                              {},
		`id=7`:                                  {},
		`{data.whole}`:                          {},
		``:                                      {},
	} {
		got, err := r.requestFor(program.Operation{Method: "POST", URL: "/order", Body: program.Content{Bytes: []byte(body)}, Headers: c.headers, GRPC: c.grpc})
		if err != nil {
			t.Fatal(err)
		}
		if has := slices.Contains(got.Headers, load.Header{Name: "Content-Type", Value: "application/json"}); has != c.want || len(got.Headers) > 1 {
			t.Errorf("%s: %+v", body, got.Headers)
		}
	}
}
