package finding

import (
	"math"
	"slices"
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
		{"microseconds", 31.2e-6, 30.85e-6, 31.64e-6, "s", false, "+31.2 µs (30.8 to 31.7)"},
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

func TestFormatAlike(t *testing.T) {
	within := func(v, half float64) Interval {
		low, high := v-half, v+half
		return Interval{Estimate: v, Low: &low, High: &high}
	}
	alone := func(v float64) Interval { return Interval{Estimate: v} }
	for name, test := range map[string]struct {
		in         []Interval
		unit       string
		relative   bool
		difference bool
		want       []string
	}{
		"a step of the unit": {[]Interval{within(400e-6, 120e-6), within(438e-6, 9e-6), within(1.4e-3, 120e-6)}, "s", false, true, []string{"+0.40 ms", "+0.44 ms", "+1.40 ms"}},
		"decimals":           {[]Interval{within(434.5, 1), within(434, 0.1)}, "bytes", false, true, []string{"+434 B", "+434 B"}},
		"ratios":             {[]Interval{within(0.62, 0.02), within(-0.757, 0.002)}, "s", true, true, []string{"+62.0 %", "−75.7 %"}},
		"shares":             {[]Interval{alone(0.64), alone(0.031)}, "1", false, false, []string{"64.0 %", "3.1 %"}},
		"points":             {[]Interval{alone(0.64), alone(-0.031)}, "1", false, true, []string{"+64.0 points", "−3.1 points"}},
		"values":             {[]Interval{alone(999e-6), alone(1.02e-3)}, "s", false, false, []string{"1.00 ms", "1.02 ms"}},
		"none in one":        {[]Interval{alone(0), alone(61.13)}, "bytes", false, true, []string{"0.0 B", "+61.1 B"}},
		"nothing":            {[]Interval{alone(0), alone(0)}, "s", false, true, []string{"0 s", "0 s"}},
		"no number":          {[]Interval{alone(math.NaN()), alone(1)}, "s", false, false, []string{"–", "1.00 s"}},
	} {
		if got := FormatAlike(test.in, test.unit, test.relative, test.difference); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// What is of the load of the whole run did less work where any of its operations did.
func TestLostOfTheWholeRun(t *testing.T) {
	d := &Document{
		Lossy:    []Lossy{{Variant: "otel", Operation: "json", LostShare: 0.02}, {Variant: "otel", Operation: "work", LostShare: 0.3}},
		Untraced: []Untraced{{Variant: "dark", Operation: "work"}},
	}
	for _, c := range []struct {
		f        Finding
		share    float64
		untraced bool
	}{
		{Finding{Metric: "memory_peak"}, 0.3, true},
		{Finding{Metric: "memory_mean"}, 0.3, true},
		{Finding{Metric: "startup_time"}, 0, false},
		{Finding{Metric: "cpu_per_operation", Operation: "json"}, 0.02, false},
		{Finding{Metric: "cpu_per_operation", Operation: "work"}, 0.3, true},
	} {
		if got := d.LostShareOf(&c.f, "otel"); got != c.share {
			t.Errorf("%s of %q: %g were lost, want %g", c.f.Metric, c.f.Operation, got, c.share)
		}
		if d.LostShareOf(&c.f, "none") != 0 || d.LostOf(&c.f, "none") != nil {
			t.Errorf("%s of %q: none lost something", c.f.Metric, c.f.Operation)
		}
		if got := d.UntracedIn(&c.f, "dark"); got != c.untraced {
			t.Errorf("%s of %q: untraced is %t", c.f.Metric, c.f.Operation, got)
		}
	}
}

func TestLost(t *testing.T) {
	depth := func(d string) map[string]string { return map[string]string{"depth": d} }
	doc := &Document{
		Lossy: []Lossy{
			{Operation: "call", Variant: "otel", Parameter: depth("2"), LostShare: 0.3}, {Operation: "call", Variant: "otel", Parameter: depth("8"), LostShare: 0.9},
			{Operation: "call", Variant: "otel", Parameter: depth("16"), LostShare: 0.5}, {Operation: "json", Variant: "otel", LostShare: 0.1},
		},
		Untraced: []Untraced{{Variant: "elastic", Operation: "json"}, {Variant: "kieker", Operation: "json"}, {Variant: "kieker"}},
	}
	for _, c := range []struct {
		operation string
		parameter map[string]string
		variant   string
		want      float64
	}{
		{"call", depth("2"), "otel", 0.3}, {"call", depth("4"), "otel", 0}, {"call", nil, "otel", 0.9}, // a line over all levels: the worst
		{"json", nil, "otel", 0.1}, {"json", map[string]string{}, "otel", 0.1}, {"json", nil, "elastic", 0}, {"", nil, "otel", 0},
	} {
		if got := doc.LostShare(c.operation, c.parameter, c.variant); got != c.want {
			t.Errorf("%s of %s at %v: %g, want %g", c.variant, c.operation, c.parameter, got, c.want)
		}
	}
	for of, want := range map[[2]string]bool{{"elastic", "json"}: true, {"elastic", ""}: false, {"kieker", ""}: true, {"otel", "json"}: false} {
		if got := doc.IsUntraced(of[0], of[1]); got != want {
			t.Errorf("%s: %t", of, got)
		}
	}
	for f, want := range map[*Finding]bool{
		{Operation: "json", Variant: "kieker", Against: "none"}: true, {Operation: "json", Variant: "otel", Against: "kieker"}: true,
		{Operation: "call", Variant: "kieker", Against: "none"}: false, {Variant: "kieker", Against: "none"}: true, {Variant: "elastic", Against: "none"}: false,
	} {
		if got := doc.NotTracing(f); got != want {
			t.Errorf("%+v: %t", f, got)
		}
	}
}

func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[35mpurple\x1b[0m words":              "purple words",
		"\x1b[1;31;48;5;12mx\x1b[m":                "x",
		"\x1b]0;a title\x07after":                  "after",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"[35m is no sequence by itself":            "[35m is no sequence by itself",
		"plain":                                    "plain",
		"\x1b[2K\x1b[1Ggone":                       "gone",
	} {
		if got := PlainText(text); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMetricName(t *testing.T) {
	for metric, want := range map[string]string{
		"latency_mean": "latency mean", "latency_p75": "latency p75", "latency_p999": "latency p99.9", "cpu_per_operation": "CPU per operation", "made_up_metric": "made up metric",
	} {
		if got := MetricName(metric); got != want {
			t.Errorf("%s is %q, want %q", metric, got, want)
		}
	}
}
