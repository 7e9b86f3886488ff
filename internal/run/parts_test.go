package run

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

func TestAwaited(t *testing.T) {
	known := map[string]config.Number{"one": {Low: 1, High: 1}, "varies": {Low: 1, High: 3}}
	for name, test := range map[string]struct {
		operation string
		sampling  float64
		want      float64
	}{
		"all sampled":       {"one", 1, 50},
		"none sampled":      {"one", 0, -1},
		"sampled by chance": {"one", 0.5, -1},
		"varying":           {"varies", 1, -1},
		"unknown":           {"other", 1, -1},
	} {
		s := &stage{request: Request{Plan: &config.Plan{Sampling: test.sampling}, Spans: known}}
		if got := s.awaited(test.operation, 50); got != test.want {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// A drain does not end on spans of other work, nor where more may come.
func TestAllCame(t *testing.T) {
	s := &stage{request: Request{Begun: record.Begun{Roots: map[string]int{"GET /": 3}}}}
	for name, test := range map[string]struct {
		shapes record.Shapes
		want   bool
	}{
		"all":                              {record.Shapes{"GET /": {3: 10}}, true},
		"one is missing":                   {record.Shapes{"GET /": {3: 9, 2: 1}}, false},
		"one is missing beside a timer's":  {record.Shapes{"GET /": {3: 9, 2: 1}, "tick": {1: 5}}, false},
		"all, beside a timer's":            {record.Shapes{"GET /": {3: 10}, "tick": {1: 5}}, true},
		"as many, of operations that vary": {record.Shapes{"GET /": {3: 8, 2: 1, 4: 1}}, false},
	} {
		c := record.Counts{Checking: true, Spans: uint64(test.shapes.Spans()), Shapes: test.shapes}
		if got := s.allCame(c, 30); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
