package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

func TestSideOf(t *testing.T) {
	for _, c := range []struct {
		name         string
		above, below *float64
		low, high    float64
		want         ClaimKind
	}{
		{"below, wholly", nil, number(0), -0.3, -0.1, Confirmed},
		{"below, beyond", nil, number(0), 0.1, 0.3, Refuted},
		{"below, both sides", nil, number(0), -0.1, 0.3, Open},
		{"below, touching", nil, number(0), -0.1, 0, Open},
		{"above, wholly", number(0.2), nil, 0.3, 0.4, Confirmed},
		{"above, beyond", number(0.2), nil, 0.1, 0.19, Refuted},
		{"above, touching from below", number(0.2), nil, 0.1, 0.2, Open},
		{"between, wholly", number(0.1), number(0.2), 0.12, 0.18, Confirmed},
		{"between, below it", number(0.1), number(0.2), 0.02, 0.08, Refuted},
		{"between, above it", number(0.1), number(0.2), 0.22, 0.28, Refuted},
		{"between, wider than it", number(0.1), number(0.2), 0.02, 0.28, Open},
		{"no range", nil, nil, 0.02, 0.28, Open},
	} {
		got := sideOf(finding.Claim{Above: c.above, Below: c.below}, &finding.Interval{Low: &c.low, High: &c.high})
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := sideOf(finding.Claim{Below: number(0)}, &finding.Interval{Estimate: -1}); got != Open {
		t.Errorf("a figure without an interval: %s", got)
	}
}

// TestClaimOfTwoMetrics: by the other metric the same variant costs more.
func TestClaimOfTwoMetrics(t *testing.T) {
	doc, by := shop("flask").document(), shop("flask")
	by.metric, by.seed, by.better = "latency_p50", 2, "lower"
	by.ratio = map[string]map[string]float64{"otel": {"db": 1.2, "json": 1.6}, "elastic": {"db": 1.44, "json": 1.92}}
	doc.Findings = append(doc.Findings, by.document().Findings...)
	for name, c := range map[string]struct {
		claim finding.Claim
		want  ClaimKind
	}{
		"a quarter more":      {finding.Claim{Metric: "cpu_per_operation", Beside: "latency_p50", Above: number(0.2), Below: number(0.3)}, Confirmed},
		"the other way round": {finding.Claim{Metric: "latency_p50", Beside: "cpu_per_operation", Above: number(0)}, Refuted},
	} {
		c.claim.Of, c.claim.Name = "ratio", name
		got := makeReplication(t, []finding.Claim{c.claim}, doc).Claims[0]
		if got.Kind != c.want || len(got.Figures) != 4 {
			t.Errorf("%s: %s of %d figures: %s", name, got.Kind, len(got.Figures), got.Said)
		}
	}
}

// TestClaimsOfCauses: what causes add is held against each other, though the baseline has nothing of them.
func TestClaimsOfCauses(t *testing.T) {
	doc := shop("flask").document()
	for name, adds := range map[string]float64{"cpu_tracing": 100e-6, "cpu_stage_export": 60e-6, "cpu_task_memory": 2e-6} {
		for variant, times := range map[string]float64{"otel": 1, "elastic": 2} {
			f := finding.Finding{Operation: "db", Variant: variant, Against: "none", Metric: name, Unit: "s", Better: "lower", Amount: true, Blocks: 8}
			for i := range 8 {
				f.Samples = append(f.Samples, finding.Sample{Block: i + 1, Value: adds * times * (1 + 0.01*float64(i%3))})
			}
			doc.Findings = append(doc.Findings, f)
		}
	}
	for name, c := range map[string]struct {
		claim   finding.Claim
		want    ClaimKind
		figures int
	}{
		"most is export":     {finding.Claim{Metric: "cpu_stage_export", Beside: "cpu_tracing", Of: "ratio", Above: number(-0.45), Below: number(-0.35)}, Confirmed, 2},
		"all is export":      {finding.Claim{Metric: "cpu_stage_export", Beside: "cpu_tracing", Of: "ratio", Above: number(-0.1)}, Refuted, 2},
		"hardly any memory":  {finding.Claim{Metric: "cpu_task_memory", Beside: "cpu_tracing", Of: "ratio", Below: number(-0.95)}, Confirmed, 2},
		"elastic's is twice": {finding.Claim{Metric: "cpu_stage_export", Variants: []string{"elastic", "otel"}, Of: "ratio", Above: number(0.9), Below: number(1.1)}, Confirmed, 1},
		"over the baseline":  {finding.Claim{Metric: "cpu_stage_export", Above: number(0)}, Open, 0},
	} {
		c.claim.Name, c.claim.Operation = name, []string{"db"}
		got := makeReplication(t, []finding.Claim{c.claim}, doc).Claims[0]
		if got.Kind != c.want || len(got.Figures) != c.figures {
			t.Errorf("%s: %s of %d figures: %s", name, got.Kind, len(got.Figures), got.Said)
		}
	}
	doc.Causes = []finding.Causes{
		{Operation: "db", Variant: "otel", Against: "none"},
		{Operation: "db", Variant: "elastic", Against: "none", Reasons: []finding.Reason{{Code: finding.WhyRestless}}},
	}
	for metric, want := range map[string]map[string]finding.Code{
		"cpu_task_time":  {"otel": finding.WhyNoSample, "elastic": finding.WhyRestless},
		"wait_task_time": {"otel": finding.WhyNotMeasured, "elastic": finding.WhyNotMeasured},
	} {
		c := finding.Claim{Name: "no figure", Metric: metric, Operation: []string{"db"}, Beside: "cpu_tracing", Of: "ratio", Above: number(0)}
		for _, f := range makeReplication(t, []finding.Claim{c}, doc).Claims[0].Figures {
			variant, _, _ := strings.Cut(f.Variant, ",")
			if f.Reason == nil || f.Reason.Code != want[variant] {
				t.Errorf("%s of %s: %+v, want %s", metric, f.Variant, f.Reason, want[variant])
			}
		}
	}
}

func TestClaims(t *testing.T) {
	flask, spring := shop("flask"), shop("spring")
	spring.ratio = map[string]map[string]float64{"otel": {"db": 1.1, "json": 1.2}, "elastic": {"db": 1.1, "json": 1.2}}
	spring.noise = 0.005
	for _, c := range []struct {
		claim   finding.Claim
		want    ClaimKind
		figures int
		said    string
	}{
		{finding.Claim{Name: "all cost", Above: number(0)}, Confirmed, 8, "all 8 intervals lie above 0 %"},
		{finding.Claim{Name: "all cost much", Above: number(0.4)}, Open, 8, "needs 9 blocks, there are 8"},
		{finding.Claim{Name: "both cost much on spring's json", Above: number(0.4), Workloads: []string{"spring"}, Operation: []string{"json"}}, Refuted, 2, "spring, json, otel +20"},
		{finding.Claim{Name: "one variant", Variants: []string{"otel"}, Workloads: []string{"flask"}, Operation: []string{"db"}, Above: number(0.4), Below: number(0.6)}, Confirmed, 1, "the interval lies between 40 % and 60 %"},
		{finding.Claim{Name: "mean over operations", Over: "operations", Workloads: []string{"flask"}, Variants: []string{"otel"}, Above: number(0.70), Below: number(0.76)}, Confirmed, 1, ""},
		{finding.Claim{Name: "mean over workloads", Over: "workloads", Variants: []string{"otel"}, Operation: []string{"json"}, Above: number(0.53), Below: number(0.57)}, Confirmed, 1, ""},
		{finding.Claim{Name: "mean over variants", Over: "variants", Workloads: []string{"flask"}, Above: number(0.5)}, Confirmed, 2, ""},
		{finding.Claim{Name: "mean over all", Over: "all", Above: number(0.46), Below: number(0.49)}, Confirmed, 1, ""},
		{finding.Claim{Name: "elastic is dearer", Of: "ratio", Variants: []string{"elastic", "otel"}, Workloads: []string{"flask"}, Above: number(0.15), Below: number(0.25)}, Confirmed, 2, ""},
		{finding.Claim{Name: "elastic is dearer everywhere", Of: "ratio", Variants: []string{"elastic", "otel"}, Above: number(0.15)}, Refuted, 4, "spring, db, elastic / otel"},
		{finding.Claim{Name: "flask suffers more", Of: "ratio", Workloads: []string{"flask", "spring"}, Above: number(0.3)}, Confirmed, 4, ""},
		{finding.Claim{Name: "flask suffers twice", Of: "ratio", Workloads: []string{"flask", "spring"}, Over: "operations", Variants: []string{"elastic"}, Above: number(0.7), Below: number(0.9)}, Confirmed, 1, ""},
		{finding.Claim{Name: "json suffers more than db", Of: "ratio", Operation: []string{"json", "db"}, Workloads: []string{"flask"}, Variants: []string{"otel"}, Above: number(0.29), Below: number(0.39)}, Confirmed, 1, ""},
		{finding.Claim{Name: "db suffers more", Of: "ratio", Operation: []string{"db", "json"}, Workloads: []string{"flask"}, Above: number(0)}, Refuted, 2, "flask, db / json, "},
		{finding.Claim{Name: "no such operation", Of: "ratio", Operation: []string{"db", "xml"}, Workloads: []string{"flask"}, Variants: []string{"otel"}, Above: number(0)}, Open, 1, "it was not measured"},
		{finding.Claim{Name: "beside what nobody measured", Of: "ratio", Beside: "latency_p50", Workloads: []string{"flask"}, Variants: []string{"otel"}, Above: number(0)}, Open, 2, "it was not measured"},
		{finding.Claim{Name: "not measured", Workloads: []string{"flask"}, Variants: []string{"kieker"}, Above: number(0)}, Open, 2, "open: flask, db, kieker (it was not measured); flask, json, kieker (it"},
		{finding.Claim{Name: "no such workload", Workloads: []string{"flask", "rails"}, Above: number(0)}, Open, 5, "open: rails"},
		{finding.Claim{Name: "no range"}, Open, 8, "gives no range"},
		{finding.Claim{Name: "another metric", Metric: "latency_p99", Above: number(0)}, Open, 0, "nothing that it is about"},
		{finding.Claim{Name: "a ratio of three", Of: "ratio", Above: number(0)}, Open, 0, "nothing that it is about"},
	} {
		t.Run(c.claim.Name, func(t *testing.T) {
			if c.claim.Metric == "" {
				c.claim.Metric = "cpu_per_operation"
			}
			s := makeReplication(t, []finding.Claim{c.claim}, flask.document(), spring.document())
			got := s.Claims[0]
			if got.Kind != c.want || len(got.Figures) != c.figures || !strings.Contains(got.Said, c.said) {
				t.Errorf("%s (%s), %d figures; want %s, %d", got.Kind, got.Said, len(got.Figures), c.want, c.figures)
				for _, f := range got.Figures {
					t.Logf("%+v %+v", f, f.Interval)
				}
			}
		})
	}
}

// What cannot be relied on confirms and refutes nothing.
func TestClaimsDoNotRestOnDoubtfulFigures(t *testing.T) {
	claim := []finding.Claim{{Metric: "cpu_per_operation", Above: number(0)}}
	for reason, change := range map[finding.Code]func(*finding.Document){
		finding.WhyOverloaded: func(d *finding.Document) {
			d.Findings[0].Verdict = finding.Verdict{Kind: finding.Overloaded, Reasons: []finding.Reason{{Code: finding.WhyOverloaded, Variant: "otel"}}}
			d.Findings[0].Relative = nil
		},
		finding.WhyModes: func(d *finding.Document) {
			d.Findings[0].Verdict = finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyModes, Variant: "otel"}}}
		},
		finding.WhyBaseLost: func(d *finding.Document) {
			d.Lossy = []finding.Lossy{{Operation: "db", Variant: "none", LostShare: 0.3}}
		},
		finding.WhyNoRatio: func(d *finding.Document) { d.Findings[0].Relative = nil },
		finding.WhyNotMeasured: func(d *finding.Document) {
			d.Findings = d.Findings[1:]
			claim[0].Operation, claim[0].Variants = []string{"db"}, []string{"otel"}
		},
	} {
		claim[0].Operation, claim[0].Variants = nil, nil
		s := shop("flask")
		s.change = change
		doc := s.document()
		got := makeReplication(t, claim, doc).Claims[0]
		if got.Kind != Open || got.Figures[0].Reason == nil || got.Figures[0].Reason.Code != reason {
			t.Errorf("%s: %s, %+v", reason, got.Said, got.Figures)
		}
	}
}

