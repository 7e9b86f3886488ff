package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What came between two moments adds up with what came before, also where a trace had begun
// before.
func TestShapesOverTime(t *testing.T) {
	before := Counts{Absent: 3, Shapes: Shapes{"a": {2: 5, 3: 10}, NoRoot: {1: 1}}}
	after := Counts{Absent: 1, Shapes: Shapes{"a": {2: 4, 3: 12}, "b": {1: 7}}}
	between := after.Minus(before)
	want := Counts{Absent: -2, Shapes: Shapes{"a": {2: -1, 3: 2}, "b": {1: 7}, NoRoot: {1: -1}}}
	if diff := cmp.Diff(want, between); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(after, before.Plus(between)); diff != "" {
		t.Error(diff)
	}
	if traces, spans := between.Shapes.Traces("a"); traces != 1 || spans != 4 {
		t.Errorf("%d traces with %d spans, want 1 with 4", traces, spans)
	}
}
