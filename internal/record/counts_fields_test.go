package record

import (
	"reflect"
	"testing"
)

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
