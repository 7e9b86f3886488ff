// Kept results: records of real runs, whose findings and forms stay what they are while the house is rebuilt.

package cli

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// keptNumber is how much a number of an analysis may differ from the kept one, as a share of it.
const keptNumber = 1e-9

// TestKeptResults analyses each kept result again and holds it against what was kept: numbers within 1e-9, all else equal.
// Then it writes every form of the kept findings, and three comparisons, and holds their hashes against
// the kept ones. 'go test ./internal/cli -run Kept -update' keeps what there is now; scripts/keep-results measures again.
func TestKeptResults(t *testing.T) {
	kept, err := filepath.Abs("testdata/kept")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob(filepath.Join(kept, "*", "runs.jsonl.gz"))
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d results are kept (%v), want ten at least", len(folders), err)
	}
	t.Chdir(t.TempDir())
	var names []string
	for _, path := range folders {
		name := filepath.Base(filepath.Dir(path))
		names = append(names, name)
		unpackKept(t, filepath.Dir(path), name)
		t.Run(name, func(t *testing.T) { analyseKept(t, filepath.Join(kept, name), name) })
	}
	forms := map[string]string{}
	for _, name := range names {
		for form, args := range map[string][]string{
			"terminal": {"report", name}, "all": {"report", name, "--all"}, "page": {"report", name, "--html", "-"}, "csv": {"report", name, "--csv", "-"},
			"samples": {"report", name, "--samples", "-"}, "benchfmt": {"report", name, "--benchfmt", "-"}, "markdown": {"report", name, "--markdown", "-"},
			"runs": {"report", name, "--runs", "-"}, "histograms": {"report", name, "--histograms", "-"},
			"bmf": {"report", name, "--bmf", "-"}, "benchmark action": {"report", name, "--benchmark-action", "-"}, "summary": {"report", name, "--summary"},
		} {
			forms[name+" "+form] = hashOf(t, args...)
		}
	}
	forms["compare terminal"] = hashOf(t, "compare", "calls", "calls-again", "--all")
	forms["compare markdown"] = hashOf(t, "compare", "calls", "calls-again", "--markdown", "-")
	forms["compare variants"] = hashOf(t, "compare", "sampled", "--variants", "tenth,whole", "--all")
	holdForms(t, filepath.Join(kept, "forms.txt"), forms)
}

// unpackKept makes a results folder of a kept one in the working folder.
func unpackKept(t *testing.T, from, name string) {
	t.Helper()
	if err := os.Mkdir(name, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"experiment.yaml", "environment.json"} {
		text, err := os.ReadFile(filepath.Join(from, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(name, file), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(name, "runs.jsonl"), unzipped(t, filepath.Join(from, "runs.jsonl.gz")), 0o644); err != nil {
		t.Fatal(err)
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

// analyseKept leaves the kept findings in the folder, so the forms are of these.
func analyseKept(t *testing.T, from, name string) {
	said(t, "report", name, "--reanalyze")
	text, err := os.ReadFile(filepath.Join(name, "findings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	got["created"], got["tool"] = "2000-01-01T00:00:00Z", "kept" // these change with every analysis
	path := filepath.Join(from, "findings.json.gz")
	if *update {
		keep(t, path, got)
	}
	wantText := unzipped(t, path)
	var want map[string]any
	if err := json.Unmarshal(wantText, &want); err != nil {
		t.Fatal(err)
	}
	for _, difference := range differences("", got, want) {
		t.Error(difference)
	}
	if err := os.WriteFile(filepath.Join(name, "findings.json"), wantText, 0o644); err != nil {
		t.Fatal(err)
	}
}

func keep(t *testing.T, path string, doc map[string]any) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// differences lists where two JSON values differ, the first twenty.
func differences(at string, got, want any) []string {
	var out []string
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := maps.Clone(want)
		maps.Copy(keys, got)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			out = append(out, differences(at+"/"+key, got[key], want[key])...)
		}
		return out[:min(len(out), 20)]
	case []any:
		got, ok := got.([]any)
		if !ok {
			break
		}
		if len(got) != len(want) {
			return []string{fmt.Sprintf("%s has %d elements, want %d", at, len(got), len(want))}
		}
		for i := range want {
			out = append(out, differences(fmt.Sprintf("%s/%d", at, i), got[i], want[i])...)
		}
		return out[:min(len(out), 20)]
	case float64:
		if got, ok := got.(float64); ok && math.Abs(got-want) <= keptNumber*math.Max(math.Abs(got), math.Abs(want)) {
			return nil
		}
	default:
		if got == want {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
}

// said is what a command writes to standard output. Any exit status but of wrong usage will do: 3 and 4 are answers.
func said(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, stderr bytes.Buffer
	if code := Main(args, strings.NewReader(""), &out, &stderr); code == console.Failed || code == console.Usage {
		t.Fatalf("%v: exit status %d, %s", args, code, stderr.String())
	}
	return out.Bytes()
}

func hashOf(t *testing.T, args ...string) string {
	t.Helper()
	text := said(t, args...)
	if len(text) == 0 {
		t.Errorf("%v wrote nothing", args)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// holdForms compares hashes with those of a file, a line each.
func holdForms(t *testing.T, path string, forms map[string]string) {
	t.Helper()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		lines = append(lines, forms[name]+" "+name)
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("%s: this form has changed; look at it, and keep it with -update if it is meant", line)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d forms, %d are kept", len(lines), len(want))
	}
}
