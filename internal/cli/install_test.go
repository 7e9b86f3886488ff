package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

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
