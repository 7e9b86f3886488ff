// The program of calls/java by itself, asked over its socket as tracetax asks it.

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	builtin "github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/spec"
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
		ask := startCallsProgram(t, classes)
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
	w, err := spec.NewCatalog(builtin.Files).Workload("calls/java")
	if err != nil {
		t.Fatal(err)
	}
	sources, build := t.TempDir(), t.TempDir()
	if err := spec.CopyFiles(w.Files, sources); err != nil {
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

// startCallsProgram starts the program and returns how to ask it. It ends with the test.
func startCallsProgram(t *testing.T, classes string) func(line string) string {
	t.Helper()
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("java", "-Xmx256m", "-cp", classes, "tracetax.calls.Main", strconv.Itoa(ports[0]))
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the program ended: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the program does not end by itself")
			_ = c.Process.Kill()
		}
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
	var connection net.Conn
	await(t, "the program listens", func() bool {
		look, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		look.Close() // a look whether it is ready does not end it
		connection, err = net.Dial("tcp", address)
		return err == nil
	})
	t.Cleanup(func() { connection.Close() })
	answers := bufio.NewReader(connection)
	return func(line string) string {
		if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := connection.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(answer, "\n")
	}
}
