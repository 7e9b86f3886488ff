package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseHierarchies(t *testing.T) {
	tests := []struct {
		name          string
		mounts, place string
		want          []hierarchy
	}{
		{
			name:   "version 2 alone",
			mounts: "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate",
			place:  "0::/user.slice/user-1000.slice/session-2.scope\n",
			want:   []hierarchy{{version: 2, mount: "/sys/fs/cgroup", own: "/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope"}},
		},
		{
			name: "both, two controllers in one mount",
			mounts: "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" +
				"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
				"33 31 0:30 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd",
			place: "4:cpu,cpuacct:/a\n2:name=systemd:/\n0::/\n",
			want: []hierarchy{
				{version: 2, mount: "/sys/fs/cgroup/unified", own: "/sys/fs/cgroup/unified"},
				{version: 1, controllers: []string{"cpu", "cpuacct"}, mount: "/sys/fs/cgroup/cpu,cpuacct", own: "/sys/fs/cgroup/cpu,cpuacct/a"},
				{version: 1, controllers: []string{"name=systemd"}, mount: "/sys/fs/cgroup/systemd", own: "/sys/fs/cgroup/systemd"},
			},
		},
		{
			name:   "a container's part of the tree",
			mounts: `50 40 0:30 /docker/abc /sys/fs/cgroup/mem\040ory ro - cgroup cgroup rw,memory`,
			place:  "3:memory:/docker/abc/inner\n",
			want:   []hierarchy{{version: 1, controllers: []string{"memory"}, mount: "/sys/fs/cgroup/mem ory", own: "/sys/fs/cgroup/mem ory/inner"}},
		},
		{
			name:   "outside of what is mounted",
			mounts: "50 40 0:30 /docker/abc /cg rw - cgroup cgroup rw,memory\n51 40 0:31 / /cg2 rw - cgroup2 cgroup2 rw",
			place:  "3:memory:/docker/abcd\n0::/../outside\n",
		},
		{
			name:   "mounted twice",
			mounts: "1 1 0:1 / /a rw - cgroup2 none rw\n2 1 0:1 / /b rw - cgroup2 none rw",
			place:  "0::/\n",
			want:   []hierarchy{{version: 2, mount: "/a", own: "/a"}},
		},
		{name: "nonsense", mounts: "a b - \nfoo", place: "x\n1:2\n"},
	}
	for _, test := range tests {
		if got := parseHierarchies(test.mounts, test.place); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

func FuzzParseHierarchies(f *testing.F) {
	f.Add("29 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw", "0::/a/b\n1:cpu,cpuacct:/\n")
	f.Add("50 40 0:30 /docker/abc /x rw - cgroup cgroup rw,memory", "3:memory:/docker/abc/inner\n")
	f.Fuzz(func(t *testing.T, mounts, places string) {
		for _, h := range parseHierarchies(mounts, places) {
			if strings.Contains(h.own, "/../") {
				t.Errorf("%q and %q give %q, outside of the mount", mounts, places, h.own)
			}
		}
	})
}

// fakeV2 is a directory tree that looks like a cgroup v2 one, as far as a plain
// file system can: directories that the kernel would fill are made beforehand.
func fakeV2(t *testing.T, dirs map[string]map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for dir, files := range dirs {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(root, dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func TestTreeV2PicksThePlaceWithMostControllers(t *testing.T) {
	self := fmt.Sprint(os.Getpid())
	inner := map[string]string{"cgroup.procs": self + "\n1", "cgroup.controllers": "memory", "cgroup.subtree_control": ""}
	outer := map[string]string{"cgroup.procs": "", "cgroup.controllers": "cpu memory io", "cgroup.subtree_control": "cpu memory"}
	all := map[string]string{"cgroup.controllers": "cpu memory", "cgroup.subtree_control": "cpu memory"}
	limits := map[string]string{"cpu.max": "", "memory.max": "", "cpuset.cpus": ""}
	root := fakeV2(t, map[string]map[string]string{
		"": {"cgroup.procs": ""}, "slice": outer, "slice/scope": inner,
		"slice/tracetax-x": all, "slice/tracetax-x/app": limits,
	})
	found := []hierarchy{{version: 2, mount: root, own: filepath.Join(root, "slice/scope")}}
	tree, err := newV2(found, "tracetax-x")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(root, "slice/tracetax-x"); tree.base != want || !slices.Equal(tree.enabled, []string{"cpu", "memory"}) {
		t.Fatalf("it is %s with %v, want %s", tree.base, tree.enabled, want)
	}
	for _, other := range []string{"tracetax-x", "slice/scope/tracetax-x"} {
		if _, err := os.Stat(filepath.Join(root, other)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left", other)
		}
	}
	g, err := tree.Create(Limits{Name: "app", Quota: 1.5, Memory: 1000, CPUs: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"cpu.max": "150000 100000", "memory.max": "1000", "cpuset.cpus": ""} {
		if got, err := Read(filepath.Join(g.At["unified"], file)); err != nil || got != want {
			t.Errorf("%s holds %q, want %q; error %v", file, got, want, err)
		}
	}
	if g.At["memory"] != g.At["unified"] || g.At["cpuset"] != "" {
		t.Errorf("groups %v", g.At)
	}
}

func TestTreeV2EnablesControllers(t *testing.T) {
	root := fakeV2(t, map[string]map[string]string{
		"":           {"cgroup.procs": "1", "cgroup.controllers": "memory", "cgroup.subtree_control": ""},
		"tracetax-x": {"cgroup.controllers": "", "cgroup.subtree_control": ""},
	})
	if _, err := newV2([]hierarchy{{version: 2, mount: root, own: root}}, "tracetax-x"); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(filepath.Join(root, "cgroup.subtree_control")); err != nil || got != "+memory" {
		t.Errorf("subtree_control got %q, error %v", got, err)
	}
}

func TestTreeV2StepsAside(t *testing.T) {
	self := fmt.Sprint(os.Getpid())
	aside := Prefix + self + "-self"
	root := fakeV2(t, map[string]map[string]string{
		"":    {"cgroup.procs": self + "\n", "cgroup.controllers": "cpu", "cgroup.subtree_control": ""},
		aside: {"cgroup.procs": ""},
	})
	if _, err := newV2([]hierarchy{{version: 2, mount: root, own: root}}, "tracetax-x"); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(filepath.Join(root, aside, "cgroup.procs")); err != nil || got != self {
		t.Errorf("its processes are %q, error %v", got, err)
	}
}

func TestTreeV2WithoutRights(t *testing.T) {
	root := t.TempDir() // no cgroup.procs that could be written to
	_, err := newV2([]hierarchy{{version: 2, mount: root, own: filepath.Join(root, "a")}}, "tracetax-x")
	if err == nil || !strings.Contains(err.Error(), "Delegate=yes") {
		t.Errorf("error %v", err)
	}
}

// What a program limits below its own group: in version 2 it has to step aside first.
func TestNest(t *testing.T) {
	self := os.Getpid()
	own := map[string]string{"cgroup.procs": fmt.Sprint(self), "cgroup.controllers": "cpu memory", "cgroup.subtree_control": ""}
	root := fakeV2(t, map[string]map[string]string{"app": own, "app/supplier": {"cgroup.procs": ""}, "app/one": {"memory.max": "max", "memory.events": "oom 1\noom_kill 1"}})
	dir := filepath.Join(root, "app")
	nest, err := nestIn([]hierarchy{{version: 2, mount: root, own: dir}}, self)
	if err != nil {
		t.Fatal(err)
	}
	g, err := nest.Create("one", 5000)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"supplier/cgroup.procs": fmt.Sprint(self), "cgroup.subtree_control": "+memory", "one/memory.max": "5000"} {
		if got, err := Read(filepath.Join(dir, file)); err != nil || got != want {
			t.Errorf("%s holds %q, want %q; error %v", file, got, want, err)
		}
	}
	if g.At["unified"] != filepath.Join(dir, "one") || len(g.Join) > 0 || !OutOfMemory(g.At["memory"]) {
		t.Errorf("the group %+v", g)
	}

	root = fakeV2(t, map[string]map[string]string{"app": {"tasks": ""}, "app/one": {"memory.limit_in_bytes": "", "memory.oom_control": "under_oom 0\noom_kill 0"}})
	dir = filepath.Join(root, "app")
	if nest, err = nestIn([]hierarchy{{version: 1, controllers: []string{"cpu"}, own: "/"}, {version: 1, controllers: []string{"memory"}, own: dir}}, self); err != nil {
		t.Fatal(err)
	}
	if g, err = nest.Create("one", 5000); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(filepath.Join(dir, "one/memory.limit_in_bytes")); err != nil || got != "5000" {
		t.Errorf("the limit is %q, error %v", got, err)
	}
	if want := filepath.Join(dir, "one/tasks"); !slices.Equal(g.Join, []string{want}) || OutOfMemory(g.At["memory"]) {
		t.Errorf("the group %+v", g)
	}

	for what, found := range map[string][]hierarchy{"none": nil, "no memory": {{version: 2, own: root}}, "no right": {{version: 1, controllers: []string{"memory"}, own: root}}} {
		if _, err := nestIn(found, self); err == nil {
			t.Errorf("%s: there is a nest", what)
		}
	}
}

func TestSweep(t *testing.T) {
	root := t.TempDir()
	gone := Prefix + "999999999-old"
	ours := Prefix + fmt.Sprint(os.Getpid()) + "-now"
	for _, dir := range []string{gone + "/app", ours, "other", Prefix + "x"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sweep(root)
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 3 {
		t.Errorf("left %v, error %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(root, gone)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the group of a tracetax that is no more is still there")
	}
}

func TestQuota(t *testing.T) {
	for cpus, want := range map[float64]int64{1: 100000, 0.5: 50000, 2.25: 225000, 0.001: 1000} {
		if got, _ := quota(cpus); got != want {
			t.Errorf("%g CPUs are %d µs, want %d", cpus, got, want)
		}
	}
}
