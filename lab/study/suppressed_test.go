// Variants that suppress spans, means over some operations only, and claims that lack results.

package study

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestSuppressedFigures(t *testing.T) {
	s := shop("flask")
	s.change = func(d *finding.Document) {
		d.Suppressed = []finding.Suppressed{{Operation: "db", Variant: "elastic", Share: 0.48, Spans: 1000}, {Operation: "json", Variant: "elastic", Share: 0.82, Spans: 4000}}
	}
	claims := []finding.Claim{{Name: "one", Metric: "cpu_per_operation", Variants: []string{"elastic"}, Operation: []string{"db"}, Above: number(0.5)}}
	got := makeReplication(t, claims, s.document())
	if want := "spans suppressed by the tracer's own limit: elastic up to 82.0 % (flask, json)"; !strings.Contains(got.Summary, want) {
		t.Error(got.Summary)
	}
	for _, r := range got.Tables[0].Rows {
		if want := map[string]float64{"elastic db": 0.48, "elastic json": 0.82}[r.Variant+" "+r.Operation]; r.Suppressed != want {
			t.Errorf("%s on %s: %g", r.Variant, r.Operation, r.Suppressed)
		}
	}
	if len(got.Rankings) != 2 || len(got.Rankings[0].Places) != 2 || len(got.Suppressed) != 2 || got.Suppressed[0].Workload != "flask" {
		t.Errorf("%+v, %+v", got.Rankings, got.Suppressed)
	}
	if c := got.Claims[0]; c.Kind != Confirmed || c.Figures[0].Reason.Code != finding.WhySuppressed || c.Figures[0].Reason.Figure("share") != 0.48 {
		t.Errorf("%+v", c)
	}
}

// Means of variants are of the same operations, those that all of them have, and say what they lack.
func TestMeansSayWhatTheyLack(t *testing.T) {
	lame := shop("flask")
	lame.base["query"], lame.ratio["otel"]["query"], lame.ratio["elastic"]["query"] = 1e-3, 1.2, 1.3
	lame.change = func(d *finding.Document) {
		d.Findings = slices.DeleteFunc(d.Findings, func(f finding.Finding) bool { return f.Operation == "query" && f.Variant == "otel" })
	}
	for _, m := range makeReplication(t, nil, lame.document(), shop("gin").document()).Means {
		var want []string
		if m.Workload != "gin" && m.Operation == "" {
			want = []string{"flask, query"}
		}
		if !slices.Equal(m.Without, want) {
			t.Errorf("%s of %q, %q: without %q", m.Variant, m.Workload, m.Operation, m.Without)
		}
	}
}

// All means that stand beside each other are of the same cells: also over all workloads, and of one operation.
func TestMeansBesideEachOtherAreOfTheSame(t *testing.T) {
	lossy := shop("flask")
	lossy.change = func(d *finding.Document) {
		d.Lossy = []finding.Lossy{{Operation: "db", Variant: "otel", LostShare: 0.3}}
	}
	only := shop("spring") // a variant that no other workload has
	only.order = append(only.order, "java-agent")
	only.ratio["java-agent"] = map[string]float64{"db": 1.1, "json": 1.2}
	cells := map[string][]string{}
	variants := map[string]int{}
	for _, m := range makeReplication(t, nil, lossy.document(), shop("gin").document(), only.document()).Means {
		key := m.Workload + "/" + m.Operation
		variants[key]++
		if before, seen := cells[key]; seen && !slices.Equal(before, m.Cells) {
			t.Errorf("beside each other: a mean over %q, and of %s over %q", before, m.Variant, m.Cells)
		}
		cells[key] = m.Cells
	}
	for key, want := range map[string][]string{
		"/":       {"flask, json", "gin, db", "gin, json", "spring, db", "spring, json"},
		"/db":     {"gin, db", "spring, db"},
		"/json":   {"flask, json", "gin, json", "spring, json"},
		"flask/":  {"flask, db", "flask, json"}, // otel, with one operation, has no mean
		"spring/": {"spring, db", "spring, json"},
	} {
		if !slices.Equal(cells[key], want) {
			t.Errorf("%s: means over %q, want %q", key, cells[key], want)
		}
	}
	if variants["/"] != 2 || variants["flask/"] != 1 || variants["spring/"] != 3 {
		t.Errorf("variants with a mean: %v", variants)
	}
}

// The tracer of a variant is that of the first result which has it.
func TestTracersOfAReplication(t *testing.T) {
	first, second := shop("flask").document(), shop("gin").document()
	first.Experiment.Variants[1].Tracer, second.Experiment.Variants[1].Tracer = "otel-python", "otel-go"
	if got, want := makeReplication(t, nil, first, second).Tracers, map[string]string{"none": "none", "otel": "otel-python", "elastic": "elastic"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestClaimsSayWhichResultsTheyNeed(t *testing.T) {
	claims := []finding.Claim{
		{Name: "one", Metric: "cpu_per_operation", Workloads: []string{"flask"}, Above: number(0)},
		{Name: "two", Metric: "cpu_per_operation", Workloads: []string{"flask", "gin"}, Above: number(0)},
		{Name: "three", Metric: "cpu_per_operation", Workloads: []string{"gin", "express"}, Above: number(0)},
	}
	got := makeReplication(t, claims, shop("flask").document())
	if want := "of 3 claims 1 confirmed (one), 2 cannot be told (two, three; 2 of them are about workloads without a result: gin, express)"; !strings.Contains(strings.ToLower(got.Summary), want) {
		t.Error(got.Summary)
	}
	if !slices.Equal(got.Claims[1].Needs, []string{"gin"}) || len(got.Claims[0].Needs) > 0 {
		t.Errorf("%+v", got.Claims)
	}
}

// What was not traced, or was compared at no common rate, is in no order, mean or claim.
func TestIdleFigures(t *testing.T) {
	claims := []finding.Claim{{Name: "cheap", Metric: "cpu_per_operation", Variants: []string{"otel"}, Operation: []string{"db"}, Below: number(5)}}
	for reason, change := range map[string]func(*finding.Document){
		"untraced otel": func(d *finding.Document) { d.Untraced = []finding.Untraced{{Variant: "otel", Operation: "db"}} },
		"untraced none": func(d *finding.Document) { d.Untraced = []finding.Untraced{{Variant: "none", Operation: "db"}} },
		"other-rates ": func(d *finding.Document) {
			d.Findings[0].Uncompared, d.Findings[0].Absolute, d.Findings[0].Relative = true, nil, nil
		},
	} {
		s := shop("flask")
		s.change = change
		got := makeReplication(t, claims, s.document())
		if c := got.Claims[0]; c.Kind != Open || string(c.Figures[0].Reason.Code)+" "+c.Figures[0].Reason.Variant != reason {
			t.Errorf("%s: %+v", reason, c)
		}
		for _, m := range got.Means {
			if m.Variant == "otel" {
				t.Errorf("%s: a mean %+v", reason, m)
			}
		}
	}
}

// Of one result, of which nothing was published, the replication says what the result says.
func TestReplicationOfOneResult(t *testing.T) {
	s := shop("flask")
	s.change = func(d *finding.Document) {
		d.Lossy = []finding.Lossy{{Operation: "db", Variant: "otel", LostShare: 0.3}}
		d.Experiment.LeftOut = []finding.LeftOut{{Variant: "inspectit", Reason: "it cannot be had"}}
	}
	if got := makeReplication(t, nil, s.document()).Summary; got != "It costs something; 1 variant left out." {
		t.Error(got)
	}
}
