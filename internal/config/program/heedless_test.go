package program

import "testing"

// Bun runs programs of Node without what NODE_OPTIONS names; one that starts another by Node leaves the tracer to that.
func TestHeedless(t *testing.T) {
	for _, c := range []struct {
		language string
		programs []string
		want     string
	}{
		{"node", []string{"bun"}, "bun"}, {"node", []string{"sh", "bun"}, "bun"}, {"node", []string{"bun", "node"}, ""}, {"node", []string{"bun", "nodejs"}, ""},
		{"node", []string{"node"}, ""}, {"python", []string{"bun"}, ""}, {"", []string{"bun"}, ""}, {"node", nil, ""},
	} {
		if got := Heedless(c.language, c.programs); got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.language, c.programs, got, c.want)
		}
	}
}
