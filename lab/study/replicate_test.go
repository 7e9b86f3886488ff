package study

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// published is flask with what a study says of it.
func published() *finding.Document {
	doc := shop("flask").document()
	for operation, values := range map[string][3]float64{"db": {1, 1.5, 1.3}, "json": {1, 2.0, 2.4}} {
		for i, v := range []string{"none", "otel", "elastic"} {
			publish(doc, operation, v, 100e-6*values[i], "")
		}
	}
	publish(doc, "json", "otel", 150e-6, "raw-log mean")
	return doc
}

func TestTables(t *testing.T) {
	s := makeReplication(t, nil, published())
	if len(s.Tables) != 1 || len(s.Tables[0].Rows) != 6 || len(s.Series) != 2 || s.Series[1].Name != "published, raw-log mean" {
		t.Fatalf("%+v %+v", s.Tables, s.Series)
	}
	rows := s.Tables[0].Rows
	if r := rows[0]; r.Variant != "none" || r.Cost != nil || math.Abs(r.Value.Estimate/200e-6-1) > 0.1 || r.Published[0].Cost != nil || r.Published[0].Value != 100e-6 {
		t.Errorf("%+v", r)
	}
	otel := rows[1]
	if p := otel.Published[0]; otel.Operation != "db" || math.Abs(*p.Cost-0.5) > 1e-9 || !*p.Within {
		t.Errorf("%+v", p)
	}
	if p := rows[2].Published[0]; math.Abs(*p.Cost-0.3) > 1e-9 || *p.Within {
		t.Errorf("a published cost far off: %+v", p)
	}
	raw := rows[4].Published[1]
	if raw.Series != 1 || raw.Cost != nil || raw.Within != nil {
		t.Errorf("a series without a baseline has a cost: %+v", raw)
	}
	if want := "of 4 published costs"; !strings.Contains(s.Summary, "3 "+want) {
		t.Error(s.Summary)
	}
}

// A metric that is over the baseline by definition is compared as it is.
func TestPublishedSlopes(t *testing.T) {
	doc := shop("calls/java").document()
	low, high := 300e-9, 330e-9
	slope := finding.Finding{Operation: "db", Variant: "otel", Against: "none", Metric: "slope", Unit: "s", Better: "lower", Blocks: 8,
		Absolute: &finding.Interval{Estimate: 315e-9, Low: &low, High: &high}}
	for b := range 8 {
		slope.Samples = append(slope.Samples, finding.Sample{Block: b + 1, Value: 315e-9 + float64(b)*1e-9})
	}
	dear := slope
	dear.Variant, dear.Absolute = "elastic", &finding.Interval{Estimate: 700e-9, Low: &low, High: &high}
	doc.Findings = append(doc.Findings, slope, dear)
	for v, value := range map[string]float64{"otel": 320e-9, "elastic": 400e-9} {
		doc.Experiment.Published = append(doc.Experiment.Published, finding.Published{Source: "x", Operation: "db", Variant: v, Metric: "slope", Value: value})
	}
	s := makeReplication(t, nil, doc)
	table := s.Tables[len(s.Tables)-1]
	if strings.Contains(s.Summary, "published costs") { // nanoseconds of another machine
		t.Error(s.Summary)
	}
	if table.Metric != "slope" || len(table.Rows) != 2 || !*table.Rows[0].Published[0].Within || *table.Rows[1].Published[0].Within || table.Rows[0].Cost != nil {
		t.Errorf("%+v", table)
	}
}

