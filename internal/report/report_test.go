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

var update = flag.Bool("update", false, "write the golden files again")

// form is one shape of report, by the end of its golden file's name.
type form map[string]func(io.Writer, *finding.Document) error

func TestGolden(t *testing.T) {
	check := func(name string, doc *finding.Document, forms form) {
		for ending, write := range forms {
			t.Run(name+"."+ending, func(t *testing.T) {
				var got bytes.Buffer
				if err := write(&got, doc); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"."+ending, got.Bytes())
			})
		}
	}
	for name, doc := range fixtures() {
		check(name, doc, form{"80.txt": terminalForm(80, false, false), "140.txt": terminalForm(140, true, false), "all.txt": terminalForm(0, false, true)})
	}
	tables := form{"csv": CSV, "samples.csv": SamplesCSV, "benchfmt.txt": Benchfmt}
	check("small", small.make(), tables)
	check("empty", empty(), tables)
	check("sweep", sweeping(2, 1, 8), tables)
	check("capacity", searching(2, false), form{"csv": CSV, "benchfmt.txt": Benchfmt})
}

func terminalForm(width int, colour, all bool) func(io.Writer, *finding.Document) error {
	return func(w io.Writer, doc *finding.Document) error {
		return Terminal(w, doc, TerminalOptions{Width: width, Color: colour, All: all})
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