// What a variant costs that lost spans, or may have, is the least that it costs: that may confirm a cost,
// and nothing else.
func TestLossyFiguresAreTheLeast(t *testing.T) {
	flask := func(metric, better string, unsure bool, lossy ...string) *finding.Document {
		s := shop("flask")
		s.metric, s.better = metric, better
		s.change = func(d *finding.Document) {
			for _, v := range lossy {
				if unsure {
					d.LossUnknown = append(d.LossUnknown, finding.LossUnknown{Operation: "db", Variant: v, LostMost: 0.3})
				} else {
					d.Lossy = append(d.Lossy, finding.Lossy{Operation: "db", Variant: v, LostShare: 0.3})
				}
			}
		}
		return s.document()
	}
	of := []string{"db"}
	for _, c := range []struct {
		name   string
		better string
		lossy  []string
		claim  finding.Claim
		want   ClaimKind
	}{
		// otel takes 1.5 and elastic 1.8 times as much on db.
		{"it costs", "lower", []string{"otel"}, finding.Claim{Variants: []string{"otel"}, Above: number(0.4)}, Confirmed},
		{"it costs more than it does here", "lower", []string{"otel"}, finding.Claim{Variants: []string{"otel"}, Above: number(0.6)}, Open},
		{"without loss that is refuted", "lower", nil, finding.Claim{Variants: []string{"otel"}, Above: number(0.6)}, Refuted},
		{"it costs little", "lower", []string{"otel"}, finding.Claim{Variants: []string{"otel"}, Below: number(0.6)}, Open},
		{"it costs so much", "lower", []string{"otel"}, finding.Claim{Variants: []string{"otel"}, Above: number(0.4), Below: number(0.6)}, Open},
		{"more is better, less of it is left", "higher", []string{"otel"}, finding.Claim{Variants: []string{"otel"}, Below: number(0.6)}, Confirmed},
		{"more is better, much is left", "higher", []string{"otel"}, finding.Claim{Variants: []string{"otel"}, Above: number(0.4)}, Open},
		{"the lossy one is dearer", "lower", []string{"elastic"}, finding.Claim{Of: "ratio", Variants: []string{"elastic", "otel"}, Above: number(0.1)}, Confirmed},
		{"the lossy one is cheaper", "lower", []string{"otel"}, finding.Claim{Of: "ratio", Variants: []string{"elastic", "otel"}, Above: number(0.1)}, Open},
		{"the lossy one is not so much cheaper", "lower", []string{"otel"}, finding.Claim{Of: "ratio", Variants: []string{"elastic", "otel"}, Below: number(0.3)}, Confirmed},
		{"both lose", "lower", []string{"otel", "elastic"}, finding.Claim{Of: "ratio", Variants: []string{"elastic", "otel"}, Above: number(0.1)}, Open},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.claim.Metric, c.claim.Operation = "m", of
			for why, unsure := range map[finding.Code]bool{finding.WhyItLost: false, finding.WhyLossUnknown: true} {
				got := makeReplication(t, []finding.Claim{c.claim}, flask("m", c.better, unsure, c.lossy...)).Claims[0]
				if got.Kind != c.want {
					t.Errorf("%s: %s (%s), %+v; want %s", why, got.Kind, got.Said, got.Figures, c.want)
				}
				r := got.Figures[0].Reason
				if told := r != nil && (r.Code == why || r.Code == finding.WhyLeast && (r.Because == why) == unsure); told != (len(c.lossy) > 0) {
					t.Errorf("%s: the loss is told: %t, %+v", why, told, got.Figures[0])
				}
			}
		})
	}
}

