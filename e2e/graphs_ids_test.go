// Ids of calls, which the nodes of graphs pass on.

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	catalogue "github.com/tracetax/tracetax"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
)

// The nodes' own tests: every call over HTTP, gRPC and Thrift has an id, and names that of the call that was served.
func TestGraphIDs(t *testing.T) {
	t.Parallel() // it counts
	shared, err := programconfig.NewCatalog(catalogue.Files).SharedPrograms()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"node", "otelgo"} {
		into := filepath.Join(dir, name)
		if err := os.Mkdir(into, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := programconfig.CopyFiles(shared[name], into); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "go", "test", "-C", filepath.Join(dir, "node"), "-mod=readonly", "-count=1", ".")
	c.Env = append(os.Environ(), "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
