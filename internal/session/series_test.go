package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

var builtIn = config.NewCatalog(tracetax.Files)

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