// Beside another workload a lossy one may confirm that it costs more, never that it costs less.
func TestLossyWorkloads(t *testing.T) {
	dear, cheap := shop("node"), shop("spring")
	cheap.ratio = map[string]map[string]float64{"otel": {"db": 1.1, "json": 1.1}, "elastic": {"db": 1.1, "json": 1.1}}
	loses := func(d *finding.Document) {
		d.Lossy = []finding.Lossy{{Operation: "db", Variant: "otel", LostShare: 0.3}}
	}
	claim := []finding.Claim{{Metric: "cpu_per_operation", Of: "ratio", Workloads: []string{"node", "spring"}, Variants: []string{"otel"}, Over: "all", Above: number(0)}}
	for name, c := range map[string]struct {
		dear, cheap func(*finding.Document)
		want        ClaimKind
	}{
		"none":          {nil, nil, Confirmed},
		"the dear one":  {loses, nil, Confirmed},
		"the cheap one": {nil, loses, Open},
		"both":          {loses, loses, Open},
	} {
		dear.change, cheap.change = c.dear, c.cheap
		if got := makeReplication(t, claim, dear.document(), cheap.document()).Claims[0]; got.Kind != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got.Kind, got.Said, c.want)
		}
	}
}

// A mean over operations is confirmed only where all of them were measured, and two workloads
// are compared only by means over the same operations.
func TestClaimsMissNoOperation(t *testing.T) {
	without := func(workload string) *finding.Document {
		s := shop(workload)
		s.change = func(d *finding.Document) {
			d.Findings = slices.DeleteFunc(d.Findings, func(f finding.Finding) bool { return f.Operation == "json" })
		}
		return s.document()
	}
	none := without("go")
	none.Findings = nil
	unknown := without("rails") // made for other operations
	unknown.Experiment.Operations = []string{"db"}
	for _, c := range []struct {
		name  string
		claim finding.Claim
		docs  []*finding.Document
		why   string
	}{
		{"mean over operations", finding.Claim{Over: "operations", Above: number(0)}, []*finding.Document{without("flask")}, "json, otel: it was not measured"},
		{"nothing of one workload", finding.Claim{Over: "operations", Above: number(0)}, []*finding.Document{shop("flask").document(), none}, "it was not measured"},
		{"two workloads", finding.Claim{Of: "ratio", Workloads: []string{"flask", "rails"}, Over: "all", Above: number(-0.9)},
			[]*finding.Document{shop("flask").document(), unknown}, "flask, json, otel: it was not measured on the other workload"},
		{"the other way round", finding.Claim{Of: "ratio", Workloads: []string{"rails", "flask"}, Over: "all", Above: number(-0.9)},
			[]*finding.Document{shop("flask").document(), unknown}, "flask, json, otel: it was not measured on the other workload"},
	} {
		c.claim.Metric = "cpu_per_operation"
		got := makeReplication(t, []finding.Claim{c.claim}, c.docs...).Claims[0]
		if got.Kind != Open || !strings.Contains(got.Said, c.why) {
			t.Errorf("%s: %s, %s", c.name, got.Kind, got.Said)
		}
	}
}

