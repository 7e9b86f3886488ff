// Wrong data files: what is said of them, and that nothing else happens.

package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/load"
)

func TestWrongDataFiles(t *testing.T) {
	for _, c := range []struct {
		file, content string
		path, header  string
		want          string
	}{
		{"x.csv", "", "/{data.a}", "", "x.csv: has no rows"},
		{"x.csv", "a,b\n", "/{data.a}", "", "x.csv: has no rows"},
		{"x.csv", "a,b\n1,2\n", "/{data.c}", "", `x.csv:1: no column "c"; the header line has a, b`},
		{"x.csv", "a,a\n1,2\n", "/{data.a}", "", `x.csv:1: the header line has two columns "a"`},
		{"x.csv", "a,b\n1,2\n\n1,2,3\n", "/{data.a}", "", "x.csv:4: the row has 3 fields, the header line 2"},
		{"x.csv", "a,b\n1,2\n1\n", "/{data.a}", "", "x.csv:3: the row has 1 fields"},
		{"x.csv", "a,b\n1,2\n1,x\"y\n", "/{data.a}", "", `x.csv:3: column 4: bare "`},
		{"x.csv", "a,b\n1,\"2\n3,4\n", "/{data.a}", "", "in the row that begins in line 2"},
		{"x.csv", "a,b\n1,\"" + strings.Repeat("x", mostRow+1<<17), "/{data.a}", "", "x.csv:2: has a row of more than 1024 KiB"},
		{"x.csv", "a\n\"1\n2\"\n", "/", "{data.a}", "x.csv:2: column a holds control characters"},
		{"x.csv", "a\n/x\ny\n", "{data.a:raw}", "", `x.csv:3: column a is "y": want a path that begins with /`},
		{"x.csv", "a\nx y\n", "/{data.a:raw}", "", `x.csv:2: column a is "x y": spaces`},
		{"x.jsonl", "", "/{data.a}", "", "x.jsonl: has no rows"},
		{"x.jsonl", "\n\n", "/{data.a}", "", "x.jsonl: has no rows"},
		{"x.jsonl", `{"a":1}` + "\n\n" + `{"b":1}`, "/{data.a}", "", `x.jsonl:3: no field "a"; the object has b`},
		{"x.jsonl", `{"a":1}` + "\n" + `{"a":`, "/{data.a}", "", "x.jsonl:2: want one object a line: unexpected end"},
		{"x.jsonl", `{"a":1} {"a":2}`, "/{data.a}", "", "x.jsonl:1: want one object a line: invalid character"},
		{"x.jsonl", `{"b":{"a":1,"c":"\":{"}}` + "\n" + `{"a":1,"b":2,"\u0061":3}`, "/{data.b}", "", `x.jsonl:2: the object has two fields "a"`},
		{"x.jsonl", "null\n", "/{data.a}", "", "x.jsonl:1: want an object"},
		{"x.jsonl", "5\n", "/{data.a}", "", "x.jsonl:1: want an object"},
		{"x.json", `[{"a":1}]`, "/{data.a}", "", "x.json:1: want one object a line, not an array"},
		{"x.jsonl", `{"a":"` + strings.Repeat("x", mostRow+1<<17), "/{data.a}", "", "x.jsonl:1: has a row of more than"},
		{"x.csv", "a\n1\n", "/{data.a", "", "is not closed"},
		{"x.csv", "a\n1\n", "/{data.}", "", "names no column"},
		{"x.csv", "a\n1\n", "{data.a}", "", "or with {data.a:raw} where the file holds whole paths"},
		{"x.csv", "a\n1\n", "x/{data.a}", "", "begin with /"},
		{"x.csv", "a\n1\n", "/ {data.a}", "", "percent-encoded"},
	} {
		r := load.Request{Name: "op", Address: "127.0.0.1:80", Path: c.path, Data: dataFile(t, c.file, c.content)}
		if c.header != "" {
			r.Headers = []load.Header{{Name: "X-A", Value: c.header}}
		}
		_, err := rowsOf(t.Context(), r)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q, %s: %v, want %q", c.file, c.content, c.path, err, c.want)
		}
	}
}

