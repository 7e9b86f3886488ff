package config

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// TestWindows: as many as make up the duration, each as long as it needs to be.
func TestWindows(t *testing.T) {
	const second = time.Second
	for name, test := range map[string]struct {
		design    Design
		load      Load
		operation program.Operation
		delay     time.Duration
		number    int
		length    time.Duration
		driver    program.Driver
	}{
		"the shortest":                  {Design{}, Load{Rate: 1000, Duration: second}, program.Operation{}, 0, 10, second / 10, ""},
		"twenty operations":             {Design{}, Load{Rate: 50, Duration: 2 * second}, program.Operation{}, 0, 4, second / 2, ""},
		"the operation's own rate":      {Design{}, Load{Rate: 1000, Duration: 2 * second}, program.Operation{Rate: 50}, 0, 4, second / 2, ""},
		"two delays":                    {Design{}, Load{Rate: 1000, Duration: 4 * second}, program.Operation{}, second / 2, 4, second, ""},
		"the design's":                  {Design{Window: second}, Load{Rate: 1000, Duration: 4 * second}, program.Operation{}, 0, 4, second, ""},
		"the design's, with a delay":    {Design{Window: second / 5}, Load{Rate: 1000, Duration: 4 * second}, program.Operation{}, second, 20, second / 5, ""},
		"the design's, at a low rate":   {Design{Window: second / 5}, Load{Rate: 20, Duration: 4 * second}, program.Operation{}, 0, 4, second, ""},
		"an even number":                {Design{}, Load{Rate: 1000, Duration: 3500 * time.Millisecond}, program.Operation{}, second / 2, 2, 1750 * time.Millisecond, ""},
		"a delay that is too long":      {Design{}, Load{Rate: 1000, Duration: 5 * second}, program.Operation{}, 5 * second, 1, 5 * second, ""},
		"a closed loop":                 {Design{}, Load{Connections: 4, Duration: second}, program.Operation{}, 0, 10, second / 10, ""},
		"calls":                         {Design{}, Load{Calls: 2_000_000, Duration: 10 * second}, program.Operation{}, 0, 20, second / 2, program.SelfDriving},
		"calls, of a tracer that waits": {Design{}, Load{Calls: 2_000_000, Duration: 10 * second}, program.Operation{}, 5 * second, 20, second / 2, program.SelfDriving},
		"few calls":                     {Design{}, Load{Calls: 4500, Duration: 10 * second}, program.Operation{}, 0, 4, 2500 * time.Millisecond, program.SelfDriving},
		"calls for two seconds":         {Design{}, Load{Calls: 200_000, Duration: 2 * second}, program.Operation{}, second, 4, second / 2, program.SelfDriving},
		"calls for as long as it takes": {Design{}, Load{Duration: second}, program.Operation{}, second, 2, second / 2, program.SelfDriving},
		"calls in shorter windows":      {Design{Window: second / 10}, Load{Duration: second}, program.Operation{}, second, 10, second / 10, program.SelfDriving},
		"calls at a rate":               {Design{}, Load{Rate: 1000, Duration: 4 * second}, program.Operation{}, second / 2, 4, second, program.SelfDriving},
		"so many calls at a rate":       {Design{}, Load{Rate: 4000, Calls: 8000, Duration: 10 * second}, program.Operation{}, second / 4, 4, 10 * second, program.SelfDriving},
		"few calls at a rate":           {Design{}, Load{Rate: 4000, Calls: 2000, Duration: 10 * second}, program.Operation{}, second, 1, 10 * second, program.SelfDriving},
	} {
		e := Experiment{Design: test.design, Workload: &program.Workload{Driver: test.driver}}
		if number, length := e.Windows(test.load, test.operation, test.delay); number != test.number || length != test.length {
			t.Errorf("%s: %d windows of %v, want %d of %v", name, number, length, test.number, test.length)
		}
	}
}

