package finding

import "testing"

// What is of the load of the whole run did less work where any of its operations did.
func TestLostOfTheWholeRun(t *testing.T) {
	d := &Document{
		Lossy:    []Lossy{{Variant: "otel", Operation: "json", LostShare: 0.02}, {Variant: "otel", Operation: "work", LostShare: 0.3}},
		Untraced: []Untraced{{Variant: "dark", Operation: "work"}},
	}
	for _, c := range []struct {
		f        Finding
		share    float64
		untraced bool
	}{
		{Finding{Metric: "memory_peak"}, 0.3, true},
		{Finding{Metric: "memory_mean"}, 0.3, true},
		{Finding{Metric: "startup_time"}, 0, false},
		{Finding{Metric: "cpu_per_operation", Operation: "json"}, 0.02, false},
		{Finding{Metric: "cpu_per_operation", Operation: "work"}, 0.3, true},
	} {
		if got := d.LostShareOf(&c.f, "otel"); got != c.share {
			t.Errorf("%s of %q: %g were lost, want %g", c.f.Metric, c.f.Operation, got, c.share)
		}
		if d.LostShareOf(&c.f, "none") != 0 || d.LostOf(&c.f, "none") != nil {
			t.Errorf("%s of %q: none lost something", c.f.Metric, c.f.Operation)
		}
		if got := d.UntracedIn(&c.f, "dark"); got != c.untraced {
			t.Errorf("%s of %q: untraced is %t", c.f.Metric, c.f.Operation, got)
		}
	}
}
