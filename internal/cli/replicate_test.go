package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
)

// studied writes a result of a workload into a folder.
func studied(t *testing.T, dir, workload string, created time.Time) {
	t.Helper()
	above := 0.0
	doc := &finding.Document{
		Schema: finding.Schema, Created: created, Runs: finding.Runs{Good: 16, Blocks: 8},
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
	if err := os.WriteFile(filepath.Join(dir, "findings.json"), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReplication(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	studied(t, filepath.Join(dir, "b"), "requests/first", now)
	studied(t, filepath.Join(dir, "a"), "requests/second", now.Add(time.Hour))
	page := filepath.Join(dir, "replication.html")
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
	} {
		var out, errOut bytes.Buffer
		status := Main(c.args, strings.NewReader(""), &out, &errOut)
		if status != c.status || !strings.Contains(out.String()+errOut.String(), c.says) {
			t.Errorf("%q: status %d\n%s%s", c.args, status, out.String(), errOut.String())
		}
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("requests/first")) {
		t.Errorf("%v", err)
	}
	var out bytes.Buffer
	Main([]string{"replicate", dir}, strings.NewReader(""), &out, &out)
	if first, second := strings.Index(out.String(), "requests/first"), strings.Index(out.String(), "requests/second"); first > second {
		t.Error("the results are not in the order in which they were made")
	}
}
