package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A table that does not have what a picture shows is told by its name and by what to do, and a picture is drawn of one that does.
func TestTables(t *testing.T) {
	const (
		header = "workload,operation,variant,metric,cost,cost_low,cost_high,lossy,series,published_cost\n"
		otel   = "shop,buy,otel,capacity,0.5,0.4,0.6,true,\"table 1, x\",0.7\n"
		stage  = "shop,buy,otel,capacity,0.5,0.4,0.6,,,\n"
		all    = "shop,buy,otel,cpu_per_operation,0.5,0.4,0.6,,,\n"
	)
	changed := func(from, to string) string { return header + strings.Replace(otel, from, to, 1) }
	and := func(from, to string) string { return header + otel + strings.Replace(otel, from, to, 1) }
	bars := picture{
		name: "shop", table: "shop", want: row{"metric": "capacity"}, column: "cost", times: 100, unit: "%", columns: 1, label: 100,
		published: []series{{"published", "table 1"}}, panels: []part{{}},
	}
	whole := picture{name: "shop", column: "cost", label: 100, stacks: []stack{{
		unit: "%", times: 100, parts: each("metric", 1, "capacity"), rows: []part{{table: "shop", want: row{"variant": "otel"}}},
	}}}
	for name, c := range map[string]struct {
		p     picture
		table string
		says  []string // nil: it can be drawn
	}{
		"all is there":        {bars, header + otel, nil},
		"two series":          {bars, and("table 1, x", "table 1, y"), nil},
		"no interval":         {bars, changed("0.4,0.6", ","), nil},
		"no figure":           {bars, changed("0.5,0.4,0.6", ",,"), nil},
		"no row":              {bars, header, []string{"drawing shop", "the table shop has no row with map[metric:capacity]", "pictures.go"}},
		"no column":           {bars, "workload,cost\nshop,1\n", []string{"the table shop has no row"}},
		"no table":            {bars, "", []string{"reading the table shop", "no such file"}},
		"no CSV":              {bars, header + "\"\n", []string{"reading the table shop"}},
		"no number":           {bars, changed("0.5", "half"), []string{`"half" for cost of shop|buy||otel|capacity`, "write it anew"}},
		"no published number": {bars, changed("0.7", "much"), []string{`"much" for published_cost`}},
		"half an interval":    {bars, changed("0.6", ""), []string{`"" for cost_high`}},
		"another figure":      {bars, and("0.5", "0.55"), []string{"several rows for one bar", "pictures.go"}},
		"another operation":   {bars, and("buy", "sell"), []string{"one bar, shop|buy||otel|capacity and shop|sell||otel|capacity"}},
		"another tracer":      {bars, changed("otel", "new-fast"), []string{"the variant new-fast", `add "new" to tracers`}},
		"another series":      {bars, changed("table 1", "table 2"), []string{`published figures of "table 2, x"`, "add it to published"}},
		"the whole":           {whole, header + stage + all, nil},
		"no whole":            {whole, header + stage, []string{"no row with map[metric:cpu_per_operation variant:otel]"}},
		"whole, no interval": {whole, header + stage + strings.Replace(all, "0.4,0.6", ",", 1),
			[]string{"no interval for shop|buy||otel|cpu_per_operation", "measure more blocks"}},
	} {
		folder := t.TempDir()
		if c.table != "" {
			if err := os.WriteFile(filepath.Join(folder, "shop.csv"), []byte(c.table), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		svg, err := c.p.draw(folder)
		if c.says == nil && (err != nil || !strings.Contains(svg, "</svg>")) {
			t.Errorf("%s: %v", name, err)
		}
		for _, says := range c.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, and not %q", name, err, says)
			}
		}
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		low, high, beyond float64
		ticks             []float64
	}{
		{-80, 12, 0, []float64{-80, -60, -40, -20, 0}},
		{0, 0.9, 0, []float64{0, 0.2, 0.4, 0.6000000000000001, 0.8}},
		{2, 2, 0, []float64{0, 0.5, 1, 1.5, 2}},
		{0, 0, 0, []float64{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}},
		{-30, 600, 20, []float64{-20, 0, 20, 100, 500}},
	} {
		a := newAxis(100, 400, c.low, c.high, "%", c.beyond)
		if !slices.Equal(a.ticks, c.ticks) {
			t.Errorf("from %g to %g, ticks at %v, want %v", c.low, c.high, a.ticks, c.ticks)
		}
		if left, right := a.at(min(c.low, 0)), a.at(max(c.high, 0)); left != 100 || right != 400 && c.high != c.low {
			t.Errorf("from %g to %g is from %g to %g", c.low, c.high, left, right)
		}
	}
	a := newAxis(0, 300, -160, 160, "%", 20)
	for _, same := range [][3]float64{{40, 80, 160}, {0, 10, 20}, {-160, -80, -40}} { // beyond 20 each doubling takes as much room
		one, other := a.at(same[1])-a.at(same[0]), a.at(same[2])-a.at(same[1])
		if one <= 0 || one-other > 1e-9 || other-one > 1e-9 {
			t.Errorf("%g to %g takes %g, to %g takes %g", same[0], same[1], one, same[2], other)
		}
	}
}
