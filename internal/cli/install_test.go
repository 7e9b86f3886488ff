package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// A build is of the version that 'go install …@version' asked for, and else of its source and revision.
func TestVersion(t *testing.T) {
	revision := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"unknown":                   {nil, "0.1.0-dev"},
		"installed":                 {&debug.BuildInfo{Main: debug.Module{Version: "v0.3.1"}}, "0.3.1"},
		"a candidate installed":     {&debug.BuildInfo{Main: debug.Module{Version: "v0.3.1-rc.1"}}, "0.3.1-rc.1"},
		"a commit installed":        {&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261128120000-0123456789ab"}}, "0.0.0-20261128120000-0123456789ab"},
		"a checkout":                {&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261128120000-0123456789ab"}, Settings: revision}, "0.1.0-dev+0123456789ab"},
		"a changed checkout":        {&debug.BuildInfo{Main: debug.Module{Version: "v0.3.1+dirty"}, Settings: revision}, "0.1.0-dev+0123456789ab"},
		"a tagged checkout":         {&debug.BuildInfo{Main: debug.Module{Version: "v0.3.1"}, Settings: revision}, "0.3.1"},
		"go build outside of a VCS": {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "0.1.0-dev"},
	} {
		if got := versionOf("0.1.0-dev", c.info); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Where there is no Go, quickstart measures the service that is in tracetax.
func TestQuickstartWithoutGo(t *testing.T) {
	for path, want := range map[string]string{os.Getenv("PATH"): "hello/go", t.TempDir(): "hello/built-in"} {
		t.Setenv("PATH", path)
		var out, errOut bytes.Buffer
		if status := Main([]string{"quickstart", "--dry-run", "--json"}, strings.NewReader(""), &out, &errOut); status != console.Fine {
			t.Fatalf("exit status %d: %s", status, errOut.String())
		}
		var plan struct{ Workload string }
		if err := json.Unmarshal(out.Bytes(), &plan); err != nil || plan.Workload != want {
			t.Errorf("%v: workload %q, want %q", err, plan.Workload, want)
		}
	}
}
