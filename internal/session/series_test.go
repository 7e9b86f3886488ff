package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/session/cluster"
)

var builtIn = program.NewCatalog(tracetax.Files)

// An experiment that is named to go on with goes on in the folders that it would have.
func TestNamedResumeHasItsFolders(t *testing.T) {
	all, err := config.Find("requests-throughput", builtIn)
	if err != nil {
		t.Fatal(err)
	}
	for _, some := range [][]*config.Experiment{all, all[:1]} {
		want := (&Series{Experiments: some, Top: "top"}).folders()
		if got := (&Series{Experiments: some, Top: "top", Resume: true}).folders(); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// What is laid out and not begun stays where there is something to go on with, and
// Begun finds it.
func TestSeveralFolders(t *testing.T) {
	all, err := config.Find("requests-throughput", builtIn)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		ended bool
		begun int // folders that have runs
		left  int // that are there afterwards
	}{
		{"interrupted in the second", false, 2, len(all)},
		{"interrupted before the first", false, 0, 0},
		{"ended with one left out", true, len(all) - 1, len(all) - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			folders := (&Series{Experiments: all, Top: top}).folders()
			if err := layOut(all, folders); err != nil {
				t.Fatal(err)
			}
			for _, dir := range folders[:c.begun] {
				if err := os.WriteFile(filepath.Join(dir, record.RunsFile), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := withdraw(folders, c.ended); err != nil {
				t.Fatal(err)
			}
			inside, err := filepath.Glob(filepath.Join(top, "*", record.ExperimentFile))
			if err != nil || len(inside) != c.left {
				t.Fatalf("%v %v are left, want %d", inside, err, c.left)
			}
			if c.left == 0 {
				return
			}
			found, begun, err := Begun(top, builtIn)
			if err != nil || len(found) != c.left {
				t.Fatalf("%d are gone on with, %v, want %d", len(found), err, c.left)
			}
			for i, dir := range (&Series{Experiments: found, Top: top, Folders: begun, Resume: true}).folders() {
				if want := strings.ReplaceAll(found[i].Workload.Name, "/", "-"); filepath.Base(dir) != want {
					t.Errorf("%s goes on in %s", found[i].Workload.Name, dir)
				}
			}
		})
	}
}

// What is kept is counted apart from what failed.
func TestKept(t *testing.T) {
	good, failed := record.Record{}, record.Record{Failure: &record.Failure{}}
	for want, history := range map[string][]record.Record{
		"1 run is kept":                     {good},
		"2 runs are kept":                   {good, good},
		"1 run and 2 that failed are kept":  {failed, good, failed},
		"0 runs and 1 that failed are kept": {failed},
		"3 runs and 1 that failed are kept": {good, good, failed, good},
	} {
		if got := kept(history); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSameLeftOut(t *testing.T) {
	left := func(names ...string) (out []finding.LeftOut) {
		for _, name := range names {
			out = append(out, finding.LeftOut{Variant: name, Reason: "why"})
		}
		return out
	}
	for name, test := range map[string]struct {
		before, now []finding.LeftOut
		want        string
	}{
		"none":      {nil, nil, ""},
		"the same":  {left("a", "b"), left("b", "a"), ""},
		"one more":  {left("a"), left("a", "b"), "variant b was measured, and cannot run here any more (why)"},
		"one fewer": {left("a", "b"), left("a"), "variant b could not run when this was begun (why), and can now"},
	} {
		if err := sameLeftOut(test.before, test.now); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A result of a cluster is of its nodes, and names what they ran; one that is gone on with on another node names both.
func TestEnvironmentOfACluster(t *testing.T) {
	e := environment{Facts: machine.Facts{CPUModel: "of the laptop", CPUs: 8}}
	of := func(name string) []cluster.Node {
		return []cluster.Node{{Name: name, Facts: machine.Facts{CPUModel: "of " + name, CPUs: 2}}}
	}
	e.standsOn(of("n1"))
	e.standsOn(append(of("n1"), of("n2")...))
	e.ran([]record.Record{
		{Variant: "none", Harness: record.Harness{Accounting: "cgroup v2", Images: map[string]string{"shop": "shop@sha256:1"}}},
		{Variant: "otel", Harness: record.Harness{Accounting: "cgroup v2", Images: map[string]string{"shop": "shop@sha256:2"}}},
	})
	facts, err := e.facts()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"cpu_model":"of n1"`, `"name":"n2"`, `"cpu_model":"of n2"`, `"accounting":"cgroup v2"`,
		`"images":{"none":{"shop":"shop@sha256:1"},"otel":{"shop":"shop@sha256:2"}}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if len(e.Nodes) != 2 || strings.Contains(string(text), "laptop") {
		t.Errorf("%s", text)
	}
}

// The versions of a tracer's packages are noted, and of what a workload is built with.
func TestPackagesOf(t *testing.T) {
	for _, c := range []struct{ workload, whose, of string }{
		{"hello/flask", "otel-python", "opentelemetry-distro"},
		{"hello/go", "hello/go", "go.opentelemetry.io/otel/sdk"},
	} {
		all, err := config.ParseExperiment("x.yaml", "", []byte("workload: "+c.workload+"\nvariants: {none: , otel: }\n"), builtIn)
		if err != nil {
			t.Fatal(err)
		}
		got, err := packagesOf(all[0])
		if err != nil || got[c.whose][c.of] == "" {
			t.Errorf("%s: %v, %v", c.workload, got, err)
		}
		if _, has := got["none"]; has {
			t.Errorf("%s: a tracer without packages has %v", c.workload, got["none"])
		}
	}
}