// At the edge of its range a claim is neither confirmed nor refuted more often than in
// one experiment of twenty.
func TestClaimsErrSeldom(t *testing.T) {
	const experiments, figures, blocks = 1500, 4, 12
	r := rand.New(rand.NewPCG(3, 4))
	confirmed, refuted, confirmedLoose := 0, 0, 0
	c := finding.Claim{Below: number(0)}
	for range experiments {
		edge := make([]evidence, figures)
		loose := make([]evidence, figures)
		for i := range edge {
			edge[i] = evidenceAt(r, 0, blocks)
			loose[i] = edge[i]
			if i > 0 { // all the others surely in the range: one is at the edge
				loose[i] = evidenceAt(r, -1, blocks)
			}
		}
		switch judge(c, drawn(c, edge)).Kind {
		case Confirmed:
			confirmed++
		case Refuted:
			refuted++
		}
		if judge(c, drawn(c, loose)).Kind == Confirmed {
			confirmedLoose++
		}
	}
	most := 0.05 + 3*math.Sqrt(0.05*0.95/experiments)
	for what, n := range map[string]int{"confirmed": confirmed, "refuted": refuted, "confirmed with one at the edge": confirmedLoose} {
		if got := float64(n) / experiments; got > most {
			t.Errorf("%s in %.3f of the experiments", what, got)
		}
	}
}

