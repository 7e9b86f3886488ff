// The document to JSON and back, and figures that JSON cannot hold.

package report

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestJSONIsReadBack(t *testing.T) {
	for name, doc := range fixtures() {
		var text bytes.Buffer
		if err := JSON(&text, doc); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(doc, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema": 99}`:    "newer than",
		`{}`:                "no schema version",
		`not JSON`:          "reading findings",
		`{"schema": 1}`:     "older than",
		`{"schema": 3, "fi`: "reading findings",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%s) = %v, want an error with %q", text, err, want)
		}
	}
}

func TestFiguresThatAreNoNumbers(t *testing.T) {
	doc := small.make()
	doc.Findings[0].Value = math.NaN()
	var page bytes.Buffer
	if err := HTML(&page, doc); err == nil || page.Len() > 0 {
		t.Errorf("HTML wrote %d bytes with error %v, want none and an error", page.Len(), err)
	}
	if err := JSON(io.Discard, doc); err == nil {
		t.Error("JSON wrote NaN")
	}
}

// FuzzReports reads any text; what is a document must come out in every form.
func FuzzReports(f *testing.F) {
	var text bytes.Buffer
	if err := JSON(&text, empty()); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes(), uint8(80))
	f.Add([]byte(`{"schema":3,"findings":[{"operation":"a","variant":"b","against":"c","metric":"latency_p50","unit":"s","samples":[{"block":1}]}],
		"ledgers":[{"entries":[{"name":"expected","spans":-5,"low":1,"high":3}]}],"curves":[{"points":[{"percentile":100}]}]}`), uint8(20))
	f.Add([]byte(`{"schema":3,"findings":[{"verdict":{"kind":"x"},"absolute":{"estimate":1e308,"low":-1e308,"high":1e308}}]}`), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, width uint8) {
		doc, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, write := range []error{
			Terminal(io.Discard, doc, TerminalOptions{Width: int(width)}),
			Terminal(io.Discard, doc, TerminalOptions{Color: true, All: true}),
			HTML(io.Discard, doc), CSV(io.Discard, doc), SamplesCSV(io.Discard, doc), Benchfmt(io.Discard, doc),
		} {
			if write != nil {
				t.Error(write)
			}
		}
	})
}