func TestRankings(t *testing.T) {
	shop := shop("calls/java")
	shop.order = []string{"a", "b", "c", "d", "e"}
	shop.base = map[string]float64{"call": 1e-6}
	shop.ratio = map[string]map[string]float64{"a": {"call": 3}, "b": {"call": 1.5}, "c": {"call": 1.501}, "d": {"call": 2}, "e": {"call": 1.1}}
	doc := shop.document()
	doc.Lossy = []finding.Lossy{{Operation: "call", Variant: "e", LostShare: 0.5}}
	for v, value := range map[string]float64{"none": 1, "a": 3, "b": 1.6, "c": 2.6, "d": 2, "e": 1.1} {
		publish(doc, "call", v, value, "")
	}
	s := makeReplication(t, nil, doc)
	if len(s.Rankings) != 1 {
		t.Fatalf("%+v", s.Rankings)
	}
	r := s.Rankings[0]
	var order, letters []string
	var theirs []int
	for _, p := range r.Places {
		order, letters, theirs = append(order, p.Variant), append(letters, p.Groups), append(theirs, p.Published[0])
	}
	first := strings.Join(order[:2], " ")
	if (first != "b c" && first != "c b") || strings.Join(order[2:], " ") != "d a" || strings.Join(letters, " ") != "a a b c" {
		t.Errorf("%q %q", order, letters)
	}
	if len(theirs) != 4 || theirs[3] != 4 || theirs[2] != 2 {
		t.Errorf("%v", theirs)
	}
	if len(r.Taus) != 1 || r.Taus[0].Variants != 4 || math.Abs(r.Taus[0].Tau-4.0/6) > 1e-9 && math.Abs(r.Taus[0].Tau-2.0/6) > 1e-9 {
		t.Errorf("%+v", r.Taus)
	}
	if strings.Join(r.Swapped, "") != "c costs less than d here, and more in published" {
		t.Errorf("%q", r.Swapped)
	}
	if len(s.Lossy) != 1 || s.Lossy[0].Workload != "calls/java" {
		t.Errorf("%+v", s.Lossy)
	}
}

// The more of a good thing is the cheaper.
func TestRankingsOfWhatIsToBeHigh(t *testing.T) {
	s := shop("flask")
	s.metric, s.better = "throughput", "higher"
	s.ratio = map[string]map[string]float64{"otel": {"db": 0.8, "json": 0.8}, "elastic": {"db": 0.5, "json": 0.5}}
	r := makeReplication(t, nil, s.document()).Rankings[0]
	if r.Places[0].Variant != "otel" || r.Places[0].Groups != "a" || r.Places[1].Groups != "b" {
		t.Errorf("%+v", r.Places)
	}
}

func TestGroupLetters(t *testing.T) {
	near := func(gap float64) func(x []float64) []string {
		return func(x []float64) []string {
			return groupLetters(len(x), func(i, j int) bool { return math.Abs(x[i]-x[j]) > gap })
		}
	}
	for _, c := range []struct {
		x    []float64
		want string
	}{
		{[]float64{1, 5, 9}, "a b c"}, {[]float64{1, 1.5, 2}, "a a a"}, {[]float64{1, 1.8, 2.6}, "a ab b"},
		{[]float64{1, 1.5, 2.2, 2.9, 9}, "a ab bc c d"}, {nil, ""},
	} {
		if got := strings.Join(near(1)(c.x), " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.x, got, c.want)
		}
	}
}

func TestMeans(t *testing.T) {
	s := makeReplication(t, nil, published(), shop("spring").document())
	means := map[string]Mean{}
	for _, m := range s.Means {
		means[m.Workload+" "+m.Operation+" "+m.Variant] = m
	}
	if len(means) != 10 || len(s.Means) != 10 { // two variants: on two workloads, over both, and on two operations over both
		t.Fatalf("%+v", s.Means)
	}
	m := means["flask  otel"]
	if m.Operations != 2 || math.Abs(m.Arithmetic-0.75) > 0.02 || math.Abs(m.Geometric.Estimate-(math.Sqrt(3)-1)) > 0.02 || m.Geometric.Low == nil || m.Blocks != 8 {
		t.Errorf("%+v %+v", m, m.Geometric)
	}
	if len(m.Published) != 1 || math.Abs(m.Published[0].Value-0.75) > 1e-9 {
		t.Errorf("%+v", m.Published)
	}
	if m := means["  elastic"]; m.Operations != 4 || math.Abs(m.Geometric.Estimate-(math.Sqrt(1.8*2.4)-1)) > 0.03 || len(m.Published) > 0 {
		t.Errorf("%+v", m)
	}
	if m := means["flask  otel"]; math.Abs(m.Baseline/125e-6-1) > 0.1 || math.Abs(m.Value/200e-6-1) > 0.1 || m.Unit != "s" || !slices.Equal(m.Cells, []string{"flask, db", "flask, json"}) {
		t.Errorf("the means of the values: %+v", m)
	}
	if m := means[" json elastic"]; m.Operations != 2 || math.Abs(m.Geometric.Estimate-1.4) > 0.03 || math.Abs(m.Baseline/50e-6-1) > 0.1 || math.Abs(m.Value/120e-6-1) > 0.1 {
		t.Errorf("json over both workloads: %+v", m)
	}
}