func TestDataFileMustBeOne(t *testing.T) {
	for name, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.csv"): "no such file",
		t.TempDir():                            "is not a regular file",
		os.DevNull:                             "is not a regular file",
	} {
		r := load.Request{Address: "127.0.0.1:80", Path: "/{data.a}", Data: name}
		_, err := rowsOf(t.Context(), r)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestDataFormats(t *testing.T) {
	for name, content := range map[string]string{
		"bom.csv":    "\ufeffa,b\r\n1,2\r\n",
		"spaces.csv": " a , b \n1,2\n",
		"bom.jsonl":  "\ufeff" + `{"a": 1}`,
		"unnamed":    "\n " + `{"a": 1}` + "\n",
		"table.txt":  "b,a\n2,1",
		"deep.jsonl": `{"b": {"a": 2, "c": [{"a": ":"}]}, "a": 1, "q\"{:": ":}"}`,
	} {
		r := load.Request{Path: "/{data.a}", Data: dataFile(t, name, content)}
		if got := wires(t, r, 1)[0]; !strings.HasPrefix(got, "GET /1 ") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The memory that rows take is bounded.
func TestDataIsBounded(t *testing.T) {
	tab := newTable(1000)
	tab.want(&gap{column: "a", form: plain})
	err := tab.read(t.Context(), "x.csv", strings.NewReader("a\n"+strings.Repeat("0123456789\n", 100)))
	if err == nil || !strings.Contains(err.Error(), "x.csv:73: the values that the requests use take more than") {
		t.Errorf("%d bytes taken: %v", tab.size(), err)
	}
}

// fuzzTable reads a file as each form of value, and checks what holds of any file.
func fuzzTable(t *testing.T, name, content, column string) {
	tab := newTable(1 << 16)
	for f := plain; f <= jsonValue; f++ {
		tab.want(&gap{column: column, form: f})
	}
	err := tab.read(context.Background(), name, strings.NewReader(content))
	var where *DataError
	if err != nil {
		if !errors.As(err, &where) || errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), "request data "+name) {
			t.Fatalf("an error without a place: %v", err)
		}
		if lines := 1 + strings.Count(content, "\n"); where.Line > lines+1 {
			t.Fatalf("line %d of %d: %v", where.Line, lines, err)
		}
		return
	}
	if tab.rows < 1 || len(tab.ends) != tab.rows*len(tab.gaps) {
		t.Fatalf("%d values in %d rows of %d", len(tab.ends), tab.rows, len(tab.gaps))
	}
	for row := range tab.rows {
		if path := string(tab.value(row, int(percent))); hasBlank(path) || !isValue(string(tab.value(row, int(field)))) {
			t.Fatalf("row %d holds what must not be sent: %q", row, path)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\n\"x\ny\"\n", "\ufeffa\r\n1\r\n", "a,a\n", "a\n\"", "", "b\n1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) { fuzzTable(t, "x.csv", content, "a") })
}

func FuzzJSONLines(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":"x"}` + "\n\n" + `{"a":[1,{"b":null}]}`, "null", "[1]", `{"a":"\ud800"}`, `{"a":"/x"`, ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) { fuzzTable(t, "x.jsonl", content, "a") })
}

// FuzzTemplate cuts any path and body at its placeholders, and finds them again.
func FuzzTemplate(f *testing.F) {
	f.Add("/x/{data.a}?{data.b:raw}", `{"a":"{data.a}"}`)
	f.Add("{data.a:raw}", `"\"{data.a}`)
	f.Add("{data.}", "{data.")
	f.Fuzz(func(t *testing.T, path, body string) {
		if pieces, err := split(path, plain, percent); err == nil && whole(pieces) != path {
			t.Fatalf("%q became %q", path, whole(pieces))
		}
		if _, err := splitPath(path); err != nil && !strings.Contains(path, placeholderStart) {
			t.Fatalf("%q: %v", path, err)
		}
		if _, err := splitBody(load.Request{Body: []byte(body)}); err != nil && !strings.Contains(body, placeholderStart) {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

func whole(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.literal)
		if p.gap != nil {
			fmt.Fprint(&b, p.gap.placeholder())
		}
	}
	return b.String()
}
