// Losses that nobody knows: unknown is not none, and not everything is unknown.

package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// spansPer makes what otel is declared to make per operation.
func spansPer(low, high float64) func(*scene) {
	return ofOtel(func(p *config.Plan) { p.Spans["json"] = program.Number{Low: low, High: high} })
}

func ofOtel(change func(*config.Plan)) func(*scene) {
	return func(s *scene) {
		before := s.plan
		s.plan = func(p *config.Plan) {
			if before != nil {
				before(p)
			}
			if p.Variant == "otel" {
				change(p)
			}
		}
	}
}

func undeclared(s *scene) { ofOtel(func(p *config.Plan) { p.Spans = nil })(s) }

// sent makes so many spans come of otel in each run, of 10,000 operations.
func sent(spans uint64) func(*scene) {
	return otels(func(r *record.Record) { r.Phases[0].Sink.Spans = spans })
}

func otels(change func(*record.Record)) func(*scene) {
	return func(s *scene) { s.also(onlyRuns("otel", change)) }
}

func drops(spans uint64) func(*scene) {
	return otels(func(r *record.Record) { r.Tracer = record.Reported{Dropped: &spans} })
}

// sampled keeps so many traces of otel in each run, of which chance takes a share.
func sampled(share float64, traces, spans uint64) func(*scene) {
	return func(s *scene) {
		ofOtel(func(p *config.Plan) { p.Sampling = share })(s)
		otels(func(r *record.Record) {
			r.Phases[0].Sink = record.Counts{Spans: spans, Roots: traces, Traces: traces, Checking: true}
		})(s)
	}
}

// counting has the tracer say of how many traces it decided, so chance has no part in it.
func counting(traces uint64) func(*scene) {
	return otels(func(r *record.Record) { r.Phases[0].Traced = &traces })
}

// following has samplers follow the load generator, which asked for so many traces of the window.
func following(traces uint64) func(*scene) {
	return func(s *scene) {
		ofOtel(func(p *config.Plan) { p.Follows = true })(s)
		otels(func(r *record.Record) {
			l := &r.Phases[0].Load
			l.Identified, l.Sampled = l.Started, traces
		})(s)
	}
}

func failing(operations, spans uint64) func(*scene) {
	return otels(func(r *record.Record) {
		p := &r.Phases[0]
		p.Load.Failed, p.Load.Completed, p.Sink.Spans = operations, p.Load.Completed-operations, p.Sink.Spans-spans
	})
}

func warmedUp(operations, spans uint64) func(*scene) {
	return otels(func(r *record.Record) {
		p := &r.Phases[0]
		p.Warmup.Started, p.Warmup.Completed, p.WarmupSink = operations, operations, ofSpans(spans)
	})
}