// The studies' own mean weighs operations by their values, and is held against what was
// published as such a mean, and nothing else is.
func TestRatioOfMeans(t *testing.T) {
	document := func() *finding.Document {
		doc := shop("flask").document()
		for i, v := range []string{"none", "otel", "elastic"} {
			publish(doc, "", v, []float64{167.5, 167.5 * 1.6, 90}[i], "mean over all")
		}
		return doc
	}
	s := makeReplication(t, nil, document(), shop("spring").document())
	for _, m := range s.Means {
		if m.Operation != "" {
			continue // of one operation there is nothing to weigh
		}
		truth := map[string]float64{"otel": (200*1.5+50*2)/250. - 1, "elastic": (200*1.8+50*2.4)/250. - 1}[m.Variant]
		if i := m.OfMeans; i == nil || i.Low == nil || math.Abs(i.Estimate-truth) > 0.03 || *i.Low > truth+0.01 || *i.High < truth-0.01 || m.Blocks != 8 {
			t.Errorf("%+v: want %g", m, truth)
		}
		if (m.Workload == "flask") != (len(m.PublishedOfMeans) == 1) || len(m.Published) > 0 {
			t.Errorf("%+v", m)
			continue
		}
		if m.Workload != "flask" {
			continue
		}
		if p := m.PublishedOfMeans[0]; math.Abs(*p.Cost-map[string]float64{"otel": 0.6, "elastic": 90/167.5 - 1}[m.Variant]) > 1e-9 || *p.Within != (m.Variant == "otel") {
			t.Errorf("%+v", p)
		}
	}
	for _, table := range s.Tables {
		for _, row := range table.Rows {
			if len(row.Published) > 0 {
				t.Errorf("a published mean beside the operation %s alone: %+v", row.Operation, row)
			}
		}
	}
	if want := "1 of 2 published costs"; !strings.Contains(s.Summary, want) {
		t.Error(s.Summary)
	}
	doc := document() // json could not be measured with otel: our mean would be of another set of operations
	doc.Findings = slices.DeleteFunc(doc.Findings, func(f finding.Finding) bool { return f.Operation == "json" && f.Variant == "otel" })
	for _, m := range makeReplication(t, nil, doc).Means {
		if m.Variant == "otel" && len(m.PublishedOfMeans) > 0 {
			t.Errorf("%+v", m)
		}
	}
}

