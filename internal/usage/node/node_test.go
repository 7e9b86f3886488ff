package node

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// cgroups makes a folder of cgroups: files by path, with {id} for the container's ID.
func cgroups(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, strings.ReplaceAll(name, "{id}", id))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A container is found wherever the kubelet's driver puts it, and read as by the node itself.
func TestReadsAContainer(t *testing.T) {
	v1 := func(path string) map[string]string {
		return map[string]string{
			"cpuacct/" + path + "/cpuacct.usage": "1500000000\n",
			"cpuacct/" + path + "/cpuacct.stat":  "user 100\nsystem 50\n",
			"cpu/" + path + "/cpu.stat":          "nr_periods 3\nnr_throttled 1\nthrottled_time 7000\n",
			"memory/" + path + "/memory.stat":    "cache 5\ntotal_rss 4096\ntotal_shmem 1024\n",
		}
	}
	v2 := func(path string) map[string]string {
		return map[string]string{
			"cgroup.controllers":   "cpu memory",
			path + "/cpu.stat":     "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\nthrottled_usec 7\n",
			path + "/memory.stat":  "anon 4096\nshmem 1024\n",
			"other.slice/cpu.stat": "usage_usec 9\n",
		}
	}
	for name, row := range map[string]struct {
		files  map[string]string
		source string
	}{
		"cgroupfs, guaranteed":       {v1("kubepods/pod1/{id}"), "cgroup v1"},
		"cgroupfs, burstable":        {v1("node/kubepods/burstable/pod1/{id}"), "cgroup v1"},
		"systemd, version 2":         {v2("kubepods.slice/kubepods-pod1.slice/cri-containerd-{id}.scope"), "cgroup v2"},
		"CRI-O, with a folder below": {v2("kubepods.slice/kubepods-pod1.slice/crio-{id}.scope"), "cgroup v2"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := New(cgroups(t, row.files)).Read(id)
			if err != nil {
				t.Fatal(err)
			}
			if r.CPU != 1500*time.Millisecond || r.System != 500*time.Millisecond || r.Throttled != 7*time.Microsecond || r.Memory != 5120 || r.Source != row.source {
				t.Errorf("read %+v", r)
			}
			if r.Since.IsZero() || r.Since.After(r.At) {
				t.Errorf("it is there since %v, after the reading at %v", r.Since, r.At)
			}
		})
	}
}

func TestContainersThatAreNotThere(t *testing.T) {
	m := New(cgroups(t, map[string]string{"cgroup.controllers": "", "a/cpu.stat": ""}))
	older := New(cgroups(t, map[string]string{"cpuacct/a/cpuacct.usage": "1\n"})) // version 1
	gone := (*GoneError)(nil)
	for _, of := range []*Meter{m, older} {
		if _, err := of.Read(id); !errors.As(err, &gone) {
			t.Errorf("a container of another node: %v", err)
		}
	}
	if _, err := m.Read("../../etc"); err == nil || errors.As(err, &gone) {
		t.Errorf("a path in place of an ID: %v", err)
	}
	if _, err := New(t.TempDir()).Read(id); err == nil || !strings.Contains(err.Error(), "mount /sys/fs/cgroup") {
		t.Errorf("no cgroups: %v", err)
	}
}

// A conductor is answered by its token alone, and hears when a container has ended.
func TestServes(t *testing.T) {
	root := cgroups(t, map[string]string{"cgroup.controllers": "", "pod/{id}/cpu.stat": "usage_usec 1\n", "pod/{id}/memory.stat": "anon 1\n"})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(root).Serve(ctx, l, "secret") }()
	if _, err := Dial(t.Context(), l.Addr().String(), "guess"); err == nil {
		t.Error("a conductor with another token is let in")
	}
	c, err := Dial(t.Context(), l.Addr().String(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Read(t.Context(), id)
	if err != nil || r.CPU != time.Microsecond || r.Counters().CPU != r.CPU {
		t.Errorf("read %+v, %v", r, err)
	}
	if err := os.RemoveAll(filepath.Join(root, "pod")); err != nil {
		t.Fatal(err)
	}
	gone := (*GoneError)(nil)
	if _, err := c.Read(t.Context(), id); !errors.As(err, &gone) {
		t.Errorf("after its end: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// cgroupsOf makes the cgroup of a container on this machine, and returns its folders.
func cgroupsOf(t *testing.T, container string) (made []string) {
	t.Helper()
	const root = "/sys/fs/cgroup"
	tops := []string{root}
	if version(root) == "cgroup v1" {
		tops = []string{filepath.Join(root, "cpuacct"), filepath.Join(root, "cpu"), filepath.Join(root, "memory")}
	}
	for _, top := range tops {
		dir := filepath.Join(top, container)
		if err := os.Mkdir(dir, 0o755); err == nil {
			made = append(made, dir)
		} else if !errors.Is(err, fs.ErrExist) { // cpu and cpuacct may be one
			t.Skip("no cgroups for containers: this needs root:", err)
		}
	}
	return made
}

// A container that ends while it is read is gone, at whatever moment that is: its processes first, and then its cgroup.
func TestEndsWhileItIsRead(t *testing.T) {
	gone := func(m *Meter, end func() error) {
		t.Helper()
		ended := make(chan error, 1)
		go func() { ended <- end() }()
		var err error
		for err == nil {
			_, err = m.Read(id)
		}
		if gone := (*GoneError)(nil); !errors.As(err, &gone) {
			t.Errorf("while it ends: %v", err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		made := cgroupsOf(t, id)
		program := exec.Command("sleep", "60")
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		for _, dir := range made {
			if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(program.Process.Pid)), 0o644); err != nil {
				t.Error(err)
			}
		}
		gone(NewBeside(), func() error {
			err := program.Process.Kill()
			_ = program.Wait() // it was killed
			return err
		})
		gone(New("/sys/fs/cgroup"), func() (err error) {
			for _, dir := range made {
				err = errors.Join(err, os.Remove(dir))
			}
			return err
		})
	}
}
