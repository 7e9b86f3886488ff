package main

import "testing"

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{3: {3}, 2.5: {4, 1, 2, 3}, 2: {9, 1, 2}} {
		if got := median(values); got != want {
			t.Errorf("median of %v is %v, want %v", values, got, want)
		}
	}
}

func TestPlanIsChecked(t *testing.T) {
	if _, err := parse([]string{"-tracetax", "x", "-protocols", "http"}); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{
		{}, {"-tracetax", "x", "-protocols", "udp"}, {"-tracetax", "x", "-rounds", "0"},
		{"-tracetax", "x", "-connections", "0"}, {"-tracetax", "x", "-spans", "511"},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q: accepted", args)
		}
	}
}
