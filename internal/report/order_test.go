// What stands where, and beside what: for a reader's eye.

package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// An operation without findings, whose search found nothing say, stands above the
// whole run all the same.
func TestWholeRunComesLast(t *testing.T) {
	doc := searching(2, false)
	operation := doc.Experiment.Operations[0]
	var rest []finding.Finding
	for _, f := range doc.Findings {
		if f.Operation == operation {
			f.Operation, f.Metric = "", "startup_time"
		}
		rest = append(rest, f)
	}
	doc.Findings = rest
	var b bytes.Buffer
	if err := Terminal(&b, doc, TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	own, whole := strings.Index(b.String(), "\n"+operation+"\n"), strings.Index(b.String(), "\nwhole run\n")
	if own < 0 || whole < own {
		t.Errorf("%s stands at %d, the whole run at %d:\n%s", operation, own, whole, b.String())
	}
}

// Notes are no warnings to read before relying on the figures.
func TestPageCountsWarningsOnly(t *testing.T) {
	for severities, want := range map[string]string{"warning note note": "#warnings\">1 warning<", "spoiled warning note": "#warnings\">2 warnings<", "note": ""} {
		doc := small.make()
		doc.Warnings = nil
		for _, s := range strings.Fields(severities) {
			doc.Warnings = append(doc.Warnings, finding.Warning{Code: "x", Severity: s, Text: "x"})
		}
		var b bytes.Buffer
		if err := HTML(&b, doc); err != nil {
			t.Fatal(err)
		}
		if want != "" && !strings.Contains(b.String(), want) || want == "" && strings.Contains(b.String(), "to read before relying") {
			t.Errorf("%s: want %q", severities, want)
		}
	}
}

// No verdict stands without a figure, also where there is no ratio and no room for
// the differences.
func TestDifferenceInPlaceOfARatio(t *testing.T) {
	var b bytes.Buffer
	if err := Terminal(&b, small.make(), TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "export per op") && (!strings.Contains(line, "+61") || strings.Contains(line, finding.Missing)) {
			t.Errorf("no difference: %s", line)
		}
	}
}
