// What becomes of a web service's run when its database does not play along.

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// A database that stops: the run that had it is recorded as failed and made again, and
// the others are not touched.
func TestDatabaseStops(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", "--go-on", write(t, `
workload: requests/gohttp
operations: [db]
variants:
  none:
  again: {tracer: none}
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 2, seed: 3}
`), "--out", out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a run is kept", func() bool { return count(out) > 0 })
	await(t, "the next run's database is killed", func() bool { return c.killDatabase(t) })
	c.ended(t, c.Wait(), 0)
	good, failed := map[string]int{}, 0
	for _, r := range records(t, out) {
		switch {
		case r.Failed():
			if portWasTaken(r) {
				continue
			}
			failed++
			if text := r.Failure.Message; !strings.Contains(text, "db") || !strings.Contains(text, "137") {
				t.Errorf("it failed with %q, which does not name the database", text)
			}
		case r.Block > 0:
			good[r.Variant]++
		}
	}
	if failed != 1 || good["none"] != 2 || good["again"] != 2 {
		t.Errorf("%d failed runs, good ones %v; want 1, and 2 of each variant", failed, good)
	}
}

// portWasTaken tells that another program of the machine took a port between its choice and its use: such a run is
// tried again on other ports, which is what is wanted.
func portWasTaken(r record.Record) bool {
	return strings.Contains(r.Failure.Message, "address already in use")
}

// killDatabase kills the PostgreSQL of the run that is under way, once the service listens: it is
// connected then, and does not end for want of it.
func (c *command) killDatabase(t *testing.T) bool {
	t.Helper()
	database, service := 0, false
	for _, process := range c.left() {
		if _, folder, is := strings.Cut(process, "/postgres -D "); is { // the server, or one that it has just begun
			text, err := os.ReadFile(filepath.Join(strings.TrimSpace(folder), "postmaster.pid"))
			if err == nil {
				pid, _, _ := strings.Cut(string(text), "\n")
				database, _ = strconv.Atoi(pid)
			}
		}
		if _, rest, is := strings.Cut(process, "/world -listen "); is {
			address, _, _ := strings.Cut(rest, " ")
			look, err := net.Dial("tcp", address)
			if service = err == nil; service {
				look.Close()
			}
		}
	}
	return service && database > 0 && syscall.Kill(database, syscall.SIGKILL) == nil
}

// A database that refuses connections: the variant that is told of it fails in the
// service's own words, and the other is measured.
func TestDatabaseRefuses(t *testing.T) {
	more(t, "database")
	t.Parallel()
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", "--go-on", write(t, `
workload: requests/gohttp
operations: [db]
variants:
  none:
  refused: {tracer: none, args: [-database, "postgres://postgres@127.0.0.1:1/postgres?sslmode=disable"]}
  again: {tracer: none}
load: {rate: 200/s, warmup: 200ms, duration: 1s, idle: 50ms}
design: {blocks: 1, seed: 3}
`), "--out", out)
	c.exit(t, 0)
	failed := 0
	for _, r := range records(t, out) {
		if !r.Failed() {
			continue
		}
		failed++
		if text := r.Failure.Message + strings.Join(r.Failure.Log, "\n"); r.Variant != "refused" || !strings.Contains(text, "connection refused") {
			t.Errorf("%s failed: %s", r.Variant, text)
		}
	}
	if failed == 0 {
		t.Error("nobody failed")
	}
	if said := c.errOut.String(); !strings.Contains(said, "connection refused") {
		t.Errorf("the service's last words are not shown: %s", tail(said))
	}
}
