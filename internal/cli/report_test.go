// tracetax report, run as a user runs it, on a finished result.

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/report/parts"
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
		{"summary", []string{dir, "--summary"}, console.Fine, "### How it was measured", ""},
		{"runs without records", []string{dir, "--runs", "-"}, console.Usage, "", "runs.jsonl"},
		{"runs and findings on one stream", []string{dir, "--runs", "-", "--csv", "-"}, console.Usage, "", "--csv and --runs both"},
		{"several", []string{dir, "--html", at("a.html"), "--csv", at("a.csv"), "--json"}, console.Fine, `"summary"`, "wrote " + at("a.html") + " (--html)\nwrote " + at("a.csv") + " (--csv)\n"},
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
		Summary string `json:"summary"`
	}
	d := json.NewDecoder(&out)
	if err := d.Decode(&doc); err != nil || doc.Summary == "" {
		t.Errorf("summary %q, error %v", doc.Summary, err)
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

// Findings that are not whole are told with their file, with what is wrong, and with what
// can be done about it here.
func TestBrokenFindings(t *testing.T) {
	const cut = `{"schema": 3, "fi`
	records := []string{"runs.jsonl", "experiment.yaml", "environment.json"}
	for name, c := range map[string]struct {
		text   string
		beside []string // other files in the folder
		want   string   // behind the file; DIR is the folder
	}{
		"cut off":        {cut, records, "is cut off: make it again from the records with: tracetax report DIR --reanalyze"},
		"empty":          {"", records, "is cut off: make it again from the records with: tracetax report DIR --reanalyze"},
		"no JSON":        {"hello", records, "is no findings document (reading findings: invalid character 'h' looking for beginning of value): make it again from the records with: tracetax report DIR --reanalyze"},
		"something else": {"{}", records, "is no findings document (reading findings: no schema version: is this a findings.json of tracetax?): make it again from the records with: tracetax report DIR --reanalyze"},
		"no records":     {cut, nil, "is cut off: there is no runs.jsonl beside it to make it again from; take a whole copy of it, or measure again"},
		"earlier":        {`{"schema": 1}`, records, "comes from an earlier tracetax: make it again from the records with: tracetax report DIR --reanalyze"},
		"no experiment":  {cut, records[:1], "is cut off: there is no experiment.yaml beside it to make it again from; take a whole copy of it, or measure again"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "findings.json")
			write(t, file, c.text)
			for _, other := range c.beside {
				write(t, filepath.Join(dir, other), "")
			}
			want := file + " " + strings.ReplaceAll(c.want, "DIR", dir)
			for _, args := range [][]string{{"report", dir}, {"compare", dir, dir}, {"compare", file, file}} {
				if _, got := refused(t, args...); !strings.Contains(got, want) {
					t.Errorf("%q: %s\nwant %s", args, got, want)
				}
			}
			if len(c.beside) > 0 {
				return
			}
			if _, got := refused(t, "report", dir, "--reanalyze"); !strings.Contains(got, want) || strings.Contains(got, "--reanalyze") {
				t.Errorf("--reanalyze: %s\nwant %s", got, want)
			}
		})
	}
}

// A file in the place of a results folder is told with the folder.
func TestFileInsteadOfFolder(t *testing.T) {
	dir, elsewhere := result(t), filepath.Join(t.TempDir(), "shop.yaml")
	file, page := filepath.Join(dir, "findings.json"), filepath.Join(dir, "report.html")
	write(t, page, "<!doctype html>")
	write(t, elsewhere, "workload: hello/go")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"report", file}, file + " is a file: give the folder: " + dir},
		{[]string{"report", file, "--reanalyze"}, file + " is a file: give the folder: " + dir},
		{[]string{"report", elsewhere}, elsewhere + " is a file: give a results folder"},
		{[]string{"run", "--resume", file}, file + " is a file: give the folder: " + dir},
		{[]string{"run", "ladder", "--resume", page, "--dry-run"}, page + " is a file: give the folder: " + dir},
		{[]string{"compare", dir, page}, page + " is no findings document (reading findings: invalid character '<' looking for beginning of value): give the folder: " + dir},
	} {
		if status, got := refused(t, c.args...); status != console.Usage || !strings.Contains(got, c.want) {
			t.Errorf("%q: status %d: %s\nwant %s", c.args, status, got, c.want)
		}
	}
}