// A budget is kept by what did its work for sure. It is asked for the cost, and for the loss.
func TestBudgetOfAnUnknownLoss(t *testing.T) {
	const within, over, cannotTell = finding.Within, finding.Over, finding.CannotTell
	for name, c := range map[string]struct {
		change  []func(*scene)
		allowed float64 // lost
		cost    finding.Kind
		lost    finding.Kind
		apart   float64 // excluded from the ranking with that share; 0 is not
		part    string
		most    float64 // listed as not known, with that share at most; 0 is not
	}{
		"all came":                             {nil, 0, within, within, 0, "", 0},
		"one is missing":                       {[]func(*scene){sent(29999)}, 0, within, over, 0, "", 0},
		"over 1 % are missing":                 {[]func(*scene){sent(29000)}, 0, cannotTell, over, 1. / 30, "in the window", 0},
		"and may be":                           {[]func(*scene){sent(29000)}, 0.05, within, within, 1. / 30, "in the window", 0},
		"fewer than the fewest":                {[]func(*scene){spansPer(2, 4), sent(8000)}, 0, cannotTell, over, 0.6, "in the window", 0.8},
		"and more than may be":                 {[]func(*scene){spansPer(2, 4), sent(8000)}, 0.7, cannotTell, cannotTell, 0.6, "in the window", 0.8},
		"and any may be":                       {[]func(*scene){spansPer(2, 4), sent(8000)}, 0.8, within, within, 0.6, "in the window", 0.8},
		"between the fewest and the most":      {[]func(*scene){spansPer(2, 4)}, 0, cannotTell, cannotTell, 0, "", 0.25},
		"that many may be":                     {[]func(*scene){spansPer(2, 4)}, 0.25, within, within, 0, "", 0.25},
		"the most":                             {[]func(*scene){spansPer(2, 4), sent(40000)}, 0, within, within, 0, "", 0},
		"a number that hardly varies":          {[]func(*scene){spansPer(2.99, 3.01)}, 0, within, cannotTell, 0, "", 0},
		"none to three":                        {[]func(*scene){spansPer(0, 3), sent(9000)}, 0, cannotTell, cannotTell, 0, "", 0.7},
		"some were lost warming up, and maybe": {[]func(*scene){spansPer(2, 4), warmedUp(10000, 0)}, 0, cannotTell, over, 0.25, "", 0.25},
		"of both, and the tracer admits it":    {[]func(*scene){spansPer(2, 4), warmedUp(10000, 30000), drops(15000)}, 0, cannotTell, over, 0.2, "", 0.25},
		"some were lost warming up for sure":   {[]func(*scene){warmedUp(10000, 0)}, 0, within, over, 0, "", 0},
		"a long warm-up thins out no loss":     {[]func(*scene){warmedUp(10000, 30000), sent(27000)}, 0.08, cannotTell, over, 0.1, "in the window", 0},
		"spans where none was expected":        {[]func(*scene){spansPer(0, 0), sent(9000)}, 0.3, cannotTell, cannotTell, 0, "", 1},
		"more than were expected":              {[]func(*scene){sent(31000)}, 0.3, cannotTell, cannotTell, 0, "", 1},
		"one more than was expected":           {[]func(*scene){sent(30001)}, 0, within, cannotTell, 0, "", 0},
		"more than expected, and drops":        {[]func(*scene){spansPer(2, 2), drops(60000)}, 0, cannotTell, cannotTell, 0, "", 1},
		"a few operations failed":              {[]func(*scene){failing(50, 150)}, 0, within, cannotTell, 0, "", 0},
		"a few were sent again":                {[]func(*scene){otels(func(r *record.Record) { r.Phases[0].Load.Resent = 50 })}, 0, within, cannotTell, 0, "", 0},
		"many failed, and made their spans":    {[]func(*scene){failing(2000, 0)}, 0, over, within, 0, "", 0}, // the rate was not held
		"many failed, and their spans with it": {[]func(*scene){failing(2000, 6000)}, 0, over, cannotTell, 0, "", 0.2},
		"nobody knows how many were to come":   {[]func(*scene){undeclared}, 0, cannotTell, cannotTell, 0, "", 1},
		"and nobody minds":                     {[]func(*scene){undeclared}, 1, within, within, 0, "", 1},
		"but the tracer admits drops":          {[]func(*scene){undeclared, drops(60000)}, 0, cannotTell, over, 2. / 3, "in the whole run", 1},
		"sampled, as chance has it":            {[]func(*scene){sampled(0.1, 980, 2940)}, 0, within, cannotTell, 0, "", 0},
		"sampled, and a tenth may be lost":     {[]func(*scene){sampled(0.1, 980, 2940)}, 0.15, within, within, 0, "", 0},
		"sampled, and one in a hundred may be": {[]func(*scene){sampled(0.1, 980, 2940)}, 0.01, within, cannotTell, 0, "", 0},
		"sampled, with holes":                  {[]func(*scene){sampled(0.1, 980, 2000)}, 0, cannotTell, over, 1 - 2000./2940, "in the window", 0},
		"sampled, so few that all may be lost": {[]func(*scene){sampled(0.00005, 0, 0)}, 0, within, cannotTell, 0, "", 0},
		"sampled, counted, and all came":       {[]func(*scene){sampled(0.1, 980, 2940), counting(980)}, 0, within, within, 0, "", 0},
		"sampled, counted, and traces lost":    {[]func(*scene){sampled(0.1, 980, 2940), counting(1000)}, 0, cannotTell, over, 0.02, "in the window", 0},
		"sampled, counted, lost warming up":    {[]func(*scene){sampled(0.1, 980, 2940), warmedUp(10000, 0), counting(1980)}, 0, cannotTell, over, 0, "", 1539. / 30939},
		"sampled, counted, lost in the window": {[]func(*scene){sampled(0.1, 480, 1440), warmedUp(1000, 300), counting(1100)}, 0, cannotTell, over, 15300. / 29700, "in the window", 0},
		"sampled, counted, and none came":      {[]func(*scene){sampled(0.0001, 0, 0), counting(2)}, 0, cannotTell, over, 1, "in the window", 0},
		"sampled as asked, and all came":       {[]func(*scene){sampled(0.1, 980, 2940), following(980)}, 0, within, within, 0, "", 0},
		"sampled as asked, and a trace lost":   {[]func(*scene){sampled(0.1, 980, 2940), following(981)}, 0, within, over, 0, "", 0},
		"sampled as asked, and many lost":      {[]func(*scene){sampled(0.1, 980, 2940), following(1000)}, 0, cannotTell, over, 0.02, "in the window", 0},
		"sampled, and nobody knows if asked":   {[]func(*scene){sampled(0.1, 980, 2940), ofOtel(func(p *config.Plan) { p.Follows = true })}, 0, within, cannotTell, 0, "", 0},
		"sampled, of a number that varies":     {[]func(*scene){spansPer(2, 4), sampled(0.1, 980, 2940)}, 0, cannotTell, cannotTell, 0, "", 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVariants()
			s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.8}, {Metric: "lost_share", Value: c.allowed}}
			for _, change := range c.change {
				change(&s)
			}
			doc := analyse(t, s.input())
			cost, lost := get(t, doc, "json", "otel", "cpu_per_operation").Verdict, get(t, doc, "json", "otel", "delivered_share").Verdict
			if cost.Kind != c.cost || lost.Kind != c.lost {
				t.Errorf("the cost: %s\nthe loss: %s", cost.Text, lost.Text)
			}
			if apart := doc.LostShare("json", nil, "otel"); math.Abs(apart-c.apart) > 1e-9 || apart > 0 && doc.Lossy[0].Part != c.part {
				t.Errorf("excluded from the ranking: %+v", doc.Lossy)
			}
			most := 0.0
			if u := doc.UnknownLoss("json", nil, "otel"); u != nil {
				most = u.LostMost
			}
			if math.Abs(most-c.most) > 1e-9 {
				t.Errorf("not known: %+v", doc.LossUnknown)
			}
			if note := get(t, doc, "json", "otel", "cpu_per_operation").Note; (note != "") != (c.apart > 0 || c.most > 0 || warned(doc, "overloaded")) {
				t.Errorf("beside the cost stands %q", note)
			}
		})
	}
}

