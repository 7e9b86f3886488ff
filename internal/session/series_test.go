package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
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
