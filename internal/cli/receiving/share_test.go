package receiving

import "testing"

func TestShareFlag(t *testing.T) {
	for text, want := range map[string]float64{"3%": 0.03, "0.03": 0.03, "33.3%": 0.333, "0": 0, "100%": 1, "1": 1, "1e-3": 0.001} {
		var f shareFlag
		if err := f.Set(text); err != nil || float64(f) != want {
			t.Errorf("%q: %v, error %v; want %v", text, float64(f), err, want)
		}
	}
	for _, text := range []string{"", "%", "3", "-1%", "NaN", "Inf", "three", "3 %%"} {
		var f shareFlag
		if err := f.Set(text); err == nil {
			t.Errorf("%q is taken for %v", text, float64(f))
		}
	}
}
