package analysis

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/spec"
)

// Where operations have rates of their own, the load's is not what they were asked at.
func TestLoadOfOwnRates(t *testing.T) {
	e := &spec.Experiment{
		Load:       spec.Load{Rate: 60, Duration: 2 * time.Second},
		Operations: []spec.Operation{{Name: "json", Rate: 1500}, {Name: "home"}},
	}
	if got := loadOf(e); got != "1500 (json) and 60 (home) operations/s for 2s, open loop" {
		t.Error(got)
	}
	e.Operations[0].Rate = 0
	if got := loadOf(e); got != "60 operations/s for 2s, open loop" {
		t.Error(got)
	}
}
