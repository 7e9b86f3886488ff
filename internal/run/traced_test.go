package run

import "testing"

// What grew between two readings is known only of two in a row, of one process.
func TestTracedSince(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	for _, c := range []struct{ before, now, want *uint64 }{
		{n(3), n(10), n(7)}, {n(3), n(3), n(0)}, {nil, n(10), nil}, {n(3), nil, nil}, {n(10), n(3), nil}, {nil, nil, nil},
	} {
		got := since(c.before, c.now)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("from %v to %v: %v, want %v", c.before, c.now, got, c.want)
		}
	}
}
