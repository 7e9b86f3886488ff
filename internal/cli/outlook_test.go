package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// threeVariants is an experiment of so many blocks; its claims on one metric are three, which
// need seven blocks.
func threeVariants(t *testing.T, rest string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.yaml")
	text := "workload:\n  processes: [{name: app, run: sh -c true}]\n  operations: {home: GET http://127.0.0.1:8080/}\n" +
		"variants: {none: , a: {env: {A: x}}, b: {env: {A: y}}, c: {env: {A: z}}}\n" + rest
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What blocks are too few for is told before they are run: a budget that they can never decide is
// a problem of the file, anything else a note.
func TestBlocksThatCannotDecide(t *testing.T) {
	for name, c := range map[string]struct {
		rest   string
		status int
		needs  string // in the problem, or in a note; "": neither
	}{
		"enough":                     {"design: {blocks: 7}\nbudget: {cpu: 5%}\n", console.Fine, ""},
		"a budget, one block less":   {"design: {blocks: 6}\nbudget: {cpu: 5%}\n", console.Usage, "7"},
		"two budgets":                {"design: {blocks: 7}\nbudget: {cpu: 5%, startup: 5%}\n", console.Usage, "8"},
		"lost spans are counted":     {"design: {blocks: 7}\nbudget: {lost: 0}\n", console.Fine, ""},
		"quick, a budget":            {"design: {blocks: 6, quick: true}\nbudget: {cpu: 5%}\n", console.Usage, "7"},
		"the headline":               {"design: {blocks: 6}\n", console.Fine, "7"},
		"the headline, any verdict":  {"design: {blocks: 3}\n", console.Fine, "7"},
		"a precision, ends too soon": {"design: {blocks: 8..30, precision: 2%}\nbudget: {cpu: 5%, startup: 5%, memory: 5%}\n", console.Fine, "10"},
	} {
		t.Run(name, func(t *testing.T) {
			file := threeVariants(t, c.rest)
			var out, errOut bytes.Buffer
			if status := Main([]string{"validate", "--json", file}, strings.NewReader(""), &out, &errOut); status != c.status {
				t.Errorf("exit status %d, want %d: %s", status, c.status, errOut.String())
			}
			var results []checked
			if err := json.Unmarshal(out.Bytes(), &results); err != nil || len(results) != 1 {
				t.Fatalf("%v: %s", err, out.String())
			}
			told := results[0].Notes
			if len(results[0].Problems) > 0 {
				told = nil
				for _, p := range results[0].Problems {
					told = append(told, p.Text)
				}
			}
			if text := strings.Join(told, "\n"); (c.needs == "") != (text == "") || text != "" && !strings.Contains(text, c.needs+" block") {
				t.Errorf("told: %q, want %q blocks", text, c.needs)
			}
			// A run and a dry run warn of the same, on stderr, and are made.
			var dry bytes.Buffer
			out.Reset()
			if status := Main([]string{"run", "--dry-run", file}, strings.NewReader(""), &out, &dry); status != console.Fine {
				t.Errorf("a dry run: exit status %d: %s", status, dry.String())
			}
			if warns := strings.Contains(dry.String(), "warning: "); warns != (c.needs != "") || !strings.Contains(dry.String(), c.needs+" block") && warns {
				t.Errorf("a dry run warns: %q", dry.String())
			}
		})
	}
}

// No built-in experiment has a budget that its blocks cannot decide.
func TestBuiltInExperimentsCanDecide(t *testing.T) {
	names, err := builtIn().Experiments()
	if err != nil || len(names) == 0 {
		t.Fatalf("%d experiments: %v", len(names), err)
	}
	for _, name := range names {
		if r := validate(name, builtIn()); !r.Fine {
			t.Errorf("%s: %v", name, r.problems)
		}
	}
}
