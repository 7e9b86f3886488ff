package finding

import (
	"math"
	"strings"
	"testing"
)

func TestFormatValue(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{31.24e-6, "s", "31.2 µs"},
		{1.2e-3, "s", "1.20 ms"},
		{999.7e-6, "s", "1.00 ms"},
		{0, "s", "0 s"},
		{-250e-9, "s", "−250 ns"},
		{12.5, "s", "12.5 s"},
		{1200, "bytes", "1.20 kB"},
		{52.4e6, "bytes", "52.4 MB"},
		{0.1214, "1", "12.1 %"},
		{0.00034, "1", "0.0340 %"},
		{498, "1/s", "498/s"},
		{1204, "count", "1,204"},
		{1234567, "count", "1,234,567"},
		{0, "count", "0"},
		{2.5, "furlongs", "2.50 furlongs"},
		{math.NaN(), "s", Missing},
		{math.Inf(1), "s", Missing},
	} {
		if got := FormatValue(c.v, c.unit); got != c.want {
			t.Errorf("FormatValue(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestFormatInterval(t *testing.T) {
	for _, c := range []struct {
		name           string
		mid, low, high float64
		unit           string
		relative       bool
		want           string
	}{
		{"relative", 0.1212, 0.1094, 0.1336, "s", true, "+12.1 % (10.9 to 13.4)"},
		{"ends are rounded outwards", 0.1212, 0.1099, 0.1331, "s", true, "+12.1 % (10.9 to 13.4)"},
		{"wide", 0.58, 0.35, 0.81, "s", true, "+58 % (35 to 81)"},
		{"negative", -0.032, -0.041, -0.023, "s", true, "−3.20 % (−4.10 to −2.30)"},
		{"round zero", 0.0004, -0.012, 0.014, "s", true, "+0.0 % (−1.2 to 1.4)"},
		{"microseconds", 31.2e-6, 30.85e-6, 31.64e-6, "s", false, "+31.20 µs (30.85 to 31.64)"},
		{"one scale for all three", 0.9e-3, 0.5e-3, 1.3e-3, "s", false, "+0.90 ms (0.50 to 1.30)"},
		{"no width", 450, 450, 450, "bytes", false, "+450 B (450 to 450)"},
		{"a share's difference is in points", 0.031, 0.0199, 0.042, "1", false, "+3.1 points (1.9 to 4.2)"},
		{"a share's ratio is not", 0.031, 0.0199, 0.042, "1", true, "+3.1 % (1.9 to 4.2)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FormatInterval(Interval{c.mid, &c.low, &c.high}, c.unit, c.relative); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := FormatInterval(Interval{Estimate: 0.5812}, "s", true); got != "+58.1 %" {
		t.Errorf("without ends: %q", got)
	}
	if got := FormatInterval(Interval{Estimate: 0.0312}, "1", false); got != "+3.12 points" {
		t.Errorf("a difference of shares without ends: %q", got)
	}
}

// An estimate has the digits that it has beside its interval, wherever it stands by itself.
func TestFormatEstimate(t *testing.T) {
	for _, c := range []struct {
		mid, low, high float64
		unit           string
		relative       bool
		want           string
	}{
		{0.0968, 0.033, 0.181, "s", true, "+9.7 %"},
		{0.724, 0.41, 1.06, "s", true, "+72 %"},
		{-0.032, -0.041, -0.023, "s", true, "−3.20 %"},
		{0.031, 0.0199, 0.042, "1", false, "+3.1 points"},
	} {
		i := Interval{c.mid, &c.low, &c.high}
		if got := FormatEstimate(i, c.unit, c.relative); got != c.want || !strings.HasPrefix(FormatInterval(i, c.unit, c.relative), got+" ") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A value is in its own unit, with its interval, where a difference would be in points.
func TestFormatMeasured(t *testing.T) {
	low, high := 0.61, 0.66
	if size, ends := FormatMeasured(Interval{0.64, &low, &high}, "1"); size != "64.0 %" || ends != "(61.0 to 66.0)" {
		t.Errorf("%q %q", size, ends)
	}
}

func TestFormatBoundRoundsUp(t *testing.T) {
	if got := FormatBound(0.01801, "1", false); got != "1.9 points" {
		t.Errorf("a bound on a difference of shares: %q", got)
	}
	for want, v := range map[string]float64{"1.9 %": 0.01801, "1.8 %": 0.018, "12 %": -0.1199, "0.34 %": 0.00334} {
		if got := FormatBound(v, "s", true); got != want {
			t.Errorf("FormatBound(%v) = %q, want %q", v, got, want)
		}
	}
}
