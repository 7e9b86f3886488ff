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
	python := filepath.Join(os.Getenv("TRACETAX_CONSUMERS"), "python3")
	for language, c := range map[string]struct{ has, run []string }{
		"python": {[]string{python, "-c", "import pandas"}, []string{python, "-c"}},
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
				t.Skipf("%s: %v; 'make test' installs what it needs", strings.Join(c.has, " "), err)
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
