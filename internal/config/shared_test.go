package config

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

const sharing = "processes: [{name: a, run: [a, '{port}']}]\noperations: {a: GET /}\nshared: "

// TestShared: a shared folder stands in that of a workload that names it, and is
// written out with it.
func TestShared(t *testing.T) {
	layer := fstest.MapFS{
		"workloads/shared/lib/go.mod.embed": {Data: []byte("module lib")},
		"workloads/shared/lib/in/lib.go":    {Data: []byte("package in")},
		"workloads/shared/other/x":          {},
		"workloads/a/workload.yaml":         {Data: []byte(sharing + "[lib]")},
		"workloads/a/main.go":               {Data: []byte("package main")},
	}
	w, err := program.NewCatalog(layer).Workload("a")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := program.CopyFiles(w.Files, dir); err != nil {
		t.Fatal(err)
	}
	want := []string{"lib/go.mod", "lib/in/lib.go", "main.go", "workload.yaml"}
	if diff := cmp.Diff(want, regularFiles(t, os.DirFS(dir))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	// A user's folder of that name wins, as with all else.
	dir = t.TempDir()
	if err := program.CopyFiles(fstest.MapFS{"workloads/shared/lib/mine": {}}, dir); err != nil {
		t.Fatal(err)
	}
	if w, err = program.NewCatalog(layer, os.DirFS(dir)).Workload("a"); err != nil {
		t.Fatal(err)
	}
	want = []string{"lib/mine", "main.go", "workload.yaml"}
	if diff := cmp.Diff(want, regularFiles(t, w.Files)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// regularFiles are the files of a tree, sorted.
func regularFiles(t *testing.T, files fs.FS) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSharedProblems(t *testing.T) {
	for name, catalog := range map[string]fstest.MapFS{
		"lbi":   {"workloads/shared/lib/x": {}},
		"lib":   {"workloads/a/lib/x": {}, "workloads/shared/lib/x": {}},
		"../..": {"workloads/shared/lib/x": {}},
		"a/b":   {},
	} {
		catalog["workloads/a/workload.yaml"] = &fstest.MapFile{Data: []byte(sharing + "['" + name + "']")}
		if _, err := program.NewCatalog(catalog).Workload("a"); !program.IsProblem(err) || !strings.Contains(err.Error(), "workload.yaml:3:9") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := program.ParseWorkload("w.yaml", "w", []byte(sharing+"[lib]")); !program.IsProblem(err) {
		t.Errorf("without a catalog: %v", err)
	}
}

// Tracers share folders as workloads do, and with a choice of theirs the numbers that workloads declare need not hold.
func TestTracersShare(t *testing.T) {
	c := shelf(map[string]string{
		"tracers/shared/lib/attach.py": "x",
		"tracers/t/tracer.yaml":        "shared: [lib]\nwrap: [sh]\nsettings: {two: {default: 'off', choices: {'off': {}, 'on': {learnt: true}}}}\n",
		"workloads/w/workload.yaml":    "processes: [{name: app, run: [x, '{port}']}]\noperations: {home: {request: GET /, spans: {none: 0, t: 1}}}\n",
	})
	tracer, err := c.Tracer("t")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"lib/attach.py", "tracer.yaml"}, regularFiles(t, tracer.Files)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for choice, want := range map[string]map[string]program.Number{"off": {"home": {Low: 1, High: 1}}, "on": {}} {
		e := parseIn(t, c, "workload: w\nvariants: {none: , v: {tracer: t, settings: {two: '"+choice+"'}}}\n")
		p, err := e.Plan(e.Variants[1])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Spans); diff != "" {
			t.Errorf("%s (-want +got)\n%s", choice, diff)
		}
	}
	if names, err := c.Tracers(); err != nil || strings.Contains(strings.Join(names, " "), "shared") {
		t.Errorf("%v, %v: a shared folder is taken for a tracer", names, err)
	}
	if _, err := shelf(map[string]string{"tracers/t/tracer.yaml": "shared: [lbi]\n", "tracers/shared/lib/x": ""}).Tracer("t"); err == nil || !strings.Contains(err.Error(), `unknown shared folder "lbi"; did you mean "lib"?`) {
		t.Errorf("error %v", err)
	}
}
