// The paragraph for documentation.

package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
)

func pasted(t *testing.T, doc *finding.Document) string {
	t.Helper()
	var text bytes.Buffer
	if err := Paste(&text, doc); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// One table with every variant, the method and the machine, and nothing that must be unfolded.
func TestPaste(t *testing.T) {
	for name, doc := range fixtures() {
		t.Run(name, func(t *testing.T) {
			text := pasted(t, doc)
			golden(t, name+".paste.md", []byte(text))
			if strings.Contains(text, "<details>") {
				t.Error("something is folded away")
			}
			if tables := strings.Count(text, "\n| :--"); tables > 1 {
				t.Errorf("%d tables", tables)
			}
			if !strings.Contains(text, "### How it was measured") {
				t.Error("it does not say how it was measured")
			}
		})
	}
	doc := ladder.make()
	doc.Environment["cpu_model"] = "a processor"
	text := pasted(t, doc)
	for _, v := range doc.Experiment.Variants {
		if strings.Count(text, "| "+v.Name+" |") != len(doc.Experiment.Operations) {
			t.Errorf("variant %s is not in every operation's rows:\n%s", v.Name, text)
		}
	}
	if !strings.Contains(text, "API only") || !strings.Contains(text, "a processor") || !strings.Contains(text, "10 blocks were made") {
		t.Errorf("what is compared, where, or how is missing:\n%s", text)
	}
}

// The day is that of the measurement: an analysis may come later, and none is named where it is not known.
func TestPasteDay(t *testing.T) {
	doc := small.make()
	doc.Created, doc.Environment = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), map[string]any{"tool": "1.2.3", "started": "2026-01-02T03:04:05.678Z"}
	if text := pasted(t, doc); !strings.Contains(text, "Measured by tracetax 1.2.3 on 2026-01-02") {
		t.Error(text)
	}
	delete(doc.Environment, "started")
	if text := pasted(t, doc); !strings.Contains(text, "Measured by tracetax 1.2.3.") {
		t.Error(text)
	}
	doc.Runs.Blocks = 1
	if text := pasted(t, doc); !strings.Contains(text, "1 block was made, which ran every variant once,") {
		t.Error(text)
	}
}

// A cost that cannot be told is not shown as one.
func TestPasteInconclusive(t *testing.T) {
	doc := small.make()
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Headline {
			bound := 0.9
			f.Verdict.Kind, f.Verdict.Bound = finding.NoDifference, &bound
		}
	}
	if text := pasted(t, doc); strings.Count(text, "inconclusive: ") != len(doc.Experiment.Operations) {
		t.Error(text)
	}
	doc = untracedAt(true, small.operations...)
	if text := pasted(t, doc); !strings.Contains(text, "⛔") {
		t.Errorf("no alarm:\n%s", text)
	}
}
