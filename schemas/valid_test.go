package schemas_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled is a schema, or the part of one that a fragment names, for a validator that did not make it.
func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(filepath.ToSlash(filepath.Join(folder, name)))
	if err != nil {
		t.Fatal(err)
	}
	if schema.DraftVersion != 2020 {
		t.Fatalf("%s is of draft %d", name, schema.DraftVersion)
	}
	return schema
}

// wrong is what is wrong with a JSON text; nil where nothing is.
func wrong(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// Records and findings of real runs are as their schemas say.
func TestRecorded(t *testing.T) {
	runs, findings := compiled(t, "runs.json"), compiled(t, "findings.json")
	kept, err := filepath.Glob("../internal/cli/testdata/kept/*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, dir := range kept {
		if _, err := os.Stat(filepath.Join(dir, "runs.jsonl.gz")); err != nil {
			continue
		}
		seen++
		for number, line := range bytes.Split(bytes.TrimSpace(unzipped(t, filepath.Join(dir, "runs.jsonl.gz"))), []byte("\n")) {
			line = bytes.ReplaceAll(line, []byte(`"no spans to lose"`), []byte(`"no-spans"`)) // as an earlier tracetax said
			if err := wrong(t, runs, line); err != nil {
				t.Errorf("%s, line %d: %v", dir, number+1, err)
			}
		}
		if err := wrong(t, findings, unzipped(t, filepath.Join(dir, "findings.json.gz"))); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if seen < 10 {
		t.Errorf("%d results are kept, want ten at least", seen)
	}
	text, err := os.ReadFile("../internal/analysis/testdata/findings.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := wrong(t, findings, text); err != nil {
		t.Error(err)
	}
}

func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Keys of the author's own are right at the top of a file, and nowhere below.
func TestKeysOfOnesOwn(t *testing.T) {
	experiment := compiled(t, "experiment.json")
	if err := wrong(t, experiment, []byte(`{"x-load": {"any": [1]}, "workload": "hello/go", "variants": {"none": null}}`)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{`{"own": 1, "workload": "hello/go", "variants": {"none": null}}`, `{"workload": "hello/go", "variants": {"none": {"x-a": 1}}}`} {
		if wrong(t, experiment, []byte(text)) == nil {
			t.Errorf("%s is right", text)
		}
	}
}

// Files that tracetax reads are as their schemas say: those that it brings, the starter, the examples of
// the documentation, and the resolved ones of results.
func TestExperiments(t *testing.T) {
	experiment := compiled(t, "experiment.json")
	seen := 0
	for pattern, schema := range map[string]*jsonschema.Schema{
		"../experiments/*.yaml": experiment, "../internal/cli/starter.yaml": experiment, "../internal/cli/testdata/kept/*/experiment.yaml": experiment,
		"../internal/cli/testdata/kept/*/asked.yaml": experiment, "../workloads/*/*/workload.yaml": compiled(t, "workload.json"),
		"../services/*/service.yaml": compiled(t, "service.json"), "../tracers/*/tracer.yaml": compiled(t, "tracer.json"),
		"../tracers/*/causes.yaml": compiled(t, "causes.json"), "../tracers/shared/causes/*.yaml": compiled(t, "causes.json"),
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := wrong(t, schema, asJSON(t, path, text)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			seen++
		}
	}
	if seen < 100 {
		t.Errorf("%d files were looked at", seen)
	}
	page, err := os.ReadFile("../docs/experiment-file.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, example := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1) {
		if !bytes.Contains(example[1], []byte("variants:")) {
			continue // a workload's, a tracer's
		}
		if err := wrong(t, experiment, asJSON(t, "an example", example[1])); err != nil {
			t.Errorf("example %d of docs/experiment-file.md: %v", i+1, err)
		}
	}
}

// asJSON is a text in YAML as an editor's language server sees it.
func asJSON(t *testing.T, name string, text []byte) []byte {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// The schema refuses what tracetax refuses of a file's shape.
func TestWrongExperiments(t *testing.T) {
	schema := compiled(t, "experiment.json")
	const good = "workload: hello/go\nvariants: {none: , otel: {tracer: otel-go}}\n"
	if err := wrong(t, schema, asJSON(t, "good", []byte(good))); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"no variants":        "workload: hello/go\n",
		"an unknown key":     good + "blocks: 10\n",
		"a misspelt key":     strings.Replace(good, "tracer:", "tracr:", 1),
		"no duration":        good + "load: {duration: long}\n",
		"no rate":            good + "load: {rate: {a: 1}}\n",
		"another sink":       good + "sink: strict\n",
		"no list of faults":  good + "faults: [sink-late]\n",
		"no name":            "workload: {processes: [{run: x}], operations: {home: GET /}}\nvariants: {none: , otel: }\n",
		"no operations":      "workload: {processes: [{name: x, run: x}]}\nvariants: {none: , otel: }\n",
		"two hops in one":    strings.Replace(good, "tracer:", "via: {a: x, b: y}, tracer:", 1),
		"a single step":      strings.Replace(good, "hello/go", "{processes: [{name: x, run: x}], operations: {buy: {steps: [GET /]}}}", 1),
		"a key of no step":   strings.Replace(good, "hello/go", "{processes: [{name: x, run: x}], operations: {buy: {steps: [GET /, {request: GET /, data: x.csv}]}}}", 1),
		"a key of no setup":  good + "setup: [{request: POST /login, take: {token: $.token}}]\n",
		"a setup of nothing": good + "setup: [{keep: {token: $.token}}]\n",
		"a claim of nothing": good + "claims: [{name: a}]\n",
	} {
		if wrong(t, schema, asJSON(t, what, []byte(text))) == nil {
			t.Errorf("%s: nothing is wrong with %s", what, text)
		}
	}
}

// A field that a schema does not know, or that lacks, is an error in what programs write.
func TestWrongFindings(t *testing.T) {
	text, err := os.ReadFile("../internal/analysis/testdata/findings.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compiled(t, "findings.json")
	for what, change := range map[string]func(map[string]any){
		"a new field":       func(d map[string]any) { d["extra"] = 1 },
		"no summary":        func(d map[string]any) { delete(d, "summary") },
		"a text as a count": func(d map[string]any) { d["schema"] = "2" },
		"an unknown kind":   func(d map[string]any) { first(d, "findings")["verdict"].(map[string]any)["kind"] = "cheap" },
		"an unknown metric": func(d map[string]any) { first(d, "findings")["metric"] = "cpu" },
		"no time":           func(d map[string]any) { d["created"] = "yesterday" },
	} {
		var d map[string]any
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		change(d)
		changed, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if wrong(t, schema, changed) == nil {
			t.Errorf("%s: nothing is wrong", what)
		}
	}
}

func first(d map[string]any, list string) map[string]any {
	return d[list].([]any)[0].(map[string]any)
}
