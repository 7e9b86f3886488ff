package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestOverrideLoad(t *testing.T) {
	const second = time.Second
	before := Load{Rate: 100, Connections: 256, Duration: second, Warmup: second}
	for name, test := range map[string]struct {
		flags Override
		want  Load
		bad   string
	}{
		"nothing":     {want: before},
		"rate":        {flags: Override{Rate: "600/min"}, want: Load{Rate: 10, Connections: 256, Duration: second, Warmup: second}},
		"times":       {flags: Override{Duration: "3s", Warmup: "0s"}, want: Load{Rate: 100, Connections: 256, Duration: 3 * second}},
		"closed loop": {flags: Override{Connections: "4"}, want: Load{Connections: 4, Duration: second, Warmup: second}},
		"both":        {flags: Override{Rate: "5/s", Connections: "4"}, want: Load{Rate: 5, Connections: 4, Duration: second, Warmup: second}},
		"rates":       {flags: Override{Rate: "5/s, 10/s"}, want: Load{Rates: []float64{5, 10}, Connections: 256, Duration: second, Warmup: second}},
		"levels":      {flags: Override{Connections: "1,8"}, want: Load{Levels: []int{1, 8}, Duration: second, Warmup: second}},
		"relative": {flags: Override{Rate: "40% of slowest", Capacity: "p99=20ms"}, want: Load{
			Relative:    &Relative{Share: 0.4, Search: RateSearch{Goal: GoalLatency, Percentile: 99, Limit: 20 * time.Millisecond, Method: MethodFit, Resolution: 0.02}},
			Connections: 256, Duration: second, Warmup: second}},
		"capacity": {flags: Override{Capacity: "cpu=60%,from=50/s"}, want: Load{
			Capacity:    &RateSearch{Goal: GoalCPU, CPU: 0.6, From: 50, Method: MethodFit, Resolution: 0.02},
			Connections: 256, Duration: second, Warmup: second}},
		"a rate of the longer window": {flags: Override{Rate: "3/min", Duration: "1m"}, want: Load{Rate: 0.05, Connections: 256, Duration: time.Minute, Warmup: second}},
		"no rate":                     {flags: Override{Rate: "fast"}, bad: `--rate fast: "fast" is not a rate`},
		"no length":                   {flags: Override{Duration: "0s"}, bad: "--duration 0s: 0s is out of range"},
		"negative":                    {flags: Override{Connections: "-1"}, bad: "--connections -1: -1 is out of range"},
		"no goal":                     {flags: Override{Capacity: "from=5/s"}, bad: "--capacity from=5/s: capacity needs a goal"},
		"no value":                    {flags: Override{Capacity: "cpu"}, bad: `--capacity cpu: "cpu" is not KEY=VALUE`},
		"two kinds":                   {flags: Override{Capacity: "cpu=75%", Rate: "5/s"}, bad: "--capacity cpu=75%: the search for a capacity chooses the rates itself"},
		"never in the window":         {flags: Override{Rate: "0.5/s"}, bad: "--rate 0.5/s: 0.5/s for 1s is no operation"},
	} {
		e := &Experiment{Load: before}
		err := e.OverrideLoad(test.flags)
		if test.bad != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.bad) {
				t.Errorf("%s: %v, want %s", name, err, test.bad)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(e.Load, test.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, e.Load, err, test.want)
		}
	}
}

// TestOverrideLoadTakesThePlace: what kind of load it was is forgotten.
func TestOverrideLoadTakesThePlace(t *testing.T) {
	e := &Experiment{Load: Load{Levels: []int{1, 2}, Duration: time.Second}}
	if err := e.OverrideLoad(Override{Rate: "5/s"}); err != nil || e.Load.Levels != nil || e.Load.Rate != 5 || e.Load.Connections != DefaultConnections {
		t.Errorf("%+v, %v", e.Load, err)
	}
	e = &Experiment{Load: Load{Capacity: &RateSearch{}, Connections: 7, Duration: time.Second}}
	if err := e.OverrideLoad(Override{Rate: "5/s"}); err != nil || e.Load.Capacity != nil || e.Load.Connections != 7 {
		t.Errorf("%+v, %v", e.Load, err)
	}
}

func TestOverrideDesign(t *testing.T) {
	fixed := Design{Blocks: 12, Seed: 3}
	open := Design{Blocks: 9, Most: 20, Precision: 0.03, Metric: "latency_p99", Seed: 3}
	for name, test := range map[string]struct {
		before            Design
		blocks, precision string
		want              Design
		bad               string
	}{
		"nothing":           {before: open, want: open},
		"a number":          {before: fixed, blocks: "7", want: Design{Blocks: 7, Seed: 3}},
		"a number for open": {before: open, blocks: "7", want: Design{Blocks: 7, Seed: 3}},
		"a precision":       {before: fixed, precision: "2%", want: Design{Blocks: 8, Most: 30, Precision: 0.02, Metric: "cpu_per_operation", Seed: 3}},
		"another precision": {before: open, precision: "2% of p50", want: Design{Blocks: 9, Most: 20, Precision: 0.02, Metric: "latency_p50", Seed: 3}},
		"another range":     {before: open, blocks: "8..40", want: Design{Blocks: 8, Most: 40, Precision: 0.03, Metric: "latency_p99", Seed: 3}},
		"both":              {before: fixed, blocks: "10..40", precision: "1%", want: Design{Blocks: 10, Most: 40, Precision: 0.01, Metric: "cpu_per_operation", Seed: 3}},
		"range alone":       {before: fixed, blocks: "8..40", bad: "--blocks 8..40: 8..40 blocks need a precision to stop at"},
		"number, precision": {before: fixed, blocks: "12", precision: "2%", bad: "--precision 2%: a precision needs the least and the most blocks"},
		"none":              {before: fixed, blocks: "0", bad: "--blocks 0: 0 is out of range: 1 to 1000"},
		"quick precision":   {before: Design{Blocks: 6, Quick: true}, precision: "2%", want: Design{Blocks: 8, Most: 30, Precision: 0.02, Metric: "cpu_per_operation", Quick: true}},
		"unknown metric":    {before: fixed, precision: "2% of cup", bad: `--precision '2% of cup': unknown metric of a precision "cup"; did you mean "cpu"?`},
		"not a percentage":  {before: fixed, precision: "2", bad: "--precision 2: 2 would be 200%; write 2%"},
	} {
		e := &Experiment{Design: test.before, Load: Load{Rate: 5}}
		err := e.OverrideDesign(test.blocks, test.precision)
		if test.bad != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.bad) {
				t.Errorf("%s: %v, want %s", name, err, test.bad)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(e.Design, test.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, e.Design, err, test.want)
		}
	}
}
