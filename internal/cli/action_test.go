package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// step is one of an Action or a workflow.
type step struct {
	Name, ID, Run, Uses, Shell string
	Env, With                  map[string]string
}

// readYAML reads a file of this repository.
func readYAML(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Runs struct{ Steps []step }
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	readYAML(t, "action.yml", &a)
	return a
}

type workflow struct {
	Jobs map[string]struct{ Steps []step }
}

// What others wrote is pinned by its commit, and no script has an expression in it: an input that is a command would be run.
func TestActionsArePinned(t *testing.T) {
	steps := map[string][]step{"action.yml": readAction(t).Runs.Steps}
	for _, path := range []string{"docs/github-actions.yml", ".github/workflows/release.yml"} {
		var w workflow
		readYAML(t, path, &w)
		for _, job := range w.Jobs {
			steps[path] = append(steps[path], job.Steps...)
		}
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	for path, all := range steps {
		if len(all) < 3 {
			t.Errorf("%s has %d steps", path, len(all))
		}
		for _, s := range all {
			if s.Uses != "" && !pinned.MatchString(s.Uses) && !strings.HasPrefix(s.Uses, "tracetax/tracetax@v") {
				t.Errorf("%s: %s is not pinned by its commit", path, s.Uses)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: %q has an expression in its script: give it by env", path, s.Name)
			}
			if path == "action.yml" && s.Uses == "" && s.Shell != "bash" {
				t.Errorf("%q has the shell %q", s.Name, s.Shell)
			}
		}
	}
}

// The workflow in docs gives the Action what it needs, and nothing that it does not know.
func TestActionsExample(t *testing.T) {
	inputs := readAction(t).Inputs
	var w workflow
	readYAML(t, "docs/github-actions.yml", &w)
	steps := w.Jobs["compare"].Steps
	last := steps[len(steps)-1]
	for name := range last.With {
		if _, known := inputs[name]; !known {
			t.Errorf("the Action has no input %q", name)
		}
	}
	for name, input := range inputs {
		if input.Required && last.With[name] == "" {
			t.Errorf("the input %q is missing", name)
		}
	}
	if !strings.HasSuffix(strings.Fields(last.Uses)[0], "@v"+last.With["version"]) {
		t.Errorf("%s installs %s", last.Uses, last.With["version"])
	}
}

// runner runs the steps of the Action as GitHub does.
type runner struct {
	action
	dir     string            // its temporary folder, and where the steps run
	inputs  map[string]string // those that are given
	path    string
	outputs map[string]string // of steps: ID.NAME
	said    bytes.Buffer
	status  int // of the last step
}

func newRunner(t *testing.T, inputs map[string]string) *runner {
	return &runner{action: readAction(t), dir: t.TempDir(), inputs: inputs, path: os.Getenv("PATH"), outputs: map[string]string{}}
}

var expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)

// value fills the expressions of a step's env in.
func (r *runner) value(text string) string {
	return expression.ReplaceAllStringFunc(text, func(one string) string {
		name := expression.FindStringSubmatch(one)[1]
		if input, is := strings.CutPrefix(name, "inputs."); is {
			if given, is := r.inputs[input]; is {
				return given
			}
			return r.Inputs[input].Default
		}
		if output, is := strings.CutPrefix(name, "steps."); is {
			return r.outputs[strings.Replace(output, ".outputs.", ".", 1)]
		}
		if name == "runner.temp" {
			return r.dir
		}
		return "unknown: " + name
	})
}

// run runs a step, and reports whether it ended well.
func (r *runner) run(t *testing.T, name string) bool {
	t.Helper()
	i := slices.IndexFunc(r.Runs.Steps, func(s step) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no step %q", name)
	}
	s := r.Runs.Steps[i]
	script, output, paths := filepath.Join(r.dir, "script"), filepath.Join(r.dir, "output"), filepath.Join(r.dir, "paths")
	for path, text := range map[string]string{script: s.Run, output: "", paths: ""} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "PATH="+r.path, "GITHUB_OUTPUT="+output, "GITHUB_PATH="+paths,
		"GITHUB_STEP_SUMMARY="+filepath.Join(r.dir, "summary"))
	for name, value := range s.Env {
		c.Env = append(c.Env, name+"="+r.value(value))
	}
	r.said.Reset()
	c.Stdout, c.Stderr = &r.said, &r.said
	failed := c.Run()
	r.status = c.ProcessState.ExitCode()
	for _, line := range lines(t, output) {
		name, value, _ := strings.Cut(line, "=")
		r.outputs[s.ID+"."+name] = value
	}
	for _, line := range lines(t, paths) {
		r.path = line + ":" + r.path
	}
	return failed == nil
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// release serves a release 0.1.0 whose archives have program in them, and returns the inputs that install it.
func release(t *testing.T, program string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewWriter(zipped)
	for name, text := range map[string][]byte{"LICENSE": []byte("text"), "tracetax": text} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	name := "tracetax_linux_" + runtime.GOARCH + ".tar.gz"
	other, right := sha256.Sum256(nil), sha256.Sum256(archive.Bytes())
	sums := fmt.Sprintf("%x  tracetax_darwin_arm64.tar.gz\n%x  %s\n%x  %s.json\n", other, right, name, other, name)
	served := map[string][]byte{
		"/v0.1.0/checksums.txt": []byte(sums), "/v0.1.0/" + name: archive.Bytes(), "/v0.2.0/checksums.txt": []byte(sums),
	}
	served["/v0.2.0/"+name] = append(slices.Clone(archive.Bytes()), 0) // another archive than the sums name
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, is := served[r.URL.Path]
		if !is {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text) // curl tells of an answer cut off
	}))
	t.Cleanup(server.Close)
	return map[string]string{"version": "0.1.0", "checksum": fmt.Sprintf("%x", sha256.Sum256([]byte(sums))), "download": server.URL}
}

