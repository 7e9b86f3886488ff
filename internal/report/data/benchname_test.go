package data

import "testing"

// A level is a key of its own in a benchmark's name.
func TestParameterWord(t *testing.T) {
	for _, c := range []struct {
		parameter map[string]string
		want      string
	}{
		{map[string]string{"connections": "4"}, "connections=4"},
		{map[string]string{"rate": "400/s"}, "rate=400"},
		{map[string]string{"depth": "8", "a b": "x/y"}, "a_b=x_y/depth=8"},
		{map[string]string{"op": "1", "k=v": "2"}, "k_v=2/op_=1"},
	} {
		if got := parameterWord(c.parameter); got != c.want {
			t.Errorf("%v: %q, want %q", c.parameter, got, c.want)
		}
	}
}
