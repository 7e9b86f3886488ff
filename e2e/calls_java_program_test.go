// The program of calls/java by itself, asked over its socket as tracetax asks it.

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	builtin "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
)

// The program itself: the timed loop costs hardly more than one reading of the clock a
// call, and what it hands over is what it was asked for.
func TestCallsProgram(t *testing.T) {
	more(t, "calls")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	classes := compileCallsProgram(t)

	t.Run("clock", func(t *testing.T) {
		out, err := exec.Command("java", "-Xmx256m", "-cp", classes, "tracetax.calls.Main", "clock").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		// A ratio of two loops in one JVM, each the median of 15: the machine's noise is in both.
		var clock, loop, ratio float64
		if _, err := fmt.Sscanf(string(out), "clock_ns=%g loop_ns=%g ratio=%g", &clock, &loop, &ratio); err != nil || ratio > 1.3 {
			t.Errorf("%v: %s", err, out)
		}
	})

	t.Run("orders", func(t *testing.T) {
		ask := startAsked(t, []string{"java", "-Xmx256m", "-cp", classes, "tracetax.calls.Main", "{port}"}, "")
		samples := filepath.Join(t.TempDir(), "window")
		for _, test := range []struct {
			words   string
			started string
			files   []string // of one duration each for so many operations
			sizes   []int64
		}{
			{"calls=1001 threads=2 depth=3", "1001", []string{".0", ".1"}, []int64{501 * 8, 500 * 8}},
			{"calls=300000 depth=2", "300000", []string{".0"}, []int64{300000 * 8}},
			{"calls=200 rate=1000 depth=1", "200", []string{".0", ".0.lag"}, []int64{1600, 1600}},
			{"calls=50 rate=500 threads=2 busy_ns=1000", "50", []string{".0", ".1.lag"}, []int64{200, 200}},
		} {
			if got := ask("prepare " + test.words + " samples=" + samples + " batches=" + samples + ".csv"); got != "prepared" {
				t.Fatalf("%s: %s", test.words, got)
			}
			if got := ask("run"); !strings.HasPrefix(got, "done started="+test.started+" failed=0 ") {
				t.Errorf("%s: %s", test.words, got)
			}
			if got := ask("write"); got != "written samples="+test.started {
				t.Errorf("%s: %s", test.words, got)
			}
			for i, name := range test.files {
				if info, err := os.Stat(samples + name); err != nil || info.Size() != test.sizes[i] {
					t.Errorf("%s: %s: %v, %v", test.words, name, info, err)
				}
			}
			lines, err := os.ReadFile(samples + ".csv")
			if err != nil || !bytes.HasPrefix(lines, []byte("calls,heap_bytes,gc_count\n")) || bytes.Count(lines, []byte("\n")) > 101 {
				t.Errorf("%s: %v\n%s", test.words, err, lines)
			}
		}
		for _, wrong := range []string{"run", "prepare", "prepare calls=1 depht=3", "prepare calls=x", "prepare calls=1 calls=2", "walk", "prepare calls=1 threads=0"} {
			if got := ask(wrong); !strings.HasPrefix(got, "error ") {
				t.Errorf("%q: %s", wrong, got)
			}
		}
		if got := ask("live"); !strings.HasPrefix(got, "live heap_live_bytes=") {
			t.Error(got)
		}
		if got := ask("stop"); got != "bye" {
			t.Error(got)
		}
	})
}

// compileCallsProgram builds the program as the workload file says it.
func compileCallsProgram(t *testing.T) string {
	t.Helper()
	w, err := config.NewCatalog(builtin.Files).Workload("calls/java")
	if err != nil {
		t.Fatal(err)
	}
	sources, build := t.TempDir(), t.TempDir()
	if err := config.CopyFiles(w.Files, sources); err != nil {
		t.Fatal(err)
	}
	for _, command := range w.Build[""].Run {
		for i := range command {
			command[i] = strings.ReplaceAll(command[i], "{build}", build)
		}
		c := exec.Command(command[0], command[1:]...)
		c.Dir = sources
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return filepath.Join(build, "classes")
}