func evidenceAt(r *rand.Rand, truth float64, blocks int) evidence {
	var logs claim.Figures
	for b := range blocks {
		x := truth + 0.02*r.NormFloat64()
		logs = append(logs, claim.Figure{Block: b, Low: x, Mid: x, High: x})
	}
	return evidence{parts: []part{{logs: logs, of: &result{Document: &finding.Document{}}}}}
}

// Two workloads share no blocks, whatever these are called.
func TestWorkloadsAreNotPaired(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	e := evidenceAt(r, 0.3, 8)
	e.under = evidenceAt(r, 0.1, 8).parts
	for i := range e.under[0].logs {
		e.under[0].logs[i].Block += 100
	}
	if f := e.figure(finding.Claim{Above: number(0)}, 1); f.Holds != Confirmed || f.Blocks != 8 || f.Interval.Low == nil {
		t.Errorf("%+v", f)
	}
}

// The intervals of a result that stopped at a precision are those of a widened confidence.
func TestIntervalsOfStoppedResultsAreWider(t *testing.T) {
	width := func(change func(*finding.Document)) float64 {
		s := shop("flask")
		s.blocks, s.change = 12, change
		claims := []finding.Claim{{Metric: "cpu_per_operation", Over: "all", Above: number(0)}}
		i := makeReplication(t, claims, s.document()).Claims[0].Figures[0].Interval
		return *i.High - *i.Low
	}
	fixed, stopped := width(nil), width(func(d *finding.Document) { d.Experiment.Precision, d.Experiment.Most = 0.02, 40 })
	if stopped <= fixed {
		t.Errorf("%g, and %g where the number of blocks was fixed", stopped, fixed)
	}
}

