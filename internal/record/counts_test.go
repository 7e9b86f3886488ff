package record

import (
	"reflect"
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

// Every count takes part in differences and sums: a field that is forgotten there would
// be lost from every phase of a run.
func TestEveryCountTakesPart(t *testing.T) {
	states := map[string]bool{"Orphans": true}
	fields := reflect.TypeFor[Counts]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Type.Kind() != reflect.Uint64 || states[f.Name] {
			continue
		}
		var before, after Counts
		reflect.ValueOf(&before).Elem().Field(i).SetUint(2)
		reflect.ValueOf(&after).Elem().Field(i).SetUint(7)
		if got := reflect.ValueOf(after.Minus(before)).Field(i).Uint(); got != 5 {
			t.Errorf("%s: 7 − 2 is %d", f.Name, got)
		}
		if got := reflect.ValueOf(after.Plus(before)).Field(i).Uint(); got != 9 {
			t.Errorf("%s: 7 + 2 is %d", f.Name, got)
		}
	}
}
