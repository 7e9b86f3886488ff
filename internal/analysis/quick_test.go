package analysis_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Who makes a quick run looks for latency_p99, and is told why it is not there.
func TestQuickRunsWithoutP99(t *testing.T) {
	for operations, want := range map[int]bool{1999: true, 2000: false} {
		s := twoVariants()
		s.quick = true
		s.change = func(r *record.Record) {
			h := record.NewHistogram()
			for range operations {
				if err := h.RecordValue(1e6); err != nil {
					t.Fatal(err)
				}
			}
			encoded, err := record.EncodeHistogram(h)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Phases {
				r.Phases[i].Load.Latency, r.Phases[i].OfferedRate = encoded, 100
			}
		}
		said := false
		for _, w := range analyse(t, s.input()).Warnings {
			said = said || w.Code == "quick" && strings.Contains(w.Text, "too few operations for latency_p99")
		}
		if said != want {
			t.Errorf("%d operations: said %t", operations, said)
		}
	}
}
