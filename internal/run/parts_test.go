package run

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

func TestAwaited(t *testing.T) {
	known := map[string]program.Number{"one": {Low: 1, High: 1}, "four": {Low: 4, High: 4}, "varies": {Low: 1, High: 3}, "mix": {Low: 1, High: 4}}
	parts := func(second string) []record.Part {
		return []record.Part{{Operation: "one", Started: 30, Completed: 29}, {Operation: second, Started: 20, Completed: 20}}
	}
	for name, test := range map[string]struct {
		operation string
		parts     []record.Part
		sampling  float64
		want      float64
	}{
		"all sampled":       {"one", nil, 1, 50},
		"none sampled":      {"one", nil, 0, -1},
		"sampled by chance": {"one", nil, 0.5, -1},
		"varying":           {"varies", nil, 1, -1},
		"unknown":           {"other", nil, 1, -1},
		"a mix":             {"mix", parts("four"), 1, 110},
		"a mix that varies": {"mix", parts("varies"), 1, -1},
		"a mix as a whole":  {"mix", nil, 1, -1},
	} {
		s := &stage{request: Request{Plan: &config.Plan{Sampling: test.sampling}, Spans: known}}
		if got := s.awaited(test.operation, record.Load{Started: 50, Parts: test.parts}); got != test.want {
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