// What sends nothing, as it is meant to, loses nothing.
func TestBudgetOfWhatSendsNothing(t *testing.T) {
	for name, change := range map[string]func(*scene){
		"silent":       ofOtel(func(p *config.Plan) { p.Silent = true }),
		"none sampled": ofOtel(func(p *config.Plan) { p.Sampling = 0 }),
		"no tracer":    func(s *scene) { s.variants[1].tracer = "none" },
	} {
		s := twoVariants()
		s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.8}}
		undeclared(&s)
		change(&s)
		sent(0)(&s)
		doc := analyse(t, s.input())
		if v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict; v.Kind != finding.Within || len(doc.LossUnknown) > 0 {
			t.Errorf("%s: %+v, %+v", name, v, doc.LossUnknown)
		}
	}
}

// What is over its budget stays over, whatever is not known of its spans.
func TestOverABudgetOfAnUnknownLoss(t *testing.T) {
	s := twoVariants()
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.05}}
	spansPer(2, 4)(&s)
	if v := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation").Verdict; v.Kind != finding.Over {
		t.Errorf("%+v", v)
	}
}

// A tracer that says how many spans it dropped is believed where nobody knows what was to come;
// where the operations' own ledgers have the drops, the whole run's tells them no second time.
func TestWarnsOfTheWholeRun(t *testing.T) {
	for name, c := range map[string]struct {
		change []func(*scene)
		where  []string
	}{
		"nothing is known":           {[]func(*scene){undeclared, drops(60000)}, []string{ledger.All + ", otel"}},
		"nothing is known or lost":   {[]func(*scene){undeclared, drops(0)}, nil},
		"the operation has them":     {[]func(*scene){sent(20000), drops(10000)}, []string{"json, otel"}},
		"more than are missing":      {[]func(*scene){sent(20000), drops(90000)}, []string{"json, otel"}},
		"sampled, and nothing known": {[]func(*scene){undeclared, sampled(0.1, 980, 2940), drops(600)}, []string{ledger.All + ", otel"}},
	} {
		s := twoVariants()
		for _, change := range c.change {
			change(&s)
		}
		doc := analyse(t, s.input())
		var got []string
		for _, w := range doc.Warnings {
			if w.Code == "spans-lost" {
				got = append(got, w.Where)
			}
		}
		if strings.Join(got, "; ") != strings.Join(c.where, "; ") {
			t.Errorf("%s: warned of %q, want %q", name, got, c.where)
		}
		if (len(doc.Lossy) > 0) != (len(c.where) > 0) {
			t.Errorf("%s: excluded from the ranking: %+v", name, doc.Lossy)
		}
	}
}

