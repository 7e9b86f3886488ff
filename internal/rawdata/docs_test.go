package rawdata

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The examples of docs/runs.md read the table. They need pandas (scripts/consumers/install has it), and R.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := Runs(&table, recorded(t, "../cli/testdata/kept/sampled/runs.jsonl.gz")); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "runs.csv"), table.Bytes(), 0o644); err != nil {
		t.Fatal(err)
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
				t.Skipf("needs %s: %v", c.has[0], err)
			}
			command := exec.Command(c.run[0], append(c.run[1:], string(examples[0][1]))...)
			command.Dir = dir
			out, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"none", "whole"} { // its variants
				if !bytes.Contains(out, []byte(want)) {
					t.Errorf("%s is not in\n%s", want, out)
				}
			}
		})
	}
}