// The Action installs a release, measures with it, and says what came of it.
func TestAction(t *testing.T) {
	program, err := exec.LookPath("tracetax")
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, release(t, program))
	experiment := filepath.Join(r.dir, "experiment.yaml")
	const text = "workload: hello/built-in\noperations: [json]\nvariants: {before: {env: {SIDE: before}}, after: {env: {SIDE: after}}}\n" +
		"load: {rate: 50/s, idle: 100ms, warmup: 0s, duration: 200ms}\ndesign: {blocks: 2}\n"
	if err := os.WriteFile(experiment, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r.inputs["experiment"], r.inputs["args"] = experiment, "--quick --blocks 1"
	r.inputs["variants"], r.inputs["budget"] = "before,after", "cpu=1%"
	for _, name := range []string{"Install tracetax", "Measure", "Judge"} {
		if !r.run(t, name) {
			t.Fatalf("%s: %s", name, r.said.String())
		}
	}
	if r.outputs["judge.status"] != "4" || !strings.Contains(r.said.String(), "::notice title=Tracing cost::inconclusive") {
		t.Errorf("one block decides: %v: %s", r.outputs, r.said.String())
	}
	summary, err := os.ReadFile(filepath.Join(r.dir, "summary"))
	if err != nil || !strings.Contains(string(summary), "after") {
		t.Errorf("%v: summary %q", err, summary)
	}
	if again, err := os.ReadFile(r.outputs["judge.summary"]); err != nil || !bytes.Equal(again, summary) {
		t.Errorf("the file of the summary: %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.outputs["measure.results"], "runs.jsonl")); err != nil {
		t.Error(err)
	}
	r.inputs["strict"] = "true"
	if r.run(t, "Judge") || r.status != 4 {
		t.Errorf("strict: status %d", r.status)
	}
}

// What is not the release that was asked for is not run, nor anything where an input means nothing.
func TestActionRefuses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "tracetax")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho I was run\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ input, value, want string }{
		"no such release":  {"version", "9.9.9", "is 9.9.9 a release?"},
		"other checksums":  {"checksum", strings.Repeat("0", 64), "not the input checksum"},
		"no checksum":      {"checksum", "", "not the input checksum"},
		"another archive":  {"version", "0.2.0", "is not the one that checksums.txt names"},
		"a version with v": {"version", "v0.1.0", ""},
		"strict":           {"strict", "true", ""},
		"more than strict": {"strict", "True", "is 'true' or 'false', not 'True'"},
	} {
		r := newRunner(t, release(t, program))
		r.inputs[test.input] = test.value
		well := r.run(t, "Install tracetax")
		if well != (test.want == "") || !strings.Contains(r.said.String(), test.want) {
			t.Errorf("%s: %s", name, r.said.String())
		}
		if ran := strings.Contains(r.said.String(), "I was run"); ran != well {
			t.Errorf("%s: it was run: %t", name, ran)
		}
	}
}

// Each exit status leads where docs/ci.md says: a budget of the experiment's own does not keep the comparison from being made.
func TestActionStatuses(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >> \"$ASKED\"\nif [ \"$1\" = run ]; then exit $RUN; fi\nexit $JUDGE\n"
	if err := os.WriteFile(filepath.Join(bin, "tracetax"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	const compared, reported = "compare R/results --variants a,b --markdown R/summary.md", "report R/results --markdown R/summary.md"
	for _, test := range []struct {
		run, judge string
		inputs     map[string]string
		measured   bool
		judged     int
		asked      string // last; with R for the folder
	}{
		{"0", "0", map[string]string{"variants": "a,b", "budget": "cpu=2%"}, true, 0,
			"compare R/results --variants a,b --budget cpu=2% --markdown R/summary.md"},
		{"3", "0", map[string]string{"variants": "a,b"}, true, 0, compared},
		{"4", "3", map[string]string{"variants": "a,b"}, true, 3, compared},
		{"0", "4", map[string]string{"variants": "a,b"}, true, 0, compared},
		{"0", "2", map[string]string{"variants": "a,b"}, true, 2, compared},
		{"3", "0", map[string]string{"args": "--blocks 5"}, true, 3, reported},
		{"4", "0", nil, true, 0, reported},
		{"4", "0", map[string]string{"strict": "true"}, true, 4, reported},
		{"0", "1", nil, true, 1, reported},
		{"3", "0", map[string]string{"budget": "cpu=9%"}, true, 0, "report R/results --budget cpu=9% --markdown R/summary.md"},
		{"1", "0", nil, false, 1, "run x.yaml --out R/results"},
		{"2", "0", map[string]string{"args": "--set a='b c' $(date)"}, false, 2, "run x.yaml --out R/results --set a='b c' $(date)"},
	} {
		r := newRunner(t, map[string]string{"experiment": "x.yaml"})
		for name, value := range test.inputs {
			r.inputs[name] = value
		}
		asked := filepath.Join(r.dir, "asked")
		t.Setenv("ASKED", asked)
		t.Setenv("RUN", test.run)
		t.Setenv("JUDGE", test.judge)
		r.path = bin + ":" + r.path
		measured := r.run(t, "Measure")
		if measured {
			r.run(t, "Judge")
		}
		if measured != test.measured || r.status != test.judged {
			t.Errorf("%+v: measured %t, status %d: %s", test, measured, r.status, r.said.String())
		}
		all := lines(t, asked)
		folder := filepath.Dir(r.outputs["measure.results"])
		if got := strings.ReplaceAll(all[len(all)-1], folder, "R"); got != test.asked {
			t.Errorf("asked %q, want %q", got, test.asked)
		}
	}
}