// What one operation of several lost is not held against those of which all is known.
func TestWholeRunBesideKnownOperations(t *testing.T) {
	s := twoVariants()
	s.order, s.operations["work"] = append(s.order, "work"), 400e-6
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.8}, {Metric: "lost_share"}}
	ofOtel(func(p *config.Plan) { delete(p.Spans, "work") })(&s)
	drops(30000)(&s)
	doc := analyse(t, s.input())
	if l := doc.Lossy; len(l) != 1 || l[0].Operation != "work" || l[0].LostShare != 0.5 || l[0].Spans != 300000 || l[0].Where[0].Place != finding.LostInQueue {
		t.Errorf("excluded from the ranking: %+v", l)
	}
	for operation, want := range map[string][2]finding.Kind{"json": {finding.Within, finding.Within}, "work": {finding.CannotTell, finding.Over}} {
		cost, lost := get(t, doc, operation, "otel", "cpu_per_operation").Verdict, get(t, doc, operation, "otel", "delivered_share").Verdict
		if cost.Kind != want[0] || lost.Kind != want[1] {
			t.Errorf("%s: %s; %s", operation, cost.Text, lost.Text)
		}
	}
}

// The rate that a search found is not called one without loss where nobody knows.
func TestBudgetAtARateOfAnUnknownLoss(t *testing.T) {
	all := ofSpans(3000)
	for name, c := range map[string]struct {
		low, high float64
		at        record.Counts // at the rate found
		want      finding.Kind
		share     float64 // told of the search; below 0 is not known
	}{
		"all came":                        {3, 3, all, finding.Within, 0},
		"a third is missing":              {3, 3, ofSpans(2000), finding.CannotTell, 1. / 3},
		"between the fewest and the most": {2, 4, all, finding.CannotTell, -1},
		"fewer than the fewest":           {2, 4, ofSpans(800), finding.CannotTell, -1}, // what is missing of it may be beyond the fewest of the other probes
		"none to three":                   {0, 3, all, finding.CannotTell, -1},
	} {
		s := probed([3]record.Counts{all, all, c.at}, 0)
		s.budget = []config.Limit{{Metric: "capacity", Value: 0.5}}
		spansPer(c.low, c.high)(&s)
		doc := analyse(t, s.input())
		if v := get(t, doc, "json", "otel", "capacity").Verdict; v.Kind != c.want {
			t.Errorf("%s: %+v", name, v)
		}
		got := -1.0
		if share := searchOf(t, doc, "otel").LostShare; share != nil {
			got = *share
		}
		if math.Abs(got-c.share) > 1e-9 {
			t.Errorf("%s: %g lost, want %g", name, got, c.share)
		}
	}
}

