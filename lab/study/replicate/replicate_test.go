// tracetax replicate, run as a user runs it, on finished results.

package replicate_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	_ "github.com/tracetax/tracetax/lab/study/replicate"
)

var update = flag.Bool("update", false, "write the hashes of the forms again")

// The forms of a replication of kept results, by their hashes in testdata/forms.txt; with -update that is written.
func TestReplicationOfKeptResults(t *testing.T) {
	kept, err := filepath.Abs("../../../internal/cli/testdata/kept")
	if err != nil {
		t.Fatal(err)
	}
	hashes, err := filepath.Abs("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"calls", "depth"} {
		unpack(t, filepath.Join(kept, name, "findings.json.gz"), name)
	}
	var forms string
	for _, form := range [][]string{{"csv", "--csv", "-"}, {"markdown", "--markdown", "-"}, {"terminal"}} {
		var out, errOut bytes.Buffer
		args := append([]string{"replicate", "calls", "depth"}, form[1:]...)
		if status := cli.Main(args, nil, &out, &errOut); status != console.Fine || out.Len() == 0 {
			t.Fatalf("%s: status %d: %s", form[0], status, errOut.String())
		}
		forms += fmt.Sprintf("%.8x replicate %s\n", sha256.Sum256(out.Bytes()), form[0])
	}
	if *update {
		if err := os.WriteFile(hashes, []byte(forms), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(hashes); err != nil || string(want) != forms {
		t.Errorf("the forms are, by their hashes,\n%swant\n%s(%v)\nlook at them, and keep them with -update if that is meant", forms, want, err)
	}
}

// unpack makes a results folder of kept findings.
func unpack(t *testing.T, from, name string) {
	t.Helper()
	file, err := os.Open(from)
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
	if err := os.Mkdir(name, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, name, string(text))
}

// studied writes a result of a workload into a folder.
func studied(t *testing.T, dir, workload string, created time.Time) {
	t.Helper()
	above := 0.0
	doc := &finding.Document{
		Schema: finding.Schema, Created: created, Summary: "otel costs 20 %.", Runs: finding.Runs{Good: 16, Blocks: 8},
		Experiment: finding.Experiment{Name: "shops", Workload: workload, Variants: []finding.Variant{{Name: "none"}, {Name: "otel"}},
			Published: []finding.Published{{Source: "A study", Operation: "json", Variant: "none", Metric: "cpu_per_operation", Value: 1}},
			Claims:    []finding.Claim{{Name: "MF1", Metric: "cpu_per_operation", Above: &above}}},
	}
	low, high := 0.1, 0.3
	f := finding.Finding{Operation: "json", Variant: "otel", Against: "none", Metric: "cpu_per_operation", Unit: "s", Better: "lower", Headline: true, Blocks: 8,
		Relative: &finding.Interval{Estimate: 0.2, Low: &low, High: &high}, Absolute: &finding.Interval{Estimate: 0.2, Low: &low, High: &high}}
	for b := range 8 {
		f.Samples = append(f.Samples, finding.Sample{Block: b + 1, Baseline: 1, Value: 1.2 + 0.01*float64(b)})
	}
	doc.Findings = []finding.Finding{f}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.JSON(&text, doc); err != nil {
		t.Fatal(err)
	}
	write(t, dir, text.String())
}

// write writes the findings of a results folder.
func write(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "findings.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReplicate(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	studied(t, filepath.Join(dir, "b"), "requests/first", now)
	studied(t, filepath.Join(dir, "a"), "requests/second", now.Add(time.Hour))
	page := filepath.Join(dir, "replication.html")
	broken, nothing := t.TempDir(), t.TempDir()
	write(t, broken, `{"schema": 3, "fi`)
	write(t, nothing, `{"schema": 3, "summary": "No run succeeded."}`)
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"replicate", dir}, console.Fine, "✓ MF1  confirmed: all 2 intervals lie above 0 %"},
		{[]string{"replicate", filepath.Join(dir, "a")}, console.Fine, "✓ MF1  confirmed: the interval lies above 0 %"},
		{[]string{"replicate", dir, "--markdown", "-"}, console.Fine, "| MF1 |"},
		{[]string{"replicate", dir, "--csv", "-"}, console.Fine, "requests/second,json,,otel,cpu_per_operation"},
		{[]string{"replicate", dir, "--json"}, console.Fine, `"kind": "confirmed"`},
		{[]string{"replicate", dir, "--html", page}, console.Fine, ""},
		{[]string{"replicate", dir, "--json", "--csv", "-"}, console.Usage, "standard output"},
		{[]string{"replicate", filepath.Join(dir, "nowhere")}, console.Usage, "there is no folder"},
		{[]string{"replicate"}, console.Usage, "a results folder"},
		{[]string{"replicate", filepath.Join(dir, "a"), filepath.Join(dir, "b")}, console.Fine, "✓ MF1  confirmed: all 2 intervals lie above 0 %"},
		{[]string{"replicate", filepath.Join(dir, "a"), filepath.Join(dir, "a")}, console.Usage, "both results of requests/second"},
		{[]string{"replicate", dir, "--experiment", "quickstart"}, console.Usage, "none of these workloads"},
		{[]string{"replicate", dir, "--experiment", "no-such"}, console.Usage, "no-such"},
		{[]string{"replicate", filepath.Join(dir, "a", "findings.json")}, console.Usage, "is a file: give the folder: " + filepath.Join(dir, "a")},
		{[]string{"replicate", broken}, console.Failed, filepath.Join(broken, "findings.json") + " is cut off: there is no runs.jsonl beside it"},
		{[]string{"replicate", nothing}, console.Failed, "because nothing was measured; see 'tracetax report DIR':\n" + nothing + ": No run succeeded."},
	} {
		var out, errOut bytes.Buffer
		status := cli.Main(c.args, strings.NewReader(""), &out, &errOut)
		if status != c.status || !strings.Contains(out.String()+errOut.String(), c.says) {
			t.Errorf("%q: status %d\n%s%s", c.args, status, out.String(), errOut.String())
		}
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("requests/first")) {
		t.Errorf("%v", err)
	}
	var out bytes.Buffer
	cli.Main([]string{"replicate", dir}, strings.NewReader(""), &out, &out)
	if first, second := strings.Index(out.String(), "requests/first"), strings.Index(out.String(), "requests/second"); first > second {
		t.Error("the results are not in the order in which they were made")
	}
}
