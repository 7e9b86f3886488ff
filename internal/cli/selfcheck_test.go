package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
