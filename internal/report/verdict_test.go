package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/view"
)

// The first line is the summary, so that `head -1` prints it, or that there is none of tracing.
func TestTheSummaryComesFirst(t *testing.T) {
	for name, doc := range fixtures() {
		var b bytes.Buffer
		if err := Terminal(&b, doc, TerminalOptions{}); err != nil {
			t.Fatal(err)
		}
		first := model.OneLine(doc.FullSummary)
		if len(doc.Untraced) > 0 {
			first = view.Brief(doc, false).Alarm.Title
		}
		if !strings.HasPrefix(b.String(), first+"\n") {
			t.Errorf("%s begins with %.80q", name, b.String())
		}
	}
}

func TestPageWithoutIntervals(t *testing.T) {
	quick, few := small, small
	quick.quick, few.blocks = true, 5
	for name, c := range map[string]struct {
		doc    *finding.Document
		filled bool
	}{"intervals": {small.make(), true}, "quick": {quick.make(), true}, "few blocks": {few.make(), false}} {
		var b bytes.Buffer
		if err := HTML(&b, c.doc); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "A filled dot has an interval"); got != c.filled {
			t.Errorf("%s: filled dots are explained: %v", name, got)
		}
		if !strings.Contains(b.String(), "centres over the blocks") {
			t.Errorf("%s: it is not said what the figures are", name)
		}
	}
}

// A long cause that the summary tells is told once.
func TestCauseIsToldOnce(t *testing.T) {
	doc := empty()
	cause := "start: no shop in PATH=/a:/b:/c"
	doc.FullSummary = "No run succeeded: block 1, none, attempt 1: " + cause + "."
	doc.Runs.Failure = []string{"block 1, none, attempt 1: " + cause, "block 1, none, attempt 2: as in block 1, none, attempt 1"}
	var text, page bytes.Buffer
	if err := Terminal(&text, doc, TerminalOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "PATH=/a"); n != 1 {
		t.Errorf("told %d times:\n%s", n, text.String())
	}
	if err := HTML(&page, doc); err != nil {
		t.Fatal(err)
	}
	shown, _, _ := strings.Cut(page.String(), `<script type="application/json"`)
	if n := strings.Count(shown, "PATH=/a"); n != 1 {
		t.Errorf("the page tells it %d times", n)
	}
}

// What verdicts are corrected for is told where there are any.
func TestFamiliesAreTold(t *testing.T) {
	for name, want := range map[string]bool{"small": true, "quick": false} {
		for form, write := range map[string]func(io.Writer, *finding.Document) error{"terminal": terminalForm(0, false, false), "page": HTML} {
			var b bytes.Buffer
			if err := write(&b, fixtures()[name]); err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(strings.Join(strings.Fields(b.String()), " "), "Verdicts are corrected so that those on the headline"); told != want {
				t.Errorf("%s, %s: told %t", name, form, told)
			}
		}
	}
}

// A verdict without a corrected interval is told wherever it is shown.
func TestJointVerdictsAreTold(t *testing.T) {
	doc := fixtures()["small"]
	for _, joint := range []bool{false, true} {
		for i := range doc.Findings {
			doc.Findings[i].Verdict.Joint = joint && doc.Findings[i].Verdict.Kind == finding.Costs
		}
		for name, write := range map[string]func(io.Writer, *finding.Document) error{"terminal": terminalForm(0, false, false), "page": HTML, "markdown": Markdown} {
			var b bytes.Buffer
			if err := write(&b, doc); err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(b.String(), "rests on a joint test"); told != joint {
				t.Errorf("%s: joint verdicts %t, told %t", name, joint, told)
			}
		}
	}
}
