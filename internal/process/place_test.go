package process

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/proctree"
)

// lineOf returns the rest of the first log line with a prefix.
func lineOf(t *testing.T, p *Process, prefix string) string {
	t.Helper()
	for _, line := range p.Log().Tail(1000) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return rest
		}
	}
	t.Fatalf("no line %q in %q", prefix, p.Log().Tail(1000))
	return ""
}

func TestCPUsAreApplied(t *testing.T) {
	allowed, _ := allowedCPUs()
	each(t, func(t *testing.T, accounting string) {
		l := open(t, accounting)
		for _, cpus := range [][]int{nil, allowed[:1], allowed[len(allowed)-1:]} {
			p := start(t, l, Command{Name: "on-" + proctree.FormatCPUs(cpus), CPUs: cpus}, "where")
			<-p.Done()
			want := cpus
			if want == nil {
				want = allowed
			}
			if got := lineOf(t, p, "cpus "); got != proctree.FormatCPUs(want) {
				t.Errorf("it runs on the CPUs %s, want %s", got, proctree.FormatCPUs(want))
			}
		}
	})
}

// What tracetax itself is bound to must not narrow what its processes get.
func TestCPUsOfAPinnedTracetax(t *testing.T) {
	allowed, _ := allowedCPUs()
	if err := Pin(allowed[:1]); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := Pin(allowed); err != nil {
			t.Error(err)
		}
	}()
	if bound, _ := allowedCPUs(); !slices.Equal(bound, allowed[:1]) {
		t.Fatalf("bound to %v", bound)
	}
	each(t, func(t *testing.T, accounting string) {
		p := start(t, open(t, accounting), Command{CPUs: allowed}, "where")
		<-p.Done()
		if got := lineOf(t, p, "cpus "); got != proctree.FormatCPUs(allowed) {
			t.Errorf("it runs on the CPUs %s, want %s", got, proctree.FormatCPUs(allowed))
		}
	})
}

