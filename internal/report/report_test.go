// Golden files: what each shape of report looks like for each document. They
// are refreshed with: go test ./internal/report -update

package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/finding"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	forms := map[string]func(io.Writer, *finding.Document) error{
		"80.txt": func(w io.Writer, d *finding.Document) error { return Terminal(w, d, TerminalOptions{Width: 80}) },
		"140.txt": func(w io.Writer, d *finding.Document) error {
			return Terminal(w, d, TerminalOptions{Width: 140, Color: true})
		},
		"all.txt":      func(w io.Writer, d *finding.Document) error { return Terminal(w, d, TerminalOptions{All: true}) },
		"csv":          CSV,
		"samples.csv":  SamplesCSV,
		"benchfmt.txt": Benchfmt,
	}
	for name, doc := range fixtures() {
		for form, write := range forms {
			t.Run(name+"."+form, func(t *testing.T) {
				var got bytes.Buffer
				if err := write(&got, doc); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"."+form, got.Bytes())
			})
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/report -update makes it)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