// refused runs a command that has to fail, and returns its exit status and what it says.
func refused(t *testing.T, args ...string) (status int, says string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status = Main(args, strings.NewReader(""), &out, &errOut)
	if status == console.Fine || out.Len() > 0 {
		t.Errorf("%q: status %d, stdout %.300q", args, status, out.String())
	}
	return status, errOut.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

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
	names, err := BuiltIn().Experiments()
	if err != nil || len(names) == 0 {
		t.Fatalf("%d experiments: %v", len(names), err)
	}
	for _, name := range names {
		if r := validate(name, BuiltIn()); !r.Fine && !strings.Contains(fmt.Sprint(r.problems), program.NoGraphs) { // lab/ checks those
			t.Errorf("%s: %v", name, r.problems)
		}
	}
}

// The page has what was profiled, whenever it is written: of the files that lie in the folder, and of no others.
func TestReportPageHasProfiles(t *testing.T) {
	dir := result(t)
	kept, err := os.ReadFile(filepath.Join("..", "profile", "testdata", "tracers", "otel-python.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, kept, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	page := func(files ...string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "findings.json"))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := report.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		pair := doc.Findings[0]
		doc.Causes = []finding.Causes{{Operation: pair.Operation, Variant: pair.Variant, Against: pair.Against}}
		doc.Profiles = nil
		for i, file := range files {
			for _, variant := range []string{pair.Against, pair.Variant} {
				doc.Profiles = append(doc.Profiles, finding.Profile{Operation: pair.Operation, Variant: variant, Block: i, Process: "app", File: file, PerOperation: 1e-3, Unseen: 0.25})
			}
		}
		var out bytes.Buffer
		if err := report.JSON(&out, doc); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "findings.json"), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return string(said(t, "report", dir, "--html", "-"))
	}
	write(filepath.Join(dir, "profiles", "a.pb.gz"))
	write(filepath.Join(filepath.Dir(dir), "outside.pb.gz"))
	if err := os.Symlink(filepath.Join(filepath.Dir(dir), "outside.pb.gz"), filepath.Join(dir, "profiles", "link.pb.gz")); err != nil {
		t.Fatal(err)
	}
	whole := page("profiles/a.pb.gz", "profiles/a.pb.gz")
	if !strings.Contains(whole, `"flames":[{`) || !strings.Contains(whole, "opentelemetry") {
		t.Error("the page has no stacks of the profile")
	}
	// A quarter is not seen, and the samples are the rest.
	_, text, _ := strings.Cut(whole, `"flames":`)
	var flames []parts.ChartFlames
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&flames); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := 0; i < len(flames[0].Own); i += 4 {
		sum += float64(flames[0].Own[i+3]) * flames[0].Unit
	}
	if unseen := float64(flames[0].Own[3]) * flames[0].Unit; math.Abs(sum-1e-3) > 1e-8 || math.Abs(unseen-0.25e-3) > 1e-8 {
		t.Errorf("on the page are %g s, %g of them not seen, want 0.001 and 0.00025", sum, unseen)
	}
	if again := string(said(t, "report", dir, "--html", "-")); again != whole {
		t.Error("written again, the page is another one")
	}
	for _, file := range []string{"profiles/gone.pb.gz", "../outside.pb.gz", "profiles/link.pb.gz", "profiles"} {
		if text := page("profiles/a.pb.gz", file); strings.Contains(text, `"flames":[`) || !strings.Contains(text, `id="flames"`) {
			t.Errorf("%s: the page has stacks, or does not say why it has none", file)
		}
	}
}
