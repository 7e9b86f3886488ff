// tracetax report, run as a user runs it, on a finished result.

package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/finding"
)

// result is a results folder with findings.
func result(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "analysis", "testdata", "findings.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "findings.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReport(t *testing.T) {
	dir := result(t)
	elsewhere := t.TempDir()
	at := func(name string) string { return filepath.Join(elsewhere, name) }
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "findings.json"), []byte(`{"schema": 99}`), 0o644); err != nil {
		t.Fatal(err)
	}
	several := t.TempDir()
	for _, name := range []string{"hello-flask", "hello-go"} {
		if err := os.CopyFS(filepath.Join(several, name), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		out    string // must be in stdout
		err    string // must be in stderr
	}{
		{"table", []string{dir}, console.Fine, "CPU per operation", ""},
		{"table names the folder it was read from", []string{dir}, console.Fine, filepath.Join(dir, "report.html"), ""},
		{"and the command to repeat it", []string{dir}, console.Fine, "tracetax run " + dir + "/experiment.yaml", ""},
		{"all", []string{dir, "--all"}, console.Fine, "latency mean", ""},
		{"page", []string{dir, "--html", "-"}, console.Fine, "<!doctype html>", ""},
		{"csv", []string{dir, "--csv", "-"}, console.Fine, "workload,operation", ""},
		{"samples", []string{dir, "--samples", "-"}, console.Fine, "block,baseline,value", ""},
		{"benchfmt", []string{dir, "--benchfmt", "-"}, console.Fine, "/variant=", ""},
		{"bmf", []string{dir, "--bmf", "-"}, console.Fine, `"lower_value"`, ""},
		{"benchmark action", []string{dir, "--benchmark-action", "-"}, console.Fine, `"range"`, ""},
		{"otava", []string{dir, dir, "--otava", "-"}, console.Fine, "time,commit,", ""},
		{"otava beside others", []string{dir, "--otava", "-", "--csv", at("b.csv")}, console.Usage, "", "--otava stands alone"},
		{"summary", []string{dir, "--summary"}, console.Fine, "### How it was measured", ""},
		{"runs without records", []string{dir, "--runs", "-"}, console.Usage, "", "runs.jsonl"},
		{"runs and findings on one stream", []string{dir, "--runs", "-", "--csv", "-"}, console.Usage, "", "--csv and --runs both"},
		{"several", []string{dir, "--html", at("a.html"), "--csv", at("a.csv"), "--json"}, console.Fine, `"full_summary"`, ""},
		{"two on one stream", []string{dir, "--csv", "-", "--json"}, console.Usage, "", "--csv and --json both"},
		{"no folder", []string{}, console.Usage, "", "takes one results folder"},
		{"not a result", []string{elsewhere}, console.Usage, "", "has no findings.json"},
		{"no such folder", []string{at("nowhere")}, console.Usage, "", "there is no folder " + at("nowhere")},
		{"of several workloads", []string{several}, console.Usage, "", "give one of " + filepath.Join(several, "hello-flask") + ", " + filepath.Join(several, "hello-go")},
		{"too new", []string{broken}, console.Failed, "", "newer"},
		{"nowhere to write", []string{dir, "--csv", at("no/such/a.csv")}, console.Failed, "", "writing --csv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			status := Main(append([]string{"report"}, c.args...), strings.NewReader(""), &out, &errOut)
			if status != c.status {
				t.Errorf("exit status %d, want %d: %s", status, c.status, errOut.String())
			}
			if !strings.Contains(out.String(), c.out) || c.status != console.Fine && out.Len() > 0 {
				t.Errorf("stdout is %.300q, want %q in it", out.String(), c.out)
			}
			if !strings.Contains(errOut.String(), c.err) || c.err == "" && errOut.Len() > 0 {
				t.Errorf("stderr is %q, want %q in it", errOut.String(), c.err)
			}
			if strings.Contains(out.String(), "\x1b[") {
				t.Error("colour, though stdout is no terminal")
			}
		})
	}
	for _, name := range []string{"a.html", "a.csv"} {
		if info, err := os.Stat(at(name)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", name, err)
		}
	}
}

func TestReportJSONIsOneDocument(t *testing.T) {
	var out bytes.Buffer
	if status := Main([]string{"report", result(t), "--json"}, strings.NewReader(""), &out, io.Discard); status != console.Fine {
		t.Fatalf("exit status %d", status)
	}
	var doc struct {
		FullSummary string `json:"full_summary"`
	}
	d := json.NewDecoder(&out)
	if err := d.Decode(&doc); err != nil || doc.FullSummary == "" {
		t.Errorf("full summary %q, error %v", doc.FullSummary, err)
	}
	if d.More() {
		t.Error("something follows the document")
	}
}

// A finished result is judged by another budget, with the exit status of the run that would have asked for it.
func TestReportByAnotherBudget(t *testing.T) {
	kept, err := filepath.Abs("testdata/kept")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"levels", "sampled"} {
		unpackKept(t, filepath.Join(kept, name), name)
	}
	for _, c := range []struct {
		folder, budget string
		more           []string
		status         int
		kinds          []string // of the verdicts on the budget
	}{
		{"levels", "lost=0", nil, console.Fine, []string{"within"}},
		{"levels", "cpu=50%", nil, console.Inconclusive, []string{"cannot-tell"}},
		{"sampled", "lost=0", nil, console.OverBudget, []string{"cannot-tell", "over"}},
		{"sampled", "lost=100%", nil, console.Fine, []string{"within"}},
		{"levels", "lost=2", nil, console.Usage, nil},
		{"levels", "lost=0", []string{"--reanalyze"}, console.Usage, nil},
	} {
		var out, stderr bytes.Buffer
		args := append([]string{"report", c.folder, "--json", "--budget", c.budget}, c.more...)
		if got := Main(args, strings.NewReader(""), &out, &stderr); got != c.status {
			t.Errorf("%q: exit status %d, want %d: %s", args, got, c.status, stderr.String())
		}
		var doc finding.Document
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil && c.kinds != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var kinds []string
		for _, f := range doc.Findings {
			if f.Verdict.Budget != nil && !slices.Contains(kinds, string(f.Verdict.Kind)) {
				kinds = append(kinds, string(f.Verdict.Kind))
			}
		}
		slices.Sort(kinds)
		if !slices.Equal(kinds, c.kinds) {
			t.Errorf("%q: verdicts %q, want %q", args, kinds, c.kinds)
		}
	}
	for _, name := range []string{"levels", "sampled"} {
		files, err := os.ReadDir(name)
		if err != nil || len(files) != 3 {
			t.Errorf("%s has %v after the judging (%v), want the three files of before", name, files, err)
		}
	}
}
