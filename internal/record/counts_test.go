package record

import "testing"

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		shapes Shapes
		want   bool
	}{
		{nil, true},
		{Shapes{"a": {2: 5}, "b": {3: 1}}, true},
		{Shapes{"a": {2: 5, 4: 0}}, true}, // they were before
		{Shapes{"a": {2: 5, 4: 1}}, false},
	} {
		if got := c.shapes.Alike(); got != c.want {
			t.Errorf("%v: %t", c.shapes, got)
		}
	}
}
