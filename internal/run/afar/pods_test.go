package afar_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/usage/node"
)

// podsHere makes "pods" of processes of this machine, each in a cgroup that has the name of a container, which the meter finds.
type podsHere struct {
	launcher *process.Launcher
	client   *afar.Client
	beside   string // a script that runs beside each program, in a container called proxy; "" is none

	mu    sync.Mutex
	all   map[uint64]*process.Process
	asked []afar.Pod

	why string // what ends the pods from outside, in words; ""
}

func newPodsHere(t *testing.T) *podsHere {
	t.Helper()
	l, err := process.NewLauncher(process.Options{Name: "pods", LogDir: t.TempDir(), Self: []string{os.Args[0]}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if l.Accounting() == process.AccountingClock {
		t.Skip("no cgroups for the programs: this needs root or a delegated cgroup")
	}
	return &podsHere{launcher: l, all: map[uint64]*process.Process{}}
}

func (h *podsHere) Make(p afar.Pod) {
	h.mu.Lock()
	h.asked = append(h.asked, p)
	h.mu.Unlock()
	go h.make(p)
}

func (h *podsHere) make(p afar.Pod) {
	container := fmt.Sprintf("%064x", p.ID)
	command := process.Command{Name: container, Role: role.App, Args: p.Args, Env: p.Env}
	if p.Image != "here" {
		_ = h.client.Tell(afar.Order{Pod: &afar.State{ID: p.ID, Failed: "ErrImagePull: there is no image " + p.Image}})
		return
	}
	one, err := h.launcher.Start(context.Background(), command)
	if err != nil {
		_ = h.client.Tell(afar.Order{Pod: &afar.State{ID: p.ID, Failed: err.Error()}})
		return
	}
	h.mu.Lock()
	h.all[p.ID] = one
	h.mu.Unlock()
	runs := afar.Runs{IP: "127.0.0.1", Container: container}
	if h.beside != "" {
		proxy := fmt.Sprintf("%064x", p.ID+1<<32)
		two, err := h.launcher.Start(context.Background(), process.Command{Name: proxy, Role: role.App, Args: []string{"sh", "-c", h.beside}})
		if err != nil {
			_ = h.client.Tell(afar.Order{Pod: &afar.State{ID: p.ID, Failed: err.Error()}})
			return
		}
		defer func() { _, _ = two.Stop(context.Background(), 0) }()
		runs.Beside = []afar.Sidecar{{Name: "proxy", Container: proxy}}
	}
	_ = h.client.Tell(afar.Order{Pod: &afar.State{ID: p.ID, Runs: &runs}})
	<-one.Done()
	one.Log().Drain()
	for _, line := range one.Log().Tail(100) {
		_ = h.client.Tell(afar.Order{Output: &afar.Output{ID: p.ID, Text: []byte(line + "\n")}})
	}
	code := one.Exit().Code
	if s := one.Exit().Signal; s != 0 {
		code = 128 + int(s)
	}
	_ = h.client.Tell(afar.Order{Pod: &afar.State{ID: p.ID, Ended: &afar.Ended{Code: code, Why: h.why}}})
}

func (h *podsHere) End(e afar.End) {
	h.mu.Lock()
	one := h.all[e.ID]
	h.mu.Unlock()
	if one != nil {
		go func() { _, _ = one.Stop(context.Background(), e.Grace) }()
	}
}

// inPods sets up a conductor whose programs run in pods.
func inPods(t *testing.T, folder string) (*afar.Client, *podsHere) {
	t.Helper()
	pods := newPodsHere(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = node.New("/sys/fs/cgroup").Serve(t.Context(), l, "secret") }()
	client, process := conductor(t, folder, pods)
	pods.client = client
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := process.Wait(); err != nil {
			t.Errorf("the conductor ended with %v", err)
		}
	})
	if _, err := client.Setup(t.Context(), afar.Setup{Build: build.Version(), Meter: l.Addr().String(), Token: "secret"}); err != nil {
		t.Fatal(err)
	}
	return client, pods
}

