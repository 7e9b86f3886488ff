package profiler

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/sinktest"
)

// TestMain makes the test binary serve as the keeper.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := supervisor.Keep(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// burn is a program whose functions have known shares. The test's own binary has no symbols.
func burn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "burn")
	if out, err := exec.Command("go", "build", "-o", path, "./testdata/burn").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// started is a program under a launcher, and an order for it.
func started(t *testing.T, args ...string) (*process.Process, Order) {
	t.Helper()
	return startedWith(t, os.Environ(), args...)
}

func startedWith(t *testing.T, env []string, args ...string) (*process.Process, Order) {
	t.Helper()
	l, err := process.NewLauncher(process.Options{Name: "profiler-" + strings.NewReplacer("/", "-", " ", "-", "_", "-").Replace(t.Name()), LogDir: t.TempDir(), Self: []string{os.Args[0]}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	p, err := l.Start(t.Context(), process.Command{Name: "app", Role: "app", Args: args, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	pids, err := p.Pids()
	if err != nil {
		t.Fatal(err)
	}
	return p, Order{Of: record.ForCPU, Name: "profiler", PIDs: pids, Interval: time.Millisecond, Folder: filepath.Join(t.TempDir(), "profiler"), Log: p.Log(), Self: []string{os.Args[0]}, Start: l.Start}
}

// share is the part of the samples whose innermost frame has such a name.
func share(p *profile.Profile, name string) float64 {
	var of int64
	for _, s := range p.Samples {
		if len(s.Stack) > 0 && strings.Contains(p.Frames[s.Stack[len(s.Stack)-1]].Name, name) {
			of += s.Count
		}
	}
	return float64(of) / float64(max(1, p.Count))
}

// installed leaves a test out where a profiler is missing, but not where all programs are said to be here.
func installed(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
			t.Fatal(err)
		}
		t.Skip("not installed: ", err)
	}
}

// used is the CPU time of processes.
func used(t *testing.T, pids []int) (all time.Duration) {
	t.Helper()
	for _, pid := range pids {
		cpu, err := sinktest.CPU(pid)
		if err != nil {
			t.Fatal(err)
		}
		all += cpu
	}
	return all
}

// Known shares of a program in Go are found.
func TestPerf(t *testing.T) {
	installed(t, perf)
	_, o := started(t, burn(t))
	before := used(t, o.PIDs)
	r, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	begun := used(t, o.PIDs)
	for look := time.NewTicker(10 * time.Millisecond); used(t, o.PIDs) < begun+time.Second; {
		<-look.C
	}
	ended := used(t, o.PIDs)
	p, err := r.Stop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Profiler != perf || r.Interval != 997*time.Microsecond || p.Count < 100 {
		t.Fatalf("%s took %d samples, %v apart", r.Profiler, p.Count, r.Interval)
	}
	if all, least, most := time.Duration(p.Total), ended-begun, used(t, o.PIDs)-before; all < least*8/10 || all > most*12/10 {
		t.Errorf("samples of %v of CPU, of a program that used %v to %v", all, least, most)
	}
	if much, little := share(p, "burnMuch"), share(p, "burnLittle"); math.Abs(much-0.7) > 0.1 || math.Abs(little-0.3) > 0.1 {
		t.Errorf("of %d samples %.2f and %.2f are of what burns 0.7 and 0.3", p.Count, much, little)
	}
}

// No two timers are in step with each other, nor with a period that people choose, and together they are as dense as asked for.
func TestTimers(t *testing.T) {
	for _, interval := range []time.Duration{200 * time.Microsecond, time.Millisecond, 10 * time.Millisecond} {
		var rate float64
		seen := map[int64]bool{}
		for _, event := range strings.Split(timersOf(interval), "/,") {
			var period int64
			if _, err := fmt.Sscanf(event, "cpu-clock/period=%d,", &period); err != nil {
				t.Fatal(event, err)
			}
			if seen[period] || !big.NewInt(period/1000).ProbablyPrime(0) {
				t.Errorf("%d ns is there twice, or no prime number of microseconds", period)
			}
			seen[period] = true
			rate += 1e9 / float64(period)
		}
		if asked := float64(time.Second / interval); math.Abs(rate-asked) > 0.05*asked {
			t.Errorf("%v apart are %.0f samples a second, not %.0f", interval, rate, asked)
		}
	}
	if got := offBeat(time.Millisecond); got != 997*time.Microsecond {
		t.Errorf("beside 1 ms is %v", got)
	}
}

// A profiler that dies, at once or later, or that never ends, is told by its last line, and nothing of it is left.
func TestBadLuck(t *testing.T) {
	const answer = `for a; do case $a in --control=*) fifos=${a#--control=fifo:};; esac; done; echo ack >"${fifos#*,}"` + "\n"
	patience := [2]time.Duration{startPatience, stopPatience}
	startPatience, stopPatience = 2*time.Second, time.Second
	defer func() { startPatience, stopPatience = patience[0], patience[1] }()
	for name, test := range map[string]struct {
		script string
		starts bool
		says   string
	}{
		"dies at once": {"echo no luck today; exit 3", false, "no luck today"},
		"never starts": {"echo thinking; exec sleep 60", false, "thinking"},
		"dies later":   {answer + "read now <\"$DIES\"; echo out of memory; exit 5", true, "out of memory"},
		"starts only":  {answer + "exit 0", true, ""},
		"hangs":        {answer + "echo still busy; trap '' INT TERM; while :; do sleep 1; done", true, "still busy"},
		"leaves half":  {answer + "for a; do out=$a; done; echo half >\"$out\"; read order <\"${fifos%,*}\"", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, perf), []byte("#!/bin/sh\n[ \"$1\" = script ] && exit 1\n"+test.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			t.Setenv("DIES", filepath.Join(bin, "dies"))
			if err := syscall.Mkfifo(os.Getenv("DIES"), 0o600); err != nil {
				t.Fatal(err)
			}
			dies, err := os.OpenFile(os.Getenv("DIES"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = dies.Close() }()
			_, o := started(t, "sleep", "60")
			r, err := Start(t.Context(), o)
			if test.starts != (err == nil) {
				t.Fatalf("it started: %v", err)
			}
			if err == nil {
				if _, err := dies.WriteString("now\n"); err != nil {
					t.Fatal(err)
				}
				_, err = r.Stop(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v does not tell its last line, %q", err, test.says)
			}
		})
	}
}

// The start of a program is watched from its first instruction on.
func TestWatch(t *testing.T) {
	rules := profile.Compile(&profile.File{Tracer: []string{"* (json/*)", "* (tracer.js)"}, Otherwise: profile.Does{Stage: "instrumentation"}, Runtime: profile.Language{Loaders: []string{"* (node:internal/modules/*)"}}})
	dir := t.TempDir()
	for name, text := range map[string]string{
		"app.js":    "require('./tracer.js'); console.log('ready'); setInterval(() => {}, 1000)",
		"tracer.js": "while (process.cpuUsage().user < 300000) {}", // µs of CPU: by the clock a busy machine would leave it less,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for language, test := range map[string]struct {
		args   []string
		tracer time.Duration // that loading it takes, at least
	}{
		"python": {[]string{"python3", "-c", "import json, time; print('ready', flush=True); time.sleep(60)"}, time.Microsecond},
		"node":   {[]string{"node", filepath.Join(dir, "app.js")}, 100 * time.Millisecond},
	} {
		t.Run(language, func(t *testing.T) {
			installed(t, test.args[0])
			b, err := Watch(language, t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, o := startedWith(t, b.Environment(append(os.Environ(), "NODE_OPTIONS=--no-warnings")), test.args...)
			found, stop := p.Log().Await(t.Context(), output.MustCompile("^ready"))
			defer stop()
			select {
			case <-found:
			case <-t.Context().Done():
			}
			parts, err := b.Read(t.Context(), o.PIDs, p.Log(), rules)
			if err != nil || time.Duration(parts[profile.LoadingTracer]) < test.tracer || parts[profile.LoadingProgram] == 0 {
				t.Errorf("%v, %v", parts, err)
			}
		})
	}
	if _, err := Watch("cobol", t.TempDir(), nil); err == nil {
		t.Error("something watches the start of programs in COBOL")
	}
}

// machine takes the orders of the attach protocol in the place of a virtual machine, and answers as it is asked to.
func machine(t *testing.T, pid int, answer func(options string) string) {
	t.Helper()
	l, err := net.Listen("unix", fmt.Sprintf("/tmp/.java_pid%d", pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var words []string // the version, the order, and its three arguments
			for in := bufio.NewReader(conn); len(words) < 5; {
				word, err := in.ReadString(0)
				if err != nil {
					break
				}
				words = append(words, strings.TrimSuffix(word, "\x00"))
			}
			if len(words) == 5 && words[1] == "load" {
				_, _ = io.WriteString(conn, answer(words[4]))
			}
			_ = conn.Close()
		}
	}()
}

// Where the kernel's events are not to be had, a virtual machine is asked for samples by a timer, which are as far apart as its
// ticks; what refuses everything says why.
func TestAsyncWithoutEvents(t *testing.T) {
	folder := t.TempDir()
	library := filepath.Join(folder, asyncProfiler, architectures[runtime.GOARCH], "libasyncProfiler.so")
	if err := os.MkdirAll(filepath.Dir(library), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(library, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		events string // it refuses
		says   string
		apart  time.Duration
		by     string
	}{
		"none of the kernel": {"event=cpu", "", 4 * time.Millisecond, "async-profiler (timers)"},
		"none at all":        {"event=", "no access to perf events", 0, ""},
		"all":                {"nothing", "", 997 * time.Microsecond, "async-profiler"},
	} {
		t.Run(name, func(t *testing.T) {
			_, o := started(t, "sleep", "60")
			o.Packages = Packages{asyncProfiler: {Folder: folder}}
			if err := os.MkdirAll(o.Folder, 0o755); err != nil {
				t.Fatal(err)
			}
			machine(t, slices.Min(o.PIDs), func(options string) string {
				if strings.Contains(options, test.events) {
					return "0\nno access to perf events\nreturn code: 200\n"
				}
				if _, file, stops := strings.Cut(options, "file="); stops {
					if err := os.WriteFile(file, []byte("[main tid=1];app.Main.main;app.Main.work 7\n"), 0o644); err != nil {
						return err.Error()
					}
				}
				return "0\nreturn code: 0\n"
			})
			r, err := startAsync(t.Context(), o, target{kind: inspect.Java, pids: o.PIDs})
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v does not say that there is %s", err, test.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p, err := r.Stop(t.Context()); err != nil || p.Count != 7 || r.Interval != test.apart || r.Profiler != test.by {
				t.Errorf("%+v by %s, %v apart, %v", p, r.Profiler, r.Interval, err)
			}
		})
	}
}

// A virtual machine that takes no orders is not profiled, and goes on.
func TestAsyncOfADeafMachine(t *testing.T) {
	installed(t, "java")
	patience := startPatience
	startPatience = 2 * time.Second
	defer func() { startPatience = patience }()
	folder := t.TempDir()
	library := filepath.Join(folder, asyncProfiler, architectures[runtime.GOARCH], "libasyncProfiler.so")
	program := filepath.Join(folder, "Main.java")
	for file, text := range map[string]string{
		library: "",
		program: `class Main { public static void main(String[] a) throws Exception { for (int i = 0; ; i++) { System.out.println("turn " + i); Thread.sleep(100); } } }`,
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, o := started(t, "java", "-XX:+DisableAttachMechanism", program)
	await := func(line string) {
		found, stop := p.Log().Await(t.Context(), output.MustCompile(line))
		defer stop()
		select {
		case <-found:
		case <-p.Done():
			t.Fatal("it ended")
		}
	}
	await("^turn 0$")
	o.Packages = Packages{asyncProfiler: {Folder: folder}}
	if r, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), asyncProfiler) {
		t.Errorf("%v, %v", r, err)
	}
	await("^turn 30$") // which comes after the patience
}
