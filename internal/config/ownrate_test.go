package config

import (
	"strings"
	"testing"
)

// ratesOf are the rates at which the operations are asked, by what they have of their own.
func ratesOf(e *Experiment) [2]float64 {
	return [2]float64{e.Operations[0].Rate, e.Operations[1].Rate}
}

// What an experiment says of the pace wins over the rates that a built-in
// workload has for its operations, and a search sets out from them.
func TestOwnRatesYield(t *testing.T) {
	const gohttp = "workload: requests/gohttp\noperations: [json, updates]\nvariants: {none: , otel: }\n"
	own := ratesOf(parseOne(t, gohttp))
	if own[0] <= own[1] || own[1] <= 0 {
		t.Fatalf("json and updates have the rates %v", own)
	}
	for name, test := range map[string]struct {
		load string
		want [2]float64
	}{
		"no load":         {"", own},
		"only times":      {"load: {duration: 9s, warmup: 1s}", own},
		"a search":        {"load: {capacity: {cpu: 75%}, connections: 8}", own},
		"a relative rate": {"load: {rate: 50% of slowest}", own},
		"a rate":          {"load: {rate: 30/s}", [2]float64{}},
		"rates":           {"load: {rate: [30/s, 40/s]}", [2]float64{}},
		"connections":     {"load: {connections: 2}", [2]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			e := parseOne(t, gohttp+test.load)
			if got := ratesOf(e); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
			if err := e.Check(); err != nil {
				t.Error(err)
			}
			roundTrip(t, e)
		})
	}
}

// In a workload of your own both rates are the user's: the operation's wins.
func TestOwnRateOfYourOwnWins(t *testing.T) {
	e := parseOne(t, strings.Replace(small, "home: GET /,", "home: {request: GET /, rate: 7/s},", 1)+"\nload: {rate: 30/s}\n")
	if got := ratesOf(e); got != [2]float64{7, 0} {
		t.Errorf("%v", got)
	}
	if text := e.Summary(); !strings.Contains(text, "at 7/s, 30/s for") {
		t.Error(text)
	}
	roundTrip(t, e)
}