// A rate that is only known to lie between two is in the range where both are.
func TestClaimsAboutBrackets(t *testing.T) {
	s := shop("flask")
	s.metric, s.better = "capacity", "higher"
	s.base = map[string]float64{"json": 1000}
	s.order, s.ratio = []string{"otel"}, map[string]map[string]float64{"otel": {"json": 0.8}}
	s.change = func(d *finding.Document) {
		for i := range d.Findings[0].Samples {
			p := &d.Findings[0].Samples[i]
			p.ValueWithin = &finding.Range{Low: p.Value, High: number(1.2 * p.Value)}
		}
	}
	claims := []finding.Claim{{Metric: "capacity", Below: number(0)}, {Metric: "capacity", Below: number(-0.1)}}
	got := makeReplication(t, claims, s.document()).Claims
	if got[0].Kind != Confirmed || got[1].Kind != Open || math.Abs(*got[0].Figures[0].Interval.High+0.04) > 0.02 {
		t.Errorf("%+v %+v", got[0], got[1])
	}
}

// A claim about lost spans is held against what the ledgers counted, for sure and at most.
func TestClaimsAboutLostSpans(t *testing.T) {
	s := shop("proxy")
	s.change = func(d *finding.Document) {
		for _, l := range []struct {
			operation, variant string
			share, most        float64
		}{{"db", "otel", 0, 0}, {"json", "otel", 0, 0.3}, {"db", "elastic", 0.4, 0.4}, {"json", "elastic", 0.2, 0.3}} {
			d.Ledgers = append(d.Ledgers, finding.Ledger{Operation: l.operation, Variant: l.variant, LostShare: l.share, LostMost: l.most, Entries: []finding.Entry{{Name: ledger.Expected.String(), Spans: 100}}})
		}
	}
	for _, c := range []struct {
		name  string
		claim finding.Claim
		want  ClaimKind
	}{
		{"nothing is lost", finding.Claim{Variants: []string{"otel"}, Operation: []string{"db"}, Below: number(0.01)}, Confirmed},
		{"nothing is lost, where some may have been", finding.Claim{Variants: []string{"otel"}, Below: number(0.01)}, Open},
		{"nothing is lost, where much is", finding.Claim{Variants: []string{"elastic"}, Below: number(0.01)}, Refuted},
		{"much is lost", finding.Claim{Variants: []string{"elastic"}, Above: number(0.1)}, Confirmed},
		{"much is lost, where nothing is", finding.Claim{Above: number(0.1)}, Refuted},
		{"who was not measured", finding.Claim{Variants: []string{"kieker"}, Below: number(0.01)}, Open},
		{"what was not measured", finding.Claim{Workloads: []string{"none such"}, Below: number(0.01)}, Open},
	} {
		c.claim.Name, c.claim.Metric = c.name, "lost_share"
		if got := makeReplication(t, []finding.Claim{c.claim}, s.document()).Claims[0]; got.Kind != c.want || len(got.Figures) == 0 {
			t.Errorf("%s: %s, want %s: %s %+v", c.name, got.Kind, c.want, got.Said, got.Figures)
		}
	}
}

