package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config/program"
)

// builtIn is the catalog that is embedded into the program.
func builtIn() *program.Catalog { return program.NewCatalog(tracetax.Files) }

// TestCatalog checks every file of the embedded catalog, so that a folder that
// is added is checked without a line of Go.
func TestCatalog(t *testing.T) {
	c := builtIn()
	check := func(what string, names func() ([]string, error), one func(name string) error) {
		all, err := names()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			t.Run(what+"/"+name, func(t *testing.T) {
				if err := one(name); err != nil && !strings.Contains(err.Error(), program.NoGraphs) { // lab/ checks those
					t.Error(err)
				}
			})
		}
	}
	check("workloads", c.Workloads, func(name string) error { _, err := c.Workload(name); return err })
	check("tracers", c.Tracers, func(name string) error { _, err := c.Tracer(name); return err })
	check("experiments", c.Experiments, func(name string) error {
		es, err := BuiltIn(c, name)
		if err != nil {
			return err
		}
		for _, e := range es {
			for _, v := range e.Variants {
				if _, err := e.Plan(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// TestLayers: what the user adds wins, and does not hide what it does not name.
func TestLayers(t *testing.T) {
	workload := func(description string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("description: " + description + "\nprocesses: [{name: a, run: [a, '{port}']}]\noperations: {home: GET /}")}
	}
	c := program.NewCatalog(
		fstest.MapFS{"workloads/a/b/workload.yaml": workload("first"), "workloads/c/workload.yaml": workload("first"),
			"experiments/e.yaml": {Data: []byte("workload: c\nvariants: {none: , t: }")}},
		fstest.MapFS{"workloads/c/workload.yaml": workload("second"), "workloads/c/extra": {}, "tracers/t/tracer.yaml": {Data: []byte("description: t")}},
	)
	names, err := c.Workloads()
	if diff := cmp.Diff([]string{"a/b", "c"}, names); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if names, _ := c.Tracers(); !cmp.Equal(names, []string{"none", "t"}) {
		t.Errorf("tracers %v", names)
	}
	for name, want := range map[string]string{"a/b": "first", "c": "second"} {
		w, err := c.Workload(name)
		if err != nil || w.Description != want || w.Name != name || w.Files == nil {
			t.Errorf("workload %s: %+v, %v", name, w, err)
		}
	}
	if es, err := BuiltIn(c, "e"); err != nil || es[0].Workload.Description != "second" {
		t.Errorf("experiment: %v, %v", es, err)
	}
	for _, name := range []string{"../c", "/c", "", "a", "workload.yaml", "c/"} {
		if _, err := c.Workload(name); err == nil || !program.IsProblem(err) {
			t.Errorf("workload %q: %v", name, err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.yaml")
	if err := os.WriteFile(file, []byte("workload: hello/go\nvariants: {none: , otel: }"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: "mine", "ladder": "ladder"} {
		es, err := Find(name, builtIn())
		if err != nil || es[0].Name != want {
			t.Errorf("Find(%s) = %v, %v", name, es, err)
		}
	}
	for name, want := range map[string]string{
		"laddr":                        `unknown experiment "laddr"; did you mean "ladder"? (and there is no file of that name)`,
		filepath.Join(dir, "not.yaml"): "there is no such file; 'tracetax init ",
		"hello/go":                     "this is a workload",
	} {
		_, err := Find(name, builtIn())
		if err == nil || !strings.Contains(err.Error(), want) || !program.IsProblem(err) {
			t.Errorf("Find(%s): %v\nwant %s", name, err, want)
		}
	}
}

func TestCopyFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	tree := fstest.MapFS{
		"go.mod.embed": {Data: []byte("module x")}, "sub/run.sh": {Data: []byte("true")},
		"tool": {Data: []byte("#!/bin/sh\n")}, "plain": {Data: []byte("text")},
	}
	if err := program.CopyFiles(tree, dir); err != nil {
		t.Fatal(err)
	}
	for name, executable := range map[string]bool{"go.mod": false, "sub/run.sh": true, "tool": true, "plain": false} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode()&0o100 != 0; got != executable {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

// What OpenTelemetry's distribution for Python writes of libraries in versions that it does not know, and of those that are not there.
func TestMissesOfPython(t *testing.T) {
	tracer, err := builtIn().Tracer("otel-python")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(tracer.Misses)
	for line, want := range map[string]string{
		`sqlalchemy only instruments "sqlalchemy<2.1.0,>=1.0.0; extra == "instruments"", but currently installed version ("sqlalchemy 2.1.0") falls outside of that range, so nothing can be instrumented.`:                          "sqlalchemy",
		`2026-11-28 12:00:00 ERROR [opentelemetry] kafka-python instruments any of "kafka-python<3.0, kafka-python-ng<3.0", but currently installed version(s) ("kafka-python 4.0") fall outside of that range, so nothing can be …`: "kafka-python",
		`httpx only instruments "httpx>=0.18.0", but no installed version was found, so nothing can be instrumented.`:                                                                                                                "",
		`tracetax: instrumented flask`: "",
	} {
		found := pattern.FindStringSubmatch(line)
		if got := strings.Join(found[min(1, len(found)):], " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestWorkloadMix(t *testing.T) {
	const own = "workload: {processes: [{name: a, run: 'a {port}'}], operations: {x: GET /x, y: GET /y}, mix: %s}\n" +
		"variants: {none: , mine: {env: {A: b}}}\n"
	es, err := ParseExperiment("e.yaml", "testdata", []byte(strings.Replace(own, "%s", "{x: 3, y: 1}", 1)), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if o := es[0].Operations; len(o) != 1 || len(o[0].Mix) != 2 || o[0].Mix[0].Weight != 3 {
		t.Errorf("the operations are %+v, want the mix of the workload", o)
	}
	for _, mix := range []string{"{x: 3, z: 1}", "{x: 0}"} {
		if _, err := ParseExperiment("e.yaml", "testdata", []byte(strings.Replace(own, "%s", mix, 1)), builtIn()); err == nil {
			t.Errorf("the mix %s is fine", mix)
		}
	}
}

// What reads topologies is registered from outside; without it that is what is said, and not that the file is wrong.
func TestNoGraphs(t *testing.T) {
	_, built := builtIn().Workload("graph/boutique")
	_, flag := FromFlags(Flags{Graph: "testdata/rows.jsonl", Variants: []string{"none", "otel:tracer=otel"}}, builtIn())
	for _, err := range []error{built, flag} {
		if err == nil || !strings.Contains(err.Error(), program.NoGraphs) || !program.IsProblem(err) {
			t.Errorf("a graph is read with %v", err)
		}
	}
}