func TestNothingOfOursIsInTheGroup(t *testing.T) {
	looked := false
	for _, accounting := range []string{AccountingV1, AccountingV2} {
		if lacking := withoutGroups(accounting); lacking != "" {
			t.Logf("%s is left out: %s", accounting, lacking)
			continue
		}
		looked = true
		l, err := NewLauncher(Options{Name: "alone", LogDir: t.TempDir(), Accounting: accounting})
		if err != nil {
			t.Errorf("%s: %v", accounting, err)
			continue
		}
		p := start(t, l, Command{}, "sleep")
		pids, err := cgroup.PIDs(p.group.Dirs)
		if err != nil || !slices.Equal(pids, []int{p.PID()}) {
			t.Errorf("%s: the group holds %v, want only %d; error %v", accounting, pids, p.PID(), err)
		}
		for _, dir := range p.group.Dirs {
			text, err := os.ReadFile(filepath.Join(dir, "tasks"))
			keeper, _ := filepath.Glob("/proc/" + strconv.Itoa(p.keeper.Process.Pid) + "/task/*")
			for _, thread := range keeper {
				if err == nil && slices.Contains(strings.Fields(string(text)), filepath.Base(thread)) {
					t.Errorf("%s: a thread of the keeper is in %s", accounting, dir)
				}
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if !looked {
		t.Skip("this machine has no cgroups that we may write to")
	}
}

func TestLimitsAreApplied(t *testing.T) {
	files := map[string]map[string]map[string]string{
		AccountingV1: {
			"cpu":    {"cpu.cfs_quota_us": "50000", "cpu.cfs_period_us": "100000"},
			"memory": {"memory.limit_in_bytes": "67108864"},
		},
		AccountingV2: {
			"cpu":    {"cpu.max": "50000 100000"},
			"memory": {"memory.max": "67108864"},
		},
		AccountingClock: {},
	}
	each(t, func(t *testing.T, accounting string) {
		l := open(t, accounting)
		p := start(t, l, Command{Quota: 0.5, Memory: 64 << 20}, "sleep")
		unmet := 0
		for _, controller := range []string{"cpu", "memory"} {
			if lacking := withoutController(l, controller); lacking != "" {
				t.Logf("%s is left out: %s", controller, lacking)
				unmet++
				continue
			}
			for file, want := range files[accounting][controller] {
				if got, err := cgroup.Read(filepath.Join(p.Groups()[controller], file)); err != nil || got != want {
					t.Errorf("%s is %q, want %q; error %v", file, got, want, err)
				}
			}
		}
		if got := p.Unmet(); len(got) != unmet {
			t.Errorf("unmet: %q, want %d", got, unmet)
		}
	})
}

func TestOutOfMemoryIsTold(t *testing.T) {
	l := open(t, AccountingAuto)
	if lacking := withoutController(l, "memory"); lacking != "" {
		t.Skip(lacking)
	}
	p := start(t, l, Command{Memory: 32 << 20}, "hold", "100000000")
	<-p.Done()
	if e := p.Exit(); !e.OutOfMemory || !strings.Contains(e.String(), "memory limit") {
		t.Errorf("exit %v", e)
	}
}

func TestUnmet(t *testing.T) {
	l := open(t, AccountingClock)
	tests := []struct {
		command Command
		want    []string
	}{
		{Command{Name: "a"}, nil},
		{Command{Name: "a", Quota: 1, CPUs: []int{0}}, nil}, // one CPU is all it gets anyway
		{Command{Name: "a", Quota: 0.5, CPUs: []int{0}}, []string{"quota of 0.5"}},
		{Command{Name: "a", Quota: 1}, []string{"quota of 1"}},
		{Command{Name: "a", Memory: 5}, []string{"memory limit of 5"}},
	}
	for _, test := range tests {
		got := l.unmet(test.command)
		if len(got) != len(test.want) || len(got) > 0 && !strings.Contains(got[0], test.want[0]) {
			t.Errorf("%+v: unmet %q, want %q", test.command, got, test.want)
		}
	}
}

func TestPlace(t *testing.T) {
	pairs := map[int][]int{0: {0, 4}, 1: {1, 5}, 2: {2, 6}, 3: {3, 7}, 4: {0, 4}, 5: {1, 5}, 6: {2, 6}, 7: {3, 7}}
	tests := []struct {
		name     string
		allowed  []int
		siblings map[int][]int
		cpus     float64
		want     Placement
	}{
		{"unknown", nil, nil, 1, Placement{Shared: true}},
		{"one CPU", []int{3}, nil, 1, Placement{App: []int{3}, Harness: []int{3}, Shared: true}},
		{"two CPUs", []int{0, 1}, nil, 1, Placement{App: []int{1}, Harness: []int{0}}},
		{"more than there are", []int{0, 1}, nil, 4, Placement{App: []int{1}, Harness: []int{0}}},
		{"no quota", []int{0, 1, 2}, nil, 0, Placement{App: []int{2}, Harness: []int{0, 1}}},
		{"one and a half", []int{0, 1, 2, 3}, nil, 1.5, Placement{App: []int{2, 3}, Harness: []int{0, 1}}},
		{"two threads of one core", []int{0, 1}, map[int][]int{0: {0, 1}, 1: {0, 1}}, 1, Placement{App: []int{1}, Harness: []int{0}}},
		{"the app's core is its own", []int{0, 1, 2, 3, 4, 5, 6, 7}, pairs, 1, Placement{App: []int{7}, Harness: []int{0, 1, 2, 4, 5, 6}}},
		{"a whole core for two", []int{0, 1, 2, 3, 4, 5, 6, 7}, pairs, 2, Placement{App: []int{3, 7}, Harness: []int{0, 1, 2, 4, 5, 6}}},
		{"within an affinity", []int{2, 6}, pairs, 1, Placement{App: []int{6}, Harness: []int{2}}},
	}
	for _, test := range tests {
		if got := place(test.allowed, test.siblings, test.cpus); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}
