package record

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMinus(t *testing.T) {
	before := Counts{Spans: 10, Duplicate: 1, Orphans: 3, Services: map[string]uint64{"a": 10}}
	after := Counts{Spans: 25, Duplicate: 3, Orphans: 2, Services: map[string]uint64{"a": 10, "b": 15}, Checking: true}
	want := Counts{Spans: 15, Duplicate: 2, Orphans: 2, Services: map[string]uint64{"b": 15}, Checking: true}
	if diff := cmp.Diff(want, after.Minus(before)); diff != "" {
		t.Error(diff)
	}
	if got := after.Minus(before).Unique(); got != 13 {
		t.Errorf("Unique = %d, want 13", got)
	}
	if after.Services["a"] != 10 {
		t.Error("Minus changed its operand")
	}
}

func TestHistogramRoundTrip(t *testing.T) {
	h := NewHistogram()
	for v := int64(1000); v < 1_000_000; v += 777 {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	back, err := encoded.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if back.TotalCount() != h.TotalCount() || back.ValueAtQuantile(99) != h.ValueAtQuantile(99) {
		t.Errorf("came back as %d values, p99 %d; was %d, %d", back.TotalCount(), back.ValueAtQuantile(99), h.TotalCount(), h.ValueAtQuantile(99))
	}
	if _, err := Histogram("rubbish").Decode(); err == nil {
		t.Error("rubbish was decoded")
	}
}

// Records of before the word was renamed are read; those who know only that one refuse newer records.
func TestOldRecords(t *testing.T) {
	text := `{"schema": 1, "life": {"forgone": 5}}` + "\n" + `{"schema": 2, "life": {"suppressed": 6}}` + "\n"
	records, _, err := read(strings.NewReader(text), "runs.jsonl")
	if err != nil || len(records) != 2 || records[0].Life.Suppressed != 5 || records[1].Life.Suppressed != 6 {
		t.Errorf("%+v, %v", records, err)
	}
	if Schema < 2 {
		t.Errorf("records have schema %d, whose readers look for forgone spans", Schema)
	}
}

func TestOldWordForSuppressed(t *testing.T) {
	for text, want := range map[string]uint64{`{"spans": 7, "forgone": 5}`: 5, `{"spans": 7, "suppressed": 6}`: 6, `{"spans": 7}`: 0} {
		var p struct{ Sink Counts }
		if err := json.Unmarshal([]byte(`{"sink": `+text+`}`), &p); err != nil || p.Sink.Suppressed != want || p.Sink.Spans != 7 {
			t.Errorf("%s: %+v, %v", text, p.Sink, err)
		}
	}
	if text, err := json.Marshal(Counts{Suppressed: 5}); err != nil || strings.Contains(string(text), "forgone") {
		t.Errorf("%s, %v", text, err)
	}
}