// Variants have their load at once, and in turn for latency, wherever there is a rate that they can have at once.
func TestOwnOrder(t *testing.T) {
	for load, want := range map[string]Order{
		"load: {rate: 100/s}":                    Paired,
		"load: {rate: [100/s, 200/s]}":           Paired,
		"load: {rate: 50% of slowest}":           Paired,
		"load: {connections: 4}":                 Windows,
		"load: {capacity: {cpu: 75%}}":           Windows,
		"load: {rate: 100/s, arrivals: poisson}": Paired,
	} {
		e := parseOne(t, "workload: {processes: [{name: a, run: [x, '{port}']}], operations: {o: {request: GET /}}}\nvariants: {none: , b: {env: {A: '1'}}}\n"+load+"\n")
		if e.ChooseOrder(); e.Design.Order != want {
			t.Errorf("%s: order %s, want %s", load, e.Design.Order, want)
		}
	}
	for load, want := range map[string]Order{
		"load: {rate: 1000/s}":             Paired,
		"load: {rate: 1000/s, calls: 200}": Windows,
		"load: {calls: 200}":               Windows,
		"load: {duration: 5s}":             Windows,
		"load: {rate: 1/s}\nsamples: true": Windows,
	} {
		e := parseOne(t, "workload: calls/go\nvariants: {none: , b: {env: {A: '1'}}}\n"+load+"\n")
		if e.ChooseOrder(); e.Design.Order != want {
			t.Errorf("calls, %s: order %s, want %s", load, e.Design.Order, want)
		}
	}
}

// TestBeside: it is said of variants that cannot live beside each other why.
func TestBeside(t *testing.T) {
	const variants = "\nvariants: {none: , b: {env: {A: '1'}}}\n"
	for text, want := range map[string]string{
		"workload: {processes: [{name: a, run: [x, '{port}']}], operations: {o: {request: GET /}}}":                                        "",
		"workload: {processes: [{name: a, run: [x]}], operations: {o: {request: 'GET http://127.0.0.1:8080/'}}}":                           "127.0.0.1:8080",
		"workload: {processes: [{name: a, run: [x]}], operations: {o: {request: 'GET http://[::1]:8080/'}}}":                               "[::1]:8080",
		"workload: {processes: [{name: a, run: [x, '{port}'], ready: 'tcp://localhost:81'}], operations: {o: {request: GET /}}}":           "localhost:81",
		"workload: {processes: [{name: a, run: [x, '{port}'], ready: 'log:at http://127.0.0.1:8080'}], operations: {o: {request: GET /}}}": "",
		"workload: {prepare: [x], processes: [{name: a, run: [x, '{port}']}], operations: {o: {request: GET /}}}":                          "prepare",
	} {
		e := parseOne(t, text+variants)
		e.ChooseOrder()
		if why := e.Beside(); (e.Design.Order == Paired) != (want == "") || !strings.Contains(why, want) || (want == "") != (why == "") {
			t.Errorf("%s: %s (%s), want %s", text, e.Design.Order, why, want)
		}
		e.Design.Order = Windows
		if err := e.Check(); (err != nil) != (want != "") {
			t.Errorf("%s: in windows: %v", text, err)
		}
	}
}

// TestWindowOfADesign: a window is written as it is read, and refused where there are none.
func TestWindowOfADesign(t *testing.T) {
	for design, good := range map[string]bool{
		"design: {order: windows, window: 400ms}":                    true,
		"design: {window: 400ms}":                                    true,
		"design: {order: woven, window: 400ms}":                      false,
		"design: {order: apart, window: 400ms}":                      false,
		"design: {window: 400ms}\nload: {capacity: {p99: 10ms}}":     false,
		"design: {order: windows, window: 99ms}":                     false,
		"design: {order: windows, window: 400ms}\nload: {rate: 9/s}": true,
	} {
		es, err := ParseExperiment("x.yaml", ".", []byte(small+design+"\n"), builtIn())
		if err == nil {
			es[0].ChooseOrder()
			err = es[0].Check()
		}
		if (err == nil) != good {
			t.Errorf("%s: %v", design, err)
			continue
		}
		if !good {
			continue
		}
		text, err := es[0].YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseExperiment("x.yaml", ".", text, builtIn())
		if err != nil || again[0].Design.Window != 400*time.Millisecond {
			t.Errorf("%s: written and read again: %v, %v", design, again, err)
		}
	}
}
