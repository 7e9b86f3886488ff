package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// The examples of docs/runs.md tell from a kept result's raw data what its report tells.
func TestRunsDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Abs("testdata/kept/sampled")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	unpackKept(t, kept, "sampled")
	said(t, "report", "sampled", "--reanalyze")
	said(t, "report", "sampled", "--samples", "samples.csv")
	text, err := os.ReadFile("sampled/findings.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc finding.Document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range doc.Findings {
		if f.Headline && f.Against == "none" {
			want = append(want, fmt.Sprintf("%s %s %+.2f%%", f.Operation, f.Variant, 100*f.Relative.Estimate))
		}
	}
	if len(want) < 2 {
		t.Fatalf("the report tells %q", want)
	}
	for language, c := range map[string]struct{ has, run []string }{
		"python": {[]string{"python3", "--version"}, []string{"python3", "-c"}},
		"r":      {[]string{"Rscript", "--version"}, []string{"Rscript", "-e"}},
	} {
		t.Run(language, func(t *testing.T) {
			examples := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(page, -1)
			if len(examples) != 1 {
				t.Fatalf("%d examples", len(examples))
			}
			if err := exec.Command(c.has[0], c.has[1:]...).Run(); err != nil {
				if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
					t.Fatal(err)
				}
				t.Skipf("%s: %v; 'make setup' installs it", strings.Join(c.has, " "), err)
			}
			out, err := exec.Command(c.run[0], append(c.run[1:], string(examples[0][1]))...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, line := range want {
				if !strings.Contains(string(out), line) {
					t.Errorf("no %q in\n%s", line, out)
				}
			}
		})
	}
}

// The recipe of docs/ci.md makes a row of each kept result, in the order of time, and a column of each cost that all have.
func TestHistoryDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile("(?s)```sh\n(jq .*?)```").FindSubmatch(page)
	if recipe == nil {
		t.Fatal("docs/ci.md has no recipe")
	}
	if _, err := exec.LookPath("jq"); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
			t.Fatal(err)
		}
		t.Skip("needs jq; 'make setup' installs it")
	}
	kept, err := filepath.Abs("testdata/kept")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"calls", "calls-again"} {
		if err := os.MkdirAll("results/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("results/"+name+"/findings.json", unzipped(t, filepath.Join(kept, name, "findings.json.gz")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("sh", "-c", string(recipe[1])).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile("history.csv")
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	if err != nil || len(rows) != 3 || rows[0] != `"time","commit","call/otel/cpu_per_operation"` || !(rows[1] < rows[2]) || strings.Contains(string(text), "null") {
		t.Errorf("%v\n%s", err, text)
	}
}
