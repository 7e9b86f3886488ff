// Package e2e holds the long tests: the built program, as a user runs it, on
// real services and through real faults. They need the network's package
// registries once, minutes, and TRACETAX_E2E=1 ('make e2e'), or all where one
// test of each family is not enough ('make e2e-all').
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	_ "github.com/tracetax/tracetax/lab"
)

// program is the tracetax under test.
var program string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" { // the keeper of what a test builds or fetches by itself
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("TRACETAX_E2E") == "" {
		fmt.Println("e2e: left out, they take minutes; 'make e2e' sets TRACETAX_E2E=1")
		os.Exit(0)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "tracetax-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		scratch = dir
		program = filepath.Join(dir, "tracetax")
		if out, err := exec.Command("go", "build", "-o", program, "../cmd/tracetax").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building tracetax: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// command is a run of the program. Every process that it starts, and they
// start, carries the mark in its environment, so none can be left behind
// unseen.
type command struct {
	*exec.Cmd
	mark        string
	out, errOut bytes.Buffer
}

func tracetax(t *testing.T, args ...string) *command {
	t.Helper()
	limit := 8 * time.Minute
	if os.Getenv("TRACETAX_E2E") == "all" { // some measure a JVM in several blocks
		limit = 20 * time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	c := &command{Cmd: exec.CommandContext(ctx, program, args...), mark: fmt.Sprintf("TRACETAX_MARK=%s-%d", t.Name(), time.Now().UnixNano())}
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), c.mark)
	c.Stdout, c.Stderr = &c.out, &c.errOut
	t.Cleanup(func() {
		if left := c.left(); len(left) > 0 {
			t.Errorf("processes left behind: %v", left)
		}
		if t.Failed() {
			t.Logf("%s\nstdout:\n%s\nstderr:\n%s", strings.Join(c.Args, " "), tail(c.out.String()), tail(c.errOut.String()))
		}
	})
	return c
}

// exit runs the command to its end and checks that its exit status is one of those.
func (c *command) exit(t *testing.T, want ...int) *command {
	t.Helper()
	return c.ended(t, c.Run(), want...)
}

func (c *command) ended(t *testing.T, err error, want ...int) *command {
	t.Helper()
	if c.ProcessState == nil {
		t.Fatalf("%v: %v", c.Args, err)
	}
	if got := c.ProcessState.ExitCode(); !slices.Contains(want, got) {
		t.Fatalf("exit status %d, want one of %d", got, want)
	}
	return c
}

// left lists the processes that carry the command's mark.
func (c *command) left() []string {
	var left []string
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, entry := range entries {
		environ, err := os.ReadFile(entry)
		if err != nil || !bytes.Contains(environ, []byte(c.mark)) {
			continue // gone already, or not ours
		}
		cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(entry), "cmdline"))
		left = append(left, filepath.Base(filepath.Dir(entry))+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
	}
	return left
}

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

// documents reads the findings that --json printed, one for each workload.
func documents(t *testing.T, c *command) []finding.Document {
	t.Helper()
	var docs []finding.Document
	for decoder := json.NewDecoder(&c.out); decoder.More(); {
		var doc finding.Document
		if err := decoder.Decode(&doc); err != nil {
			t.Fatalf("stdout is not findings.json alone: %v", err)
		}
		docs = append(docs, doc)
	}
	return docs
}

func document(t *testing.T, c *command) finding.Document {
	t.Helper()
	docs := documents(t, c)
	if len(docs) != 1 {
		t.Fatalf("%d documents on stdout, want 1", len(docs))
	}
	return docs[0]
}

// entry is the number of spans under a name in a ledger; −1 where it has none.
func entry(l finding.Ledger, name string) int64 {
	for _, e := range l.Entries {
		if e.Name == name {
			return e.Spans
		}
	}
	return -1
}

// ledger finds the ledger of an operation and variant.
func ledger(t *testing.T, doc finding.Document, operation, variant string) finding.Ledger {
	t.Helper()
	for _, l := range doc.Ledgers {
		if l.Operation == operation && l.Variant == variant {
			return l
		}
	}
	t.Fatalf("no ledger for %s, %s", operation, variant)
	return finding.Ledger{}
}

func find(t *testing.T, doc finding.Document, operation, variant, metric string) finding.Finding {
	t.Helper()
	for _, f := range doc.Findings {
		if f.Operation == operation && f.Variant == variant && f.Metric == metric && f.Role == "" && f.Against == doc.Experiment.Variants[0].Name {
			return f
		}
	}
	t.Fatalf("no finding %s for %s, %s", metric, operation, variant)
	return finding.Finding{}
}

func records(t *testing.T, dir string) []record.Record {
	t.Helper()
	all, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func count(dir string) int {
	content, err := os.ReadFile(filepath.Join(dir, record.RunsFile))
	if err != nil {
		return 0 // not there yet
	}
	return bytes.Count(content, []byte("\n"))
}

func tail(s string) string {
	const most = 6000
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}

// trouble is the command line of a small service that misbehaves on demand.
func trouble(t *testing.T, mode string) []string {
	t.Helper()
	script, err := filepath.Abs("testdata/trouble.py")
	if err != nil {
		t.Fatal(err)
	}
	need(t, "python3")
	return []string{"python3", "-u", script, mode, "{port}"}
}

// need leaves a test out where a program is missing; where TRACETAX_REQUIRE_PROGRAMS=1 says that all of them are here, it
// fails instead.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			missing(t, err)
		}
	}
}

func missing(t *testing.T, what any) {
	t.Helper()
	if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func isRoot() bool { return os.Getuid() == 0 }

func itoa(n int) string { return strconv.Itoa(n) }
