// Otava's history of results, as it reads it.

package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
)

// otavaOf is a history by column, as Otava's importer reads it: a time, attributes, and a number in every other cell.
func otavaOf(t *testing.T, docs ...*finding.Document) map[string][]float64 {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(otavaText(t, docs...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if rows[0][0] != "time" || rows[0][1] != "commit" || len(rows) != len(docs)+1 {
		t.Fatalf("%d rows, the first %.200v", len(rows), rows[0])
	}
	out := map[string][]float64{}
	for _, row := range rows[1:] {
		if _, err := time.Parse(time.RFC3339, row[0]); err != nil {
			t.Error(err)
		}
		for i := 2; i < len(row); i++ {
			v, err := strconv.ParseFloat(row[i], 64)
			if err != nil || math.IsNaN(v) {
				t.Errorf("%s is %q: %v", rows[0][i], row[i], err)
			}
			out[rows[0][i]] = append(out[rows[0][i]], v)
		}
	}
	return out
}

func otavaText(t *testing.T, docs ...*finding.Document) []byte {
	t.Helper()
	var text bytes.Buffer
	if _, err := Otava(&text, docs); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// Results that have nothing in common make no history.
func TestOtavaOfDifferentResults(t *testing.T) {
	other := small.make()
	other.Experiment.Workload = "hello/python"
	if _, err := Otava(io.Discard, []*finding.Document{small.make(), other}); err == nil || !strings.Contains(err.Error(), "one experiment and workload") {
		t.Errorf("error %v", err)
	}
}

// history is results of thirty days, of which the last ten have a tracer that costs half as much again.
func history(t *testing.T) []*finding.Document {
	t.Helper()
	var docs []*finding.Document
	for day := range 30 {
		doc := small.make()
		doc.Environment = map[string]any{
			"started":  time.Date(2026, 1, 30-day, 12, 0, 0, 0, time.UTC).Format(time.RFC3339Nano), // the newest first
			"checkout": map[string]any{"commit": strings.Repeat(strconv.Itoa(day%10), 40), "dirty": day == 0},
		}
		for i := range doc.Findings {
			f := &doc.Findings[i]
			noise := 1 + float64((day*7+i)%5)*1e-3
			if day < 10 {
				noise *= 1.5
			}
			if f.Relative != nil {
				f.Relative.Estimate *= noise
			}
			f.Value *= noise
		}
		docs = append(docs, doc)
	}
	return docs
}

func TestOtavaRows(t *testing.T) {
	docs := history(t)
	rows, err := csv.NewReader(bytes.NewReader(otavaText(t, docs...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if first, last := rows[1], rows[30]; first[0] != "2026-01-01T12:00:00Z" || last[0] != "2026-01-30T12:00:00Z" || first[1] != strings.Repeat("9", 40) || last[1] != strings.Repeat("0", 40)+"-dirty" {
		t.Errorf("from %v to %v", first[:2], last[:2])
	}
	got := otavaOf(t, docs...)["hello/go/json/otel cpu_per_operation_overhead"]
	if len(got) != 30 || got[29] < got[0]*1.4 {
		t.Errorf("the costs are %v", got)
	}
}

// Otava itself reads the history, and finds the day of the change. scripts/consumers/install has it.
func TestOtava(t *testing.T) {
	otava, err := exec.LookPath(filepath.Join(os.Getenv("TRACETAX_CONSUMERS"), "otava"))
	if err != nil {
		if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
			t.Fatal(err)
		}
		t.Skip("needs otava: see scripts/consumers")
	}
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("history.csv", otavaText(t, history(t)...))
	config := write("otava.yaml", []byte("tests:\n  cost:\n    type: csv\n    file: "+file+"\n    time_column: time\n    attributes: [commit]\n    metrics: [\"hello/go/json/otel cpu_per_operation_overhead\"]\n"))
	command := exec.Command(otava, "analyze", "cost", "--since", "2020-01-01")
	command.Env = append(os.Environ(), "OTAVA_CONFIG="+config)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := string(out); !strings.Contains(text, "2026-01-21") || !strings.Contains(text, "·") && !strings.Contains(text, "%") {
		t.Errorf("Otava says\n%s", text)
	}
}
