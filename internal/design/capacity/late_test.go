package capacity

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// A small lag at the percentile does not make the generator the limit where the
// service fails by itself just above, wherever the probes happen to lie.
func TestServiceFailsJustAboveALateProbe(t *testing.T) {
	late := 0
	for i := range 40 {
		s := New(from(finely(p99), 100+3*float64(i)), Options{Duration: 10 * time.Second})
		c := find(t, s, service{cpu: linear(0, 0.001), queue: true, most: 1000, tail: 0.001}, 1)
		if c.Outcome != record.Found || c.Rate < 735 || c.Rate > 770 || c.Binding != bindsQuota ||
			c.Failing < 769.7 || c.Failing > c.Rate*1.0401 {
			t.Errorf("from %d/s", 100+3*i)
			show(t, c)
		}
		for j := range c.Probes {
			if p := &c.Probes[j]; s.failedByGenerator(p) {
				late++
			}
		}
	}
	if late == 0 {
		t.Error("no probe was late: nothing was tested")
	}
}
