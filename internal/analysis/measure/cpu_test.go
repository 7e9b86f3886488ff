package measure

import (
	"math"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

func TestCPUPerOperation(t *testing.T) {
	p := &dataset.Phase{
		Phase: &record.Phase{DrainSeconds: 4, Load: record.Load{Started: 1000, WallSeconds: 10}, Usage: []record.Usage{
			{Process: "a", Role: "app", Seconds: 14, CPUSeconds: 2},
			{Process: "b", Role: "database", Seconds: 14, CPUSeconds: 1},
			{Process: "l", Role: "load", Seconds: 14, CPUSeconds: 100},
		}},
		Idle: map[string]record.Usage{"a": {Seconds: 2, CPUSeconds: 0.2}, "l": {Seconds: 2, CPUSeconds: 1}},
	}
	for role, want := range map[role.Role]float64{"": 2.6e-3, "app": 1.6e-3, "database": 1e-3, "load": 98e-3} {
		if got, _ := CPU(role).Read(nil, p); math.Abs(got-want) > 1e-12 {
			t.Errorf("role %q: %v, want %v: the window's and the drain's CPU, less 4 s at the idle rate", role, got, want)
		}
	}
}
