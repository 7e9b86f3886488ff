package config

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config/program"
)

// seed adds the embedded files with that ending, and the wrong files of an archive.
func seed(f *testing.F, ending, archive string) {
	err := fs.WalkDir(tracetax.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ending) {
			return err
		}
		text, err := fs.ReadFile(tracetax.Files, path)
		f.Add(string(text))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	wrong, err := txtar.ParseFile("testdata/" + archive)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range wrong.Files {
		f.Add(string(file.Data))
	}
}

// FuzzExperiment: whatever the text, there is an experiment or there are
// problems; an experiment can be planned, and is read again as it is written.
func FuzzExperiment(f *testing.F) {
	seed(f, ".yaml", "bad-experiments.txtar")
	f.Add(small)
	f.Add(everything)
	for _, text := range []string{
		"load: {rate: [1/s, 2/s]}\ndesign: {blocks: 8..30, precision: 2% of p99}\nfaults: {sink-loses: 3%}",
		"load: {connections: [1, 2]}\ndesign: {order: woven, precision: 1% of throughput}",
		"load: {rate: 50% of slowest, capacity: {p99: 50ms, from: 5/s}}",
		"load: {capacity: {lost: 0, from: 1/s, max: 9/s, resolution: 3%, confirm: 30s}}\ndesign: {precision: 1%}",
	} {
		f.Add(small + text)
	}
	f.Add("workload: {processes: [{name: a, run: [a, '{port}']}], operations: {a: {grpc: /a.B/C, body: x}, b: {request: 'GET https://h:1/', insecure: true}}}\n" +
		"variants: {none: , otel-python: {faults: {sink-late: 5ms}}}\nload: {streams: 4}\nfaults: {generator-late: 5ms}")
	catalog := builtIn()
	f.Fuzz(func(t *testing.T, text string) {
		es, err := ParseExperiment("x.yaml", "testdata/none", []byte(text), catalog)
		if err != nil {
			if !program.IsProblem(err) {
				t.Fatalf("not a problem of the file: %v", err)
			}
			return
		}
		for _, e := range es {
			written, err := e.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(written), "${env:") {
				continue
			}
			again, err := ParseExperiment("x.yaml", "testdata/none", written, catalog)
			if err != nil {
				t.Fatalf("what was written is not read: %v\n%s", err, written)
			}
			for i := range again[0].Variants {
				again[0].Variants[i].Chosen = e.Variants[i].Chosen
			}
			if diff := cmp.Diff(e, again[0], same); diff != "" {
				t.Fatalf("(-before +after)\n%s\n%s", diff, written)
			}
			for _, v := range e.Variants {
				if _, err := e.Plan(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func FuzzWorkload(f *testing.F) {
	seed(f, "workload.yaml", "bad-workloads.txtar")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := program.ParseWorkload("w.yaml", "w", []byte(text)); err != nil && !program.IsProblem(err) {
			t.Fatal(err)
		}
	})
}

func FuzzTracer(f *testing.F) {
	seed(f, "tracer.yaml", "bad-tracers.txtar")
	f.Fuzz(func(t *testing.T, text string) {
		tracer, err := program.ParseTracer("t.yaml", "t", []byte(text))
		if err != nil {
			if !program.IsProblem(err) {
				t.Fatal(err)
			}
			return
		}
		w := &program.Workload{Name: "w", Processes: []program.Process{{Name: "app", Run: []string{"{port}"}, Traced: true}}}
		settings := map[string]string{}
		for _, s := range tracer.Settings {
			settings[s.Name] = s.Default
		}
		tracer.Templates = nil // there is no folder
		for i := range tracer.Processes {
			tracer.Processes[i].Templates = nil
		}
		if _, err := (&Experiment{Workload: w}).Plan(Variant{Name: "v", Tracer: tracer, Settings: settings}); err != nil && !strings.Contains(err.Error(), "is not set") {
			t.Fatal(err)
		}
		for _, s := range tracer.Settings {
			if again, err := s.Canonical(s.Default); err != nil || again != s.Default {
				t.Fatalf("default %q of %s is not canonical: %q, %v", s.Default, s.Name, again, err)
			}
		}
	})
}

// FuzzLiteral: a value that is put into a text comes through Expand as it is.
func FuzzLiteral(f *testing.F) {
	f.Add("{port} {{port}} ${env:A} ${x} {{{a.b}}}")
	f.Fuzz(func(t *testing.T, value string) {
		got, err := program.Expand(program.Literal(value), map[string]string{})
		if err != nil || got != value {
			t.Fatalf("%q became %q by %q, %v", value, got, program.Literal(value), err)
		}
	})
}