// Over several workloads every operation weighs the same, however many a workload has.
func TestRatioOfMeansOverWorkloads(t *testing.T) {
	flask, spring := shop("flask"), shop("spring")
	flask.noise, spring.noise = 0, 0
	spring.base = map[string]float64{"db": 200e-6}
	want, n := (2*200*1.5+50*2)/(2*200+50.)-1, 0
	for _, m := range makeReplication(t, nil, flask.document(), spring.document()).Means {
		if m.Workload == "" && m.Operation == "" && m.Variant == "otel" {
			if n++; math.Abs(m.OfMeans.Estimate-want) > 0.005 {
				t.Errorf("%+v, want %g", m.OfMeans, want)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d means", n)
	}
}

func TestRatios(t *testing.T) {
	spring := shop("spring")
	spring.ratio = map[string]map[string]float64{"otel": {"db": 1.2, "json": 1.2}, "elastic": {"db": 1.2, "json": 1.2}}
	s := makeReplication(t, nil, shop("flask").document(), spring.document())
	want := map[string]float64{
		"elastic/otel flask": 0.2, "elastic/otel spring": 0, "elastic/otel ": math.Sqrt(1.2) - 1,
		"spring/flask otel": 1.2/math.Sqrt(3) - 1, "spring/flask elastic": 1.2/math.Sqrt(1.8*2.4) - 1,
	}
	if len(s.Ratios) != len(want) {
		t.Errorf("%d ratios", len(s.Ratios))
	}
	for _, r := range s.Ratios {
		name := r.Over + "/" + r.Under + " " + r.Workload + r.Variant
		truth, known := want[name]
		if !known || r.Ratio.Low == nil || math.Abs(r.Ratio.Estimate-truth) > 0.02 || *r.Ratio.Low > truth+0.01 || *r.Ratio.High < truth-0.01 {
			t.Errorf("%s: %+v, want %g", name, r.Ratio, truth)
		}
	}
}

// Experiments over one workload stand beside each other, and nothing is averaged over them.
func TestExperimentsOfOneWorkload(t *testing.T) {
	named := func(name string) *finding.Document {
		d := shop("flask").document()
		d.Experiment.Name = name
		return d
	}
	s := makeReplication(t, nil, named("base"), named("deep"), shop("spring").document())
	tables := map[string]bool{}
	for _, table := range s.Tables {
		tables[table.Workload] = true
	}
	if want := map[string]bool{"flask, base": true, "flask, deep": true, "spring": true}; !maps.Equal(tables, want) {
		t.Errorf("tables of %v", tables)
	}
	for _, m := range s.Means {
		if m.Workload == "" {
			t.Errorf("a mean over experiments: %+v", m)
		}
	}
	for _, r := range s.Ratios {
		if r.Workload == "" {
			t.Errorf("a ratio over experiments: %+v", r)
		}
	}
	if len(s.Means) == 0 || len(s.Ratios) == 0 {
		t.Error("there is none of each by itself either")
	}
	claims := []finding.Claim{{Name: "x", Metric: "cpu_per_operation", Above: number(0)}}
	if _, err := Make(Input{Results: []*finding.Document{named("base"), named("deep")}, Claims: claims}); err == nil || !strings.Contains(err.Error(), "replicate each experiment") {
		t.Errorf("with claims: %v", err)
	}
}

func TestWhatCannotBeAStudy(t *testing.T) {
	if _, err := Make(Input{}); err == nil {
		t.Error("nothing is a replication")
	}
	doc := shop("flask").document()
	if _, err := Make(Input{Results: []*finding.Document{doc, doc}}); err == nil || !strings.Contains(err.Error(), "both results of flask") {
		t.Errorf("%v", err)
	}
	if _, err := Make(Input{Results: []*finding.Document{{Results: "x"}}}); err == nil {
		t.Error("a result without variants")
	}
}

// Whatever the results lack, the document can be written.
func TestPoorResults(t *testing.T) {
	few := shop("flask")
	few.blocks = 2
	empty := &finding.Document{Experiment: finding.Experiment{Workload: "rails", Variants: []finding.Variant{{Name: "none"}}}}
	s := makeReplication(t, []finding.Claim{{Name: "x", Metric: "cpu_per_operation", Above: number(0)}}, few.document(), empty)
	if _, err := json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	if s.Claims[0].Kind != Open || s.Claims[0].Figures[0].Interval.Low != nil {
		t.Errorf("%+v", s.Claims[0])
	}
	for _, m := range s.Means {
		if m.Geometric.Low != nil {
			t.Error("an interval of two blocks")
		}
	}
}
