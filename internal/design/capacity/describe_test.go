package capacity

import "testing"

func TestPerSecond(t *testing.T) {
	for rate, want := range map[float64]string{
		28534: "28,530/s", 28500: "28,500/s", 39190: "39,190/s", 1234567: "1,235,000/s", 999.96: "1,000/s", 1000: "1,000/s",
		97: "97/s", 62.17: "62.17/s", 148.63: "148.6/s", 0.25: "0.25/s", 0.0123456: "0.01235/s", 0: "0/s",
	} {
		if got := perSecond(rate); got != want {
			t.Errorf("%g: %s, want %s", rate, got, want)
		}
	}
}