// A whole trace that was lost cannot be told from one that was not sampled: nobody says that none
// was, and how many there may be is told. Here a tenth was, of 1 %.
func TestWholeTracesMayBeLostUnderSampling(t *testing.T) {
	for name, c := range map[string]struct {
		change []func(*scene)
		most   float64 // may have been lost
		lost   finding.Kind
	}{
		"a tenth lost":           {[]func(*scene){sampled(0.01, 90, 270)}, 0.187, finding.CannotTell},
		"none lost":              {[]func(*scene){sampled(0.01, 100, 300)}, 0.097, finding.CannotTell},
		"every trace is sampled": {nil, 0, finding.Within},
	} {
		s := twoVariants()
		s.budget = []config.Limit{{Metric: "lost_share"}}
		for _, change := range c.change {
			change(&s)
		}
		doc := analyse(t, s.input())
		l := doc.Ledgers[1]
		if l.Variant != "otel" || l.Operation != "json" || math.Abs(l.LostMost-c.most) > 0.005 || l.LostShare != 0 {
			t.Errorf("%s: %+v", name, l)
		}
		if v := get(t, doc, "json", "otel", "delivered_share").Verdict; v.Kind != c.lost {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// A run lost spans for sure, and late ones of one operation may have come in the time of another: then either may be the one that
// lost them. A limit on what is lost is broken all the same, and neither kept its budget of CPU for sure.
func TestLossOfOneOperationOrAnother(t *testing.T) {
	s := twoVariants()
	s.order, s.operations["work"] = append(s.order, "work"), 400e-6
	s.budget = []config.Limit{{Metric: "cpu_per_operation", Value: 0.8}, {Metric: "lost_share", Value: 0.02}}
	ofOtel(func(p *config.Plan) { p.MayDelay = 5 * time.Second })(&s)
	otels(func(r *record.Record) {
		r.Phases[0].Sink.Spans, r.Life.Spans = r.Phases[0].Sink.Spans-3000, r.Life.Spans-3000
	})(&s)
	doc := analyse(t, s.input())
	for _, operation := range s.order {
		cost, lost := get(t, doc, operation, "otel", "cpu_per_operation").Verdict, get(t, doc, operation, "otel", "delivered_share").Verdict
		if cost.Kind != finding.CannotTell || lost.Kind != finding.Over || !tells(lost.Reasons, finding.WhyOfAny) {
			t.Errorf("%s: %s; %s", operation, cost.Text, lost.Text)
		}
	}
	if !slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool {
		return w.Code == "spans-unaccounted" && strings.HasPrefix(w.Where, ledger.All)
	}) {
		t.Errorf("no warning of the run: %+v", doc.Warnings)
	}
	s.budget[1].Value = 0.2
	for _, operation := range s.order {
		if lost := get(t, analyse(t, s.input()), operation, "otel", "delivered_share").Verdict; lost.Kind != finding.Within {
			t.Errorf("%s may lose a fifth: %s", operation, lost.Text)
		}
	}
}
