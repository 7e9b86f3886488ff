package config

import (
	"strings"
	"testing"
	"time"
)

// TestWindows: as many as make up the duration, each as long as it needs to be.
func TestWindows(t *testing.T) {
	const second = time.Second
	for name, test := range map[string]struct {
		load      Load
		operation Operation
		delay     time.Duration
		number    int
		length    time.Duration
	}{
		"the shortest":                   {Load{Rate: 1000, Duration: second}, Operation{}, 0, 10, second / 10},
		"twenty operations":              {Load{Rate: 50, Duration: 2 * second}, Operation{}, 0, 4, second / 2},
		"the operation's own rate":       {Load{Rate: 1000, Duration: 2 * second}, Operation{Rate: 50}, 0, 4, second / 2},
		"five delays":                    {Load{Rate: 1000, Duration: 4 * second}, Operation{}, second / 5, 4, second},
		"an even number":                 {Load{Rate: 1000, Duration: 3500 * time.Millisecond}, Operation{}, second / 5, 2, 1750 * time.Millisecond},
		"a delay that is too long":       {Load{Rate: 1000, Duration: 5 * second}, Operation{}, 5 * second, 1, 5 * second},
		"a closed loop":                  {Load{Connections: 4, Duration: second}, Operation{}, 0, 10, second / 10},
		"calls":                          {Load{Calls: 2_000_000, Duration: 10 * second}, Operation{}, 0, 10, 10 * second},
		"few calls":                      {Load{Calls: 4500, Duration: 10 * second}, Operation{}, 0, 4, 10 * second},
		"calls, whose time is not known": {Load{Calls: 2_000_000, Duration: 10 * second}, Operation{}, second, 1, 10 * second},
	} {
		if number, length := test.load.Windows(test.operation, test.delay); number != test.number || length != test.length {
			t.Errorf("%s: %d windows of %v, want %d of %v", name, number, length, test.number, test.length)
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
		e.Settle()
		if why := e.Beside(); (e.Design.Order == Windows) != (want == "") || !strings.Contains(why, want) || (want == "") != (why == "") {
			t.Errorf("%s: %s (%s), want %s", text, e.Design.Order, why, want)
		}
		e.Design.Order = Windows
		if err := e.Check(); (err != nil) != (want != "") {
			t.Errorf("%s: in windows: %v", text, err)
		}
	}
}
