// What several tests use is fetched and built once.

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// scratch is a folder that ends with the tests.
var scratch string

// builds are what is shared, by name.
var builds struct {
	sync.Mutex
	by map[string]func() (string, error)
}

// built is a folder of that name, which has what make puts into it when the first test wants it. Whoever writes into it
// takes a copy.
func built(t *testing.T, name string, make func(dir string) error) string {
	t.Helper()
	builds.Lock()
	if builds.by == nil {
		builds.by = map[string]func() (string, error){}
	}
	if builds.by[name] == nil {
		builds.by[name] = sync.OnceValues(func() (string, error) {
			dir := filepath.Join(scratch, "shared", name)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return "", err
			}
			return dir, make(dir)
		})
	}
	once := builds.by[name]
	builds.Unlock()
	dir, err := once()
	if err != nil {
		t.Fatalf("making %s, which tests share: %v", name, err)
	}
	return dir
}

// runIn runs a command in a folder, for whichever tests want what it makes.
func runIn(dir, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