// imaged is the experiment of shop with an image, as prepare has it for a cluster.
func imaged(t *testing.T, image, command string) *config.Experiment {
	t.Helper()
	return shopOf(t, fmt.Sprintf("image: %s, run: [%q, %s]", image, os.Args[0], command), "target: {kubernetes: {namespace: trial, image: tracetax:1}}")
}

const hello = `agent, hello, --listen, "127.0.0.1:{port}"`

// Runs in pods are whole: all spans, the CPU of each program by its cgroup, its output, and nothing left.
func TestRunsInPods(t *testing.T) {
	folder := t.TempDir()
	client, pods := inPods(t, folder)
	e := imaged(t, "here", hello)
	e.Variants[1].Labels = map[string]string{"tier": "2"}
	for _, r := range made(t, e, client) {
		if r.Failed() {
			t.Fatalf("%s: %+v", r.Variant, r.Failure)
		}
		for _, p := range r.Phases {
			if r.Variant == "traced" && (p.Sink.Spans == 0 || p.Sink.Spans != p.Load.Started) {
				t.Errorf("%s %s: %d spans of %d operations", r.Kind, r.Variant, p.Sink.Spans, p.Load.Started)
			}
			for _, u := range p.Usage {
				if u.Process == "shop" && r.Kind == record.Measured && (u.CPUSeconds <= 0 || !strings.HasPrefix(u.Source, "cgroup") || u.MemoryMean == 0) {
					t.Errorf("%s used %+v", r.Variant, u)
				}
			}
		}
		if r.Start.ReadySeconds <= 0 || r.Start.ReadySeconds > 20 {
			t.Errorf("%s was ready after %v s", r.Variant, r.Start.ReadySeconds)
		}
	}
	glob(t, folder)
	for _, p := range pods.asked {
		if strings.Contains(p.Run, e.Variants[1].Name) != (p.Labels["tier"] == "2") {
			t.Errorf("a pod of run %s has the labels %q", p.Run, p.Labels)
		}
	}
	for id, p := range pods.all {
		select {
		case <-p.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("pod %d still runs", id)
		}
	}
}

// What becomes of a pod is in the record: one that cannot be made, one that dies, and its last words.
func TestPodsThatFail(t *testing.T) {
	const ends = "agent, hello, --listen, nonsense"
	for name, row := range map[string]struct{ image, command, why, says, code string }{
		"no image":      {"nowhere", hello, "", "there is no image nowhere", ""},
		"it ends":       {"here", ends, "", "process shop ended (exit status 1)", record.Ended},
		"it is deleted": {"here", ends, "its pod was deleted", "process shop ended (its pod was deleted)", record.Removed},
	} {
		t.Run(name, func(t *testing.T) {
			client, pods := inPods(t, t.TempDir())
			pods.why = row.why
			e := imaged(t, row.image, row.command)
			e.Variants = e.Variants[:1]
			r, err := client.Run(t.Context(), requestOf(t, e))
			if err != nil {
				t.Fatal(err)
			}
			if !r.Failed() || !strings.Contains(r.Failure.Message, row.says) || r.Failure.Code != row.code {
				t.Errorf("the run failed with %+v, and is to say %q, with the code %q", r.Failure, row.says, row.code)
			}
		})
	}
}

// A container beside the program is a process of its own in the record, and the program's service has it.
func TestSidecarsInPods(t *testing.T) {
	client, pods := inPods(t, t.TempDir())
	pods.beside = "while :; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.01; done"
	e := imaged(t, "here", hello)
	e.Variants = e.Variants[:1]
	r, err := client.Run(t.Context(), requestOf(t, e))
	if err != nil || r.Failed() {
		t.Fatalf("the run failed: %+v, %v", r.Failure, err)
	}
	seen := 0
	for _, p := range r.Phases {
		for _, u := range p.Usage {
			if u.Process != "proxy@shop" {
				continue
			}
			seen++
			if u.Role != role.Sidecar || u.Service != "shop" || !strings.HasPrefix(u.Source, "cgroup") || u.CPUSeconds < 0.01*u.Seconds {
				t.Errorf("beside the program there is %+v", u)
			}
		}
	}
	if seen == 0 {
		t.Error("nothing beside the program is in the record")
	}
}
