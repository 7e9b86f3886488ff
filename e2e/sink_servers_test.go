// Real servers behind the sink that come as a heap of files from Maven's registry.

package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// serverJars is a folder with the files of the server whose pom.xml stands in a folder of
// testdata. All of them must be those that are pinned beside it.
func serverJars(t *testing.T, name string) string {
	t.Helper()
	pinned, err := os.ReadFile(testdata(t, name, "jars.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	execute(t, dir, "mvn", "-q", "-B", "-f", testdata(t, name, "pom.xml"), "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies", "-DoutputDirectory="+dir)
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		t.Fatal(err)
	}
	var came strings.Builder
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&came, "%x  %s\n", sha256.Sum256(content), e.Name())
	}
	if came.String() != string(pinned) {
		t.Fatalf("the server's files are not those of jars.sha256 (scripts/locks makes it):\n%s", came.String())
	}
	return dir
}

// startServer starts a server, which runs until the test ends, and says when it has ended by
// itself.
func startServer(t *testing.T, what string, c *exec.Cmd) (ended <-chan error) {
	t.Helper()
	var log strings.Builder
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() { waited <- c.Wait(); close(waited) }()
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		for range waited {
		}
		if t.Failed() {
			t.Logf("%s wrote:\n%s", what, tail(log.String()))
		}
	})
	return waited
}
