package config

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// TestWarmups: a warm-up is given, or found by a pilot.
func TestWarmups(t *testing.T) {
	for text, want := range map[string][2]time.Duration{
		"5s":        {5 * time.Second, 0},
		"0s":        {0, 0},
		"auto":      {0, DefaultWarmupMost},
		"auto..1m":  {0, time.Minute},
		"auto.. 5s": {0, 5 * time.Second},
	} {
		e := parseOne(t, small+"load: {warmup: "+text+"}")
		if got := [2]time.Duration{e.Load.Warmup, e.Load.WarmupMost}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		roundTrip(t, e)
	}
	e := parseOne(t, small+"load: {rate: 5/s, warmup: 20s at 600/min}")
	if e.Load.Warmup != 20*time.Second || e.Load.WarmupRate != 10 || e.Load.WarmupMost != 0 {
		t.Errorf("faster than the load: %+v", e.Load)
	}
	if got := e.Summary(); !strings.Contains(got, "after 20s of warm-up at up to 10/s") {
		t.Error(got)
	}
	roundTrip(t, e)
	e = parseOne(t, small+"load: {warmup: auto}")
	if got := e.Summary(); !strings.Contains(got, "for 10s after a warm-up that a pilot finds, at most 30s") {
		t.Error(got)
	}
}

func TestBadWarmups(t *testing.T) {
	for load, want := range map[string]string{
		"load: {warmup: automatic}":                 `"automatic" is not a warm-up; write auto, or auto..60s`,
		"load: {warmup: 5s at}":                     "is not a duration",
		"load: {rate: 5/s, warmup: 5s at noon}":     `"noon" is not a rate`,
		"load: {connections: 5, warmup: 5s at 9/s}": "a warm-up faster than the load (5s at 9/s) is for requests at a rate, and this load has none",
		"load: {warmup: auto..}":                    "is not a duration",
		"load: {warmup: auto..1s}":                  "1s is out of range: 5s to 10m",
		"load: {warmup: auto..1h}":                  "1h is out of range: 5s to 10m",
		"load: {warmup: auto, rate: 3/s}":           `operation "home": 3/s for 30s is under 100 operations, too few to see when they get steady; write how long the warm-up is, or allow more (warmup: auto..1m)`,
		"load: {warmup: auto, rate: [500/s, 1/s]}":  `operation "home": 1/s for 30s is under 100 operations`,
	} {
		_, err := ParseExperiment("shop.yaml", ".", []byte(small+load), builtIn())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", load, err, want)
		}
	}
}

// TestWarmupOverridden: a flag says another warm-up, and a quick run finds none.
func TestWarmupOverridden(t *testing.T) {
	e := parseOne(t, small)
	if e.Quicken(); e.Load.Warmup != program.Requests.Row().QuickWarmup || e.Load.WarmupMost != 0 {
		t.Errorf("quick: %+v", e.Load)
	}
}

// TestWarmupOfTheWorkload: what a workload needs counts where the experiment says nothing.
func TestWarmupOfTheWorkload(t *testing.T) {
	slow := strings.Replace(small, "processes:", "warmup_all: 60s, processes:", 1)
	for load, want := range map[string]struct{ whole, quick time.Duration }{
		"":                                    {time.Minute, quickWarmupAll},
		"load: {rate: 10/s, warmup: 1s}":      {time.Minute, quickWarmupAll},
		"load: {rate: 10/s, warmup_all: 0s}":  {0, 0},
		"load: {rate: 10/s, warmup_all: 20s}": {20 * time.Second, quickWarmupAll},
	} {
		e := parseOne(t, slow+load)
		if e.Load.WarmupAll != want.whole {
			t.Errorf("%s: %v of warm-up of all, want %v", load, e.Load.WarmupAll, want.whole)
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if again := parseOne(t, string(text)); again.Load.WarmupAll != want.whole {
			t.Errorf("%s: written and read again: %v, want %v", load, again.Load.WarmupAll, want.whole)
		}
		if e.Quicken(); e.Load.WarmupAll != want.quick {
			t.Errorf("%s: quick: %v, want %v", load, e.Load.WarmupAll, want.quick)
		}
	}
	e := parseOne(t, small)
	if e.Load.WarmupAll != 0 || strings.Contains(e.Load.warmupSummary(), "all") {
		t.Errorf("%+v", e.Load)
	}
}

// TestWarmupAllOfItself: a self-driving program is not asked in turn.
func TestWarmupAllOfItself(t *testing.T) {
	_, err := program.ParseWorkload("w.yaml", "w", []byte("self: true\nwarmup_all: 9s\nprocesses: [{name: app, run: [x]}]\noperations: {call: {drive: {depth: 5}}}\n"))
	if err == nil || !strings.Contains(err.Error(), "asked by requests") {
		t.Errorf("error %v", err)
	}
}

// TestLowest: the level of a sweep at which the least is done.
func TestLowest(t *testing.T) {
	for _, test := range []struct {
		load Load
		want map[string]string
	}{
		{Load{Rate: 5}, nil},
		{Load{Rates: []float64{300, 100, 200}}, map[string]string{"rate": "100/s"}},
		{Load{Levels: []int{8, 2}}, map[string]string{"connections": "2"}},
		{Load{Depths: []int{8, 2}}, map[string]string{"depth": "2"}},
		{Load{Crowds: []int{4, 1}}, map[string]string{"threads": "1"}},
	} {
		got := test.load.Lowest().Parameter
		for name, value := range test.want {
			if got[name] != value {
				t.Errorf("%+v: %v, want %v", test.load, got, test.want)
			}
		}
		if len(got) != len(test.want) {
			t.Errorf("%+v: %v, want %v", test.load, got, test.want)
		}
	}
}

// TestWarmupOfCompiling: a program that is compiled while it runs has a longer one, with more operations than a low rate gives,
// unless somebody has said how long it is.
func TestWarmupOfCompiling(t *testing.T) {
	in := func(language string) string {
		return strings.Replace(small, "python", language, 1)
	}
	for _, c := range []struct {
		language, load string
		want, quick    string
	}{
		{"java", "", "1m at 1000/s", "20s at 1000/s"},
		{"dotnet", "", "10s at 1000/s", "10s at 1000/s"},
		{"node", "load: {rate: 60/s}", "6s at 1000/s", "6s at 1000/s"},
		{"java", "load: {rate: 1700/s}", "1m", "20s"},
		{"java", "load: {rate: [1700/s, 80/s]}", "1m at 1000/s", "20s at 1000/s"},
		{"java", "load: {connections: 8}", "1m", "20s"},
		{"java", "load: {warmup: 5s}", "5s", "5s"},
		{"java", "load: {warmup: 5s at 90/s}", "5s at 90/s", "5s at 90/s"},
		{"java", "load: {warmup_all: 30s}", "3s", "500ms"},
		{"python", "", "3s", "500ms"},
	} {
		e := parseOne(t, in(c.language)+c.load)
		if got := e.Load.warmupText(); got != c.want {
			t.Errorf("%s, %s: %s of warm-up, want %s", c.language, c.load, got, c.want)
		}
		roundTrip(t, e)
		if e.Quicken(); e.Load.warmupText() != c.quick {
			t.Errorf("%s, %s: quick, %s of warm-up, want %s", c.language, c.load, e.Load.warmupText(), c.quick)
		}
	}
}