// A loss that nobody knows is not none: what was lost for sure settles a claim, and nothing else does.
func TestClaimsAboutUnknownLosses(t *testing.T) {
	none, some, much := 0.0, 0.2, 0.01
	for name, c := range map[string]struct {
		change func(*finding.Document, *finding.Ledger)
		want   finding.Code
	}{
		"its number is not known":  {func(_ *finding.Document, l *finding.Ledger) { l.Entries = nil }, finding.WhyLossUnknown},
		"nothing was to come":      {func(_ *finding.Document, l *finding.Ledger) { l.Entries[0].Spans = 0 }, finding.WhyLossUnknown},
		"nobody looked at the ids": {func(_ *finding.Document, l *finding.Ledger) { l.Unchecked = 100 }, finding.WhyNoIDs},
		"the result excludes it from the ranking": {func(d *finding.Document, l *finding.Ledger) {
			d.LossUnknown = []finding.LossUnknown{{Operation: "db", Variant: "otel"}}
		}, finding.WhyLossUnknown},
	} {
		for share, want := range map[*float64]ClaimKind{&none: Open, &some: Refuted} {
			s := shop("proxy")
			s.change = func(d *finding.Document) {
				l := finding.Ledger{Operation: "db", Variant: "otel", LostShare: *share, LostMost: *share, Entries: []finding.Entry{{Name: ledger.Expected.String(), Spans: 100}}}
				c.change(d, &l)
				d.Ledgers = append(d.Ledgers, l)
			}
			claim := finding.Claim{Name: name, Metric: "lost_share", Variants: []string{"otel"}, Operation: []string{"db"}, Below: &much}
			got := makeReplication(t, []finding.Claim{claim}, s.document()).Claims[0]
			if reason := got.Figures[0].Reason; got.Kind != want || want == Open && (reason == nil || reason.Code != c.want) {
				t.Errorf("%s, %g lost: %s, want %s; %+v", name, *share, got.Kind, want, reason)
			}
		}
	}
}

// A search for the rate without loss makes probes that lose spans: what it lost settles no claim.
func TestLostOnPurpose(t *testing.T) {
	for kind, want := range map[string]ClaimKind{"lossless": Open, "cpu": Refuted} {
		s := shop("proxy")
		s.change = func(d *finding.Document) {
			d.Searches = []finding.Search{{Operation: "db", Variant: "otel", Kind: kind}}
			d.Ledgers = []finding.Ledger{{Operation: "db", Variant: "otel", LostShare: 0.08, LostMost: 0.08, Entries: []finding.Entry{{Name: ledger.Expected.String(), Spans: 100}}}}
		}
		c := finding.Claim{Name: "x", Metric: "lost_share", Variants: []string{"otel"}, Operation: []string{"db"}, Below: number(0.01)}
		if got := makeReplication(t, []finding.Claim{c}, s.document()).Claims[0]; got.Kind != want {
			t.Errorf("a search for %s: %s (%s), want %s", kind, got.Kind, got.Said, want)
		}
	}
}
