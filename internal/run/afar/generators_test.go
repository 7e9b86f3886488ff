package afar_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// group is a generator's processes, in the place of its pod. The end of a pod ends all of them.
type group struct {
	pid int
	end func()
}

// generators are so many of them on this machine.
func generators(t *testing.T, many int) (all []afar.Generator, groups []group) {
	t.Helper()
	for i := range many {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(os.Args[0], "agent", "load", "--listen", address)
		c.Env = append(os.Environ(), "TRACETAX_TOKEN=secret")
		c.Stderr, c.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Setpgid: true}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		end := sync.OnceFunc(func() {
			if err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			_ = c.Wait() // it was killed
		})
		t.Cleanup(end)
		all = append(all, afar.Generator{Pod: fmt.Sprintf("load-%d", i), Node: "n2", Address: address})
		groups = append(groups, group{c.Process.Pid, end})
	}
	return all, groups
}

// By two generators the same experiment gives the same, but that nobody knows what CPU they used.
func TestSameByGenerators(t *testing.T) {
	all, _ := generators(t, 2)
	var byOne, byTwo []record.Record
	t.Run("made", func(t *testing.T) {
		for name, s := range map[string]afar.Setup{
			"by one": {Build: build.Version()}, "by two": {Build: build.Version(), Token: "secret", Generators: all},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				client, process := conductor(t, t.TempDir(), nil)
				if _, err := client.Setup(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				if len(s.Generators) == 0 {
					byOne = made(t, shop(t), client)
				} else {
					byTwo = made(t, shop(t), client)
				}
				if err := client.Close(); err != nil {
					t.Error(err)
				}
				if err := process.Wait(); err != nil {
					t.Errorf("the conductor ended with %v", err)
				}
			})
		}
	})
	if len(byOne) != len(byTwo) || len(byOne) < 3 {
		t.Fatalf("%d runs by one generator and %d by two", len(byOne), len(byTwo))
	}
	for i, one := range byOne {
		two := byTwo[i]
		if two.Failed() || one.Harness.Generators != 0 || two.Harness.Generators != 2 || one.Life.Spans != two.Life.Spans {
			t.Errorf("run %d: %d spans by %d generators, %d by one; %+v", i, two.Life.Spans, two.Harness.Generators, one.Life.Spans, two.Failure)
			continue
		}
		for k, p := range two.Phases {
			was := one.Phases[k]
			if p.Load.Intended != was.Load.Intended || p.Load.Completed != was.Load.Completed || p.Load.Identified != p.Load.Started ||
				p.Warmup.Intended != was.Warmup.Intended || p.Sink.Spans != was.Sink.Spans ||
				len(p.Windows) != len(was.Windows) || p.SliceSeconds != was.SliceSeconds {
				t.Errorf("run %d: %+v\nand by one %+v", i, p.Load, was.Load)
			}
			for _, u := range p.Usage {
				if u.Role == role.Load {
					t.Errorf("run %d: a load generator used %+v", i, u)
				}
			}
		}
	}
}

// A generator that ends in a run is named as the reason why that failed.
func TestGeneratorIsLost(t *testing.T) {
	e := shop(t)
	e.Load.Duration = time.Minute
	all, groups := generators(t, 2)
	client, _ := conductor(t, t.TempDir(), nil)
	defer client.Close()
	if _, err := client.Setup(t.Context(), afar.Setup{Build: build.Version(), Token: "secret", Generators: all}); err != nil {
		t.Fatal(err)
	}
	go func() {
		awaitSockets(groups[1].pid)
		groups[1].end()
	}()
	q := requestOf(t, e)
	q.Phases[0].Load.Duration = time.Minute
	r, err := client.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Failed() || !strings.Contains(r.Failure.Message, "load generator of pod load-1 on node n2: ") {
		t.Errorf("the run failed with %+v", r.Failure)
	}
}

// awaitSockets waits until a child of a process has a socket besides the one that it is driven by: it asks the program.
func awaitSockets(parent int) {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for range again.C {
		var children []byte
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // its pattern is right
		for _, thread := range threads {
			some, _ := os.ReadFile(thread) // it may have ended
			children = append(children, some...)
		}
		for _, child := range strings.Fields(string(children)) {
			links, _ := filepath.Glob("/proc/" + child + "/fd/*") // its pattern is right
			different := map[string]bool{}
			for _, link := range links {
				if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, "socket:") {
					different[to] = true
				}
			}
			if len(different) > 1 {
				return
			}
		}
	}
}
