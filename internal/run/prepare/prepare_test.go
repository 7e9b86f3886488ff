package prepare

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

func TestEnvironment(t *testing.T) {
	shell := []string{"PLAIN=kept", "REPLACED=old", "PYTHONPATH=lib", "JAVA_TOOL_OPTIONS=-Xmx1g {x}", "NODE_OPTIONS=--inspect"}
	p := program.Process{
		Env:     map[string]string{"REPLACED": "new", "OTEL_SERVICE_NAME": "{process}", "JAVA_TOOL_OPTIONS": "-javaagent:x", "NODE_OPTIONS": "--require x", "PYTHONPATH": "mine"},
		Inherit: []string{"JAVA_TOOL_OPTIONS", "PYTHONPATH"},
	}
	env, err := Environment(shell, p, map[string]string{"process": "app"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"PLAIN=kept", "JAVA_TOOL_OPTIONS=-Xmx1g {x} -javaagent:x", "NODE_OPTIONS=--require x", "OTEL_SERVICE_NAME=app", "PYTHONPATH=lib:mine", "REPLACED=new",
		"no_proxy=127.0.0.1,localhost,::1", "NO_PROXY=127.0.0.1,localhost,::1"}
	if !slices.Equal(env, want) {
		t.Errorf("%q, want %q", env, want)
	}
}

// Tracers in the code of a baseline are switched off, but for what the file or --keep-env says of them.
func TestSwitchedOff(t *testing.T) {
	for name, c := range map[string]struct {
		off       bool
		env, want string // of OTEL_SDK_DISABLED; env: in the file
		kept      []string
	}{
		"a baseline":   {off: true, want: "true"},
		"the file":     {off: true, env: "false", want: "false"},
		"--keep-env":   {off: true, kept: []string{"OTEL_SDK_DISABLED=no"}, want: "no"},
		"not untraced": {want: ""},
	} {
		p := program.Process{Off: c.off, Env: map[string]string{}}
		if c.env != "" {
			p.Env["OTEL_SDK_DISABLED"] = c.env
		}
		env, err := Environment(c.kept, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, pair := range env {
			if value, is := strings.CutPrefix(pair, "OTEL_SDK_DISABLED="); is {
				got = append(got, value)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if slices.Contains(env, "DD_TRACE_ENABLED=false") != c.off {
			t.Errorf("%s: %q", name, env)
		}
	}
}

func TestFixedPort(t *testing.T) {
	for ready, want := range map[string]int{
		"http://127.0.0.1:8080/health": 8080, "tcp://localhost:5432": 5432, "http://[::1]:80/": 80,
		"http://127.0.0.1:{port}/": 0, "log:http://127.0.0.1:8080/": 0, "http://elsewhere:8080/": 0, "": 0, "http://127.0.0.1/": 0,
	} {
		port, fixed := fixedPort(ready)
		if fixed != (want != 0) || fixed && port != want {
			t.Errorf("%q: %d, %t; want %d", ready, port, fixed, want)
		}
	}
}

// A port that somebody has is found before anything is run.
func TestFreePorts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	plan := &config.Plan{Processes: []program.Process{{Name: "app", Ready: "http://" + taken.Addr().String() + "/"}}}
	if err := FreePorts(plan); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("error %v, want that the port is in use", err)
	}
}

// What a killed tracetax left is removed; what a living one has stays.
func TestScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(os.TempDir(), scratchName+strconv.Itoa(ended.Process.Pid)+"-1")
	living := filepath.Join(os.TempDir(), scratchName+strconv.Itoa(os.Getppid())+"-1")
	foreign := filepath.Join(os.TempDir(), scratchName+"of-somebody")
	for _, dir := range []string{dead, living, foreign} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	made, err := Scratch()
	if err != nil {
		t.Fatal(err)
	}
	for dir, there := range map[string]bool{dead: false, living: true, foreign: true, made: true} {
		if _, err := os.Stat(dir); (err == nil) != there {
			t.Errorf("%s: there is %t, want %t", dir, !there, there)
		}
	}
	// A program that gives up its rights goes through it to a folder of its own.
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != scratchMode {
		t.Errorf("%s: mode %v, error %v", made, info.Mode(), err)
	}
}

// The folder in memory is made and removed like the scratch folder, and nobody else may enter it: readers of rings refuse it else.
func TestMemory(t *testing.T) {
	place := t.TempDir()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(place, scratchName+strconv.Itoa(ended.Process.Pid)+"-1")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	made, err := scratchIn(place, memoryMode)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(made) != place {
		t.Errorf("%s: %v, %v", made, info, err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("the folder of a tracetax that was killed is still there")
	}
	t.Setenv("TMPDIR", place)
	if got := memoryPlace(filepath.Join(place, "missing")); got != place {
		t.Errorf("without shared memory the place is %s", got)
	}
	if got := memoryPlace("/proc"); got != place {
		t.Errorf("where files do not lie in memory the place is %s", got)
	}
}
