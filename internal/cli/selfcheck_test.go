package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/selfcheck"
)

func TestSelfcheckRefuses(t *testing.T) {
	begun := t.TempDir()
	if err := os.WriteFile(filepath.Join(begun, selfcheckFile), []byte(`{"form": "full"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		word string
	}{
		"two forms":             {[]string{"--quick", "--full"}, "choose one form"},
		"an argument":           {[]string{"hello"}, "hello"},
		"a folder of another":   {[]string{"--resume", t.TempDir()}, "has no selfcheck.json"},
		"a folder twice":        {[]string{"--resume", begun, "--out", begun}, "leave out --out"},
		"another form":          {[]string{"--resume", begun, "--full"}, "the form that was begun"},
		"a folder that is full": {[]string{"--out", begun}, "go on with --resume " + begun},
	} {
		var out, errOut bytes.Buffer
		if code := Main(append([]string{"selfcheck"}, test.args...), nil, &out, &errOut); code != console.Usage {
			t.Errorf("%s: exit status %d, want %d", name, code, console.Usage)
		}
		if !strings.Contains(errOut.String(), test.word) {
			t.Errorf("%s: %s", name, errOut.String())
		}
	}
	if form, err := resumedForm(begun); form != selfcheck.Full || err != nil {
		t.Errorf("the form that was begun is %q, %v", form, err)
	}
}

func TestSelfcheckStatus(t *testing.T) {
	for verdict, want := range map[selfcheck.Verdict]int{selfcheck.Passed: console.Fine, selfcheck.Failed: console.Failed, selfcheck.Inconclusive: console.Inconclusive} {
		got := console.Fine
		if err := selfcheckStatus(verdict); err != nil {
			got = err.(*console.StatusError).Code
		}
		if got != want {
			t.Errorf("%s: exit status %d, want %d", verdict, got, want)
		}
	}
}

// The experiment of the gate, and those of the recipes beside it, are right as they stand: both commits are variants of
// one experiment, and the newer is held against the older.
func TestGateExperiments(t *testing.T) {
	var experiments []string
	for _, name := range []string{"ci-experiment.yaml", "ci-java.yaml", "ci-python.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		experiments = append(experiments, string(text))
	}
	for i, text := range experiments {
		root := t.TempDir()
		file := filepath.Join(root, "after", "tracing-cost", "experiment.yaml")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		if status := Main([]string{"validate", file}, strings.NewReader(""), &out, &errOut); status != console.Fine {
			t.Errorf("experiment %d: status %d, %s%s", i, status, out.String(), errOut.String())
		}
		var e struct {
			Workload struct {
				Processes []struct{ Dir string }
			}
			Variants map[string]struct{ Against string }
		}
		if err := yaml.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		if len(e.Variants) != 3 || e.Variants["after"].Against != "before" || e.Workload.Processes[0].Dir != "../.." {
			t.Errorf("experiment %d: %+v", i, e)
		}
	}
}
