// Small programs that are not what was started, or that say in other ways than usual what is wrong with them.

package e2e

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
)

// processCases are those of this file, which ask for counts and codes, not for times.
var processCases = map[string]func(*testing.T){
	"an engine starts the program": startedElsewhere,
	"it gives up its rights":       givesUpRights,
	"a log of 100 MB":              floodedLog,
	"a body without a type":        takesJSON,
}

// twice are two variants of the same program.
var twice = []string{"--variant", "a:env.A=1", "--variant", "b:env.A=2"}

// failures are the failed records of an experiment but for those of runs that ended with another one.
func failures(t *testing.T, out string) []record.Record {
	t.Helper()
	return slices.DeleteFunc(records(t, out), func(r record.Record) bool { return !r.Failed() || r.Failure.Stage == record.StageBlock })
}

// A command that has its program started by an engine is not measured in the place of that.
func startedElsewhere(t *testing.T) {
	folder := t.TempDir()
	engine := exec.Command("python3", ofCase(t, "engine.py"), "serve", filepath.Join(folder, "engine"))
	var said bytes.Buffer
	engine.Stderr = &said
	ready, err := engine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = engine.Process.Kill(), engine.Wait() }) // it ends for that alone
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err, said.String())
	}
	out := filepath.Join(t.TempDir(), "results")
	client := []string{"python3", ofCase(t, "engine.py"), "run", filepath.Join(folder, "engine")}
	flags := []string{"--blocks", "6", "--budget", "cpu=25%", "--ready", "/", "--variant", "light:env.A=1", "--variant", "heavy:env.A=2"}
	runCase(t, out, flags, append(client, "python3", ofCase(t, "httpd.py"), "127.0.0.1", "{port}")...).exit(t, 1)
	kept := failures(t, out)
	if all := len(records(t, out)); len(kept) == 0 || all > 2 {
		t.Fatalf("%d runs, %d of them failed themselves; want those of the first block alone", all, len(kept))
	}
	for _, r := range kept {
		if r.Failure.Stage != "ready" || r.Failure.Code != string(process.OtherProgram) || !strings.Contains(r.Failure.Message, "python3") {
			t.Errorf("%+v", r.Failure)
		}
	}
	await(t, "the engine has ended its programs", func() bool { // as nobody asks for them any more
		children, _ := exec.Command("ps", "-o", "pid=", "--ppid", itoa(engine.Process.Pid)).Output() // fails where there are none
		return len(bytes.TrimSpace(children)) == 0
	})
}

// A program that changes its user goes through {tmp} to a folder of its own; one that has none there says so.
func givesUpRights(t *testing.T) {
	if !isRoot() {
		t.Skip("only root may become another user")
	}
	need(t, "su", "install")
	const serve = `exec python3 -c "import http.server as h; h.test(h.SimpleHTTPRequestHandler, port={port})"`
	for name, c := range map[string]struct {
		script string
		exit   int
	}{
		"a folder of its own": {`install -d -o nobody {tmp}/own; exec su nobody -s /bin/sh -c 'echo x > {tmp}/own/pid && ` + serve + `'`, 0},
		"none":                {`exec su nobody -s /bin/sh -c 'echo x > {tmp}/pid && exec sleep {port}'`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "results")
			runCase(t, out, append([]string{"--rate", "20"}, twice...), "sh", "-c", "cd /; "+c.script).exit(t, c.exit)
			kept := failures(t, out)
			if c.exit == 0 && len(kept) > 0 || c.exit == 1 && (len(kept) == 0 || !strings.Contains(kept[0].Failure.Message, "Permission denied")) {
				t.Errorf("%+v", kept)
			}
		})
	}
}

// What is looked for in a log of 100 MB costs no more than a few seconds of CPU, of which a search of every line took a minute.
func floodedLog(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	c := runCase(t, out, twice, "python3", ofCase(t, "flood.py"), "127.0.0.1", "{port}").exit(t, 0)
	if kept := failures(t, out); len(kept) > 0 {
		t.Errorf("%+v", kept)
	}
	if used := c.ProcessState.UserTime(); used > 30*time.Second {
		t.Errorf("it used %v of CPU, with its programs", used)
	}
}

// A body in JSON is sent as such, and an answer that is wrong is shown.
func takesJSON(t *testing.T) {
	for path, want := range map[string]int{"/order": 0, "/bad": 1} {
		out := filepath.Join(t.TempDir(), "results")
		args := []string{"run", "--op", "order=POST " + path, "--set", `workload.operations.order.body='{"id": 7}'`, "--ready", "/", "--rate", "50",
			"--set", "load.warmup=500ms", "--duration", "1s"}
		args = append(append(args, "--blocks", "1", "--json", "--out", out), twice...)
		tracetax(t, append(args, "--", "python3", ofCase(t, "orders.py"), "{port}")...).exit(t, want)
		kept := failures(t, out)
		if (len(kept) == 0) != (want == 0) {
			t.Fatalf("%s: %+v", path, kept)
		}
		for _, r := range kept {
			if r.Failure.Code != record.WrongAnswers || !strings.Contains(r.Failure.Message, `status 422 with {"error": "no such order"}`) {
				t.Errorf("%s: %+v", path, r.Failure)
			}
		}
	}
}
