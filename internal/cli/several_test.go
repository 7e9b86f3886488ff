package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// An experiment that is named beside --resume goes on in the folders that it would have.
func TestNamedResumeHasItsFolders(t *testing.T) {
	all, err := spec.Find("requests-throughput", builtIn())
	if err != nil {
		t.Fatal(err)
	}
	for _, some := range [][]*spec.Experiment{all, all[:1]} {
		want := (&runFlags{}).foldersFor("top", some)
		if got := (&runFlags{resume: "top"}).foldersFor("top", some); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// What is laid out and not begun stays where there is something to go on with, and
// --resume finds it.
func TestSeveralFolders(t *testing.T) {
	all, err := spec.Find("requests-throughput", builtIn())
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
			f := &runFlags{}
			folders := f.foldersFor(top, all)
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
			again := &runFlags{resume: top}
			found, err := again.resumed()
			if err != nil || len(found) != c.left {
				t.Fatalf("%d are gone on with, %v, want %d", len(found), err, c.left)
			}
			for i, dir := range again.foldersFor(top, found) {
				if want := strings.ReplaceAll(found[i].Workload.Name, "/", "-"); filepath.Base(dir) != want {
					t.Errorf("%s goes on in %s", found[i].Workload.Name, dir)
				}
			}
		})
	}
}
