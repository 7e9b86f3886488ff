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

// What no sample stands for is held against what as many operations used in the window, as a profiler uses CPU in the process, too.
func TestUnseen(t *testing.T) {
	usage := func(seconds float64) []record.Usage {
		return []record.Usage{{Process: "app", CPUSeconds: seconds}, {Process: "other", CPUSeconds: 9}}
	}
	load := func(n uint64) record.Load { return record.Load{Started: n} }
	one := &record.Profile{Process: "app", Unit: "samples", IntervalSeconds: 1e-3, Program: 1000, Tracer: 500, Runtime: 100}
	for name, test := range map[string]struct {
		again, window float64 // CPU seconds, of 200 and 100 operations
		want          int64
	}{
		"the profiler used some": {again: 3, window: 1, want: 400},
		"it used none":           {again: 2, window: 1.2, want: 400},
		"all was seen":           {again: 1.5, window: 1, want: 0},
	} {
		got := unseenBy(one, &record.Profiled{Load: load(200), Usage: usage(test.again)}, &record.Phase{Load: load(100), Usage: usage(test.window)})
		if got != test.want {
			t.Errorf("%s: %d samples are missing, want %d", name, got, test.want)
		}
	}
	nanoseconds := &record.Profile{Process: "app", Unit: "nanoseconds", Program: 1e9}
	if got := unseenBy(nanoseconds, &record.Profiled{Load: load(200), Usage: usage(3)}, &record.Phase{Usage: usage(1)}); got != 2e9 {
		t.Errorf("of a window without operations %d ns are missing, want 2e9", got)
	}
}
