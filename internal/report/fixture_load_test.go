// Documents of sweeps and of searches for a capacity.

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/wording"
)

// sweeping is a closed loop over numbers of connections.
func sweeping(variants int, levels ...int) *finding.Document {
	s := small
	s.operations = []string{"json", "work"}
	s.variants = slices.Clone(ladder.variants[:variants])
	for i := range s.variants {
		s.variants[i].Against = ""
	}
	one := s.make()
	doc := *one
	doc.Findings, doc.Curves = nil, nil
	doc.Experiment.Load = "1 to 64 connections kept busy for 20s, closed loop"
	doc.Summary = "On hello/go, tracing with otel costs between 4.2 % (json, connections 1) and 4.3 % (work, connections 64, 9.00 µs) more CPU per operation; no span was lost."
	for _, x := range levels {
		for _, f := range one.Findings {
			if f.Metric == "throughput" {
				f = throughputAt(f, s.indexOf(f.Variant), x)
			} else if len(f.Metric) > 7 && f.Metric[:7] == "latency" {
				continue
			}
			f.Parameter = map[string]string{"connections": fmt.Sprint(x)}
			doc.Findings = append(doc.Findings, f)
		}
	}
	slices.SortStableFunc(doc.Findings, func(a, b finding.Finding) int {
		return slices.Index(s.operations, a.Operation) - slices.Index(s.operations, b.Operation)
	})
	for _, operation := range s.operations {
		for v, variant := range s.variants {
			doc.Sweeps = append(doc.Sweeps, curveOver(operation, variant.Name, v, levels))
		}
	}
	return &doc
}

func saturating(v, x int) float64 {
	return 4000 * (1 - 0.1*float64(v)) * math.Min(float64(x), 8+0.02*float64(x)) / 8
}

func throughputAt(f finding.Finding, v, x int) finding.Finding {
	f.Samples = slices.Clone(f.Samples)
	for i := range f.Samples {
		noise := 1 + 0.003*float64(i%3-1)
		f.Samples[i].Baseline, f.Samples[i].Value = saturating(0, x)*noise, saturating(v, x)*noise
	}
	low, high := -0.1*float64(v)-0.004, -0.1*float64(v)+0.003
	base, value := saturating(0, x), saturating(v, x)
	f.Baseline, f.Value = finding.Number(base), finding.Number(value)
	f.Relative = &finding.Interval{Estimate: -0.1 * float64(v), Low: &low, High: &high}
	down, up := low*base, high*base
	f.Absolute = &finding.Interval{Estimate: value - base, Low: &down, High: &up}
	f.Verdict = finding.Verdict{Kind: finding.Costs, Text: "lower by " + finding.FormatSize(finding.Interval{Estimate: 0.1 * float64(v)}, f.Unit, true)}
	return f
}

func curveOver(operation, variant string, v int, levels []int) finding.Sweep {
	s := finding.Sweep{Operation: operation, Variant: variant, Parameter: "connections", Metric: "throughput", Unit: "1/s"}
	for _, x := range levels {
		y := saturating(v, x)
		low, high := y*0.985, y*1.02
		s.Points = append(s.Points, finding.SweepPoint{X: float64(x), Y: y, Low: &low, High: &high})
	}
	if v != 1 {
		x := levels[min(len(levels)-1, len(levels)/2)]
		s.Knee = &finding.Knee{X: float64(x), Text: fmt.Sprintf("from %d connections on, doubling them brings under 10 %% more (to 64: +4.9 %% (4.1 to 5.7) a doubling)", x)}
	}
	return s
}

// searching is a search for the rate at 75 % of the app's CPU; limited says that the
// last variant is faster than the generator.
func searching(variants int, limited bool) *finding.Document {
	s := small
	s.operations = []string{"json", "work"}
	s.variants = slices.Clone(ladder.variants[:variants])
	for i := range s.variants {
		s.variants[i].Against = ""
	}
	doc := s.make()
	doc.Curves = nil
	doc.Experiment.Load = "search for the rate at 75 % of the app's CPU, probes of 5s, open loop"
	doc.Experiment.Faults = []string{"the sink waits 20ms before it answers"}
	doc.Summary = "On hello/go, tracing with otel costs 38.0 % of the capacity (35 to 41), 1,520/s instead of 2,450/s, on json; no span was lost."
	var findings []finding.Finding
	for _, f := range doc.Findings {
		switch f.Metric {
		case "cpu_per_operation":
			f.Headline, f.Verdict = false, finding.Verdict{}
			f.Uncompared, f.Absolute, f.Relative = true, nil, nil
			f.Note = "at the rate found for each, which is not the same: no comparison of the same work"
			findings = append(findings, f)
		case "throughput":
			v := s.indexOf(f.Variant)
			if limited && v == variants-1 {
				continue
			}
			f = throughputAt(f, v, 8)
			f.Metric, f.Headline = "capacity", true
			findings = append(findings, f)
		}
	}
	doc.Findings = findings
	if limited {
		doc.Suppressed = []finding.Suppressed{{Operation: "json", Variant: "api", Share: 0.482, Spans: 38626}}
	}
	for o, operation := range s.operations {
		for v, variant := range s.variants {
			doc.Searches = append(doc.Searches, searchOf(operation, variant.Name, o, v, limited && v == variants-1))
		}
	}
	return doc
}

func searchOf(operation, variant string, o, v int, limited bool) finding.Search {
	rate := saturating(v, 8) / float64(1+o)
	low, high, base, demand := rate*0.98, rate*1.015, 0.03, 0.72/rate
	s := finding.Search{
		Operation: operation, Variant: variant, Kind: "cpu", Target: 0.75, Goal: "75 % of the app's CPU", Method: "fit", Binding: "quota (7 of 8), database (1 of 8)",
		Rate: &finding.Interval{Estimate: rate, Low: &low, High: &high}, Base: &base, Demand: &demand, Linear: 8, Seconds: 21.4,
	}
	s.Text = s.Goal + " at " + finding.FormatSize(*s.Rate, "1/s", false) + "; bound by the " + s.Binding
	for block := 1; block <= 8; block++ {
		for i, share := range []float64{0.3, 0.6, 1.02, 1} {
			noise := 1 + 0.01*float64((block+i)%3-1)
			s.Points = append(s.Points, finding.SearchPoint{
				Block: block, Purpose: []string{"probe", "probe", "verify", "bisect"}[i], Rate: share * rate, Utilisation: (base + demand*share*rate) * noise, Passed: i != 2,
				Why: map[bool]string{true: "76.5 % of the CPU, over 75 %"}[i == 2],
			})
		}
		s.Outcomes = append(s.Outcomes, "found")
	}
	if limited {
		s.Rate, s.Base, s.Demand, s.Linear, s.Binding = nil, nil, nil, 0, "generator"
		s.Text = s.Goal + ": more than 9,800/s, bounded by the generator"
	}
	return s
}

// otherGoals looks for the highest rate at which nothing is lost, and for the highest
// one under a latency.
func otherGoals() *finding.Document {
	doc := searching(2, false)
	for i := range doc.Searches {
		s := &doc.Searches[i]
		s.Base, s.Demand, s.Linear = nil, nil, 0
		lossless := s.Operation == "json"
		s.Kind, s.Goal, s.Target = "latency", "p99 under 20.0 ms", 0.020
		if lossless {
			s.Kind, s.Goal, s.Target = "lossless", "no span lost", 0
		}
		for j := range s.Points {
			p := &s.Points[j]
			if lossless {
				p.Lost = map[bool]float64{true: 0, false: 120}[p.Passed]
			} else {
				p.Seconds = 0.004 * math.Exp(2*p.Utilisation)
			}
		}
	}
	doc.Experiment.Pilot = []string{"json: 412/s is 50 % of the slowest; a pilot found none 1,650/s, otel 824/s"}
	doc.Runs.Stopped = "stopped after 8 blocks at the precision of ±2.0 %, of capacity"
	return doc
}

// Documents of what no span came, at all or on one operation.

// untracedAt is the small document, with no span of otel on the operations.
func untracedAt(all bool, operations ...string) *finding.Document {
	doc := small.make()
	causes := []finding.NoSpanBy{
		{Cause: finding.NotUnderstood, Count: 12, Text: "12 connections came, and over none of them a request that the receiver understands"},
		{Cause: finding.ExportFailed, Count: 3, Process: "shop", Log: "<b>UNAVAILABLE</b>", Text: "the log of shop tells that sending failed: <b>UNAVAILABLE</b>"},
	}
	if !all {
		causes = nil // nothing is known
	}
	for _, o := range operations {
		doc.Untraced = append(doc.Untraced, finding.Untraced{Variant: "otel", Operation: o, Operations: 80000, Causes: causes})
	}
	if all {
		doc.Untraced = append(doc.Untraced, finding.Untraced{Variant: "otel", Operations: 240000, Causes: causes})
	}
	for i := range doc.Findings {
		if f := &doc.Findings[i]; doc.NotTracing(f) {
			f.Verdict = finding.Verdict{Kind: finding.CannotTell, Text: "cannot tell: no span came with otel, so that this is not what tracing costs"}
			f.Note = "otel may have lost up to 100 % of its spans" // which a short table does not say beside "no span came"
		}
	}
	for i := range doc.Ledgers {
		if l := &doc.Ledgers[i]; doc.IsUntraced(l.Variant, l.Operation) {
			l.Outcome, l.LostShare, l.Exact = []finding.Reason{{Code: finding.PageNoSpan}}, 0, false
			l.Entries = []finding.Entry{ledger.Entry(ledger.Expected, 0, "inferred"), ledger.Entry(ledger.Delivered, 0, "counted")}
		}
	}
	wording.FillLedgers(doc.Ledgers)
	if all {
		doc.Summary = "On hello/go, no span came with otel, so that what tracing costs cannot be told."
	}
	return doc
}

// graphed is a result of a graph of services: 12 of them, and what passes spans on; the second variant costs twice as much.
func graphed() *finding.Document {
	s := small
	s.operations = []string{"mix"}
	s.variants = []finding.Variant{{Name: "none", Tracer: "none"}, {Name: "otel", Tracer: "otel-go"}, {Name: "collected", Tracer: "otel-go", Via: []string{"collector"}}}
	doc := s.make()
	for _, way := range []string{
		"front timeline", "front compose", "compose text", "compose media", "compose storage", "text shorten", "text mention", "shorten shorten-mongodb",
		"mention user-memcached", "timeline storage", "timeline timeline-redis", "storage storage-mongodb",
	} {
		from, to, _ := strings.Cut(way, " ")
		doc.Calls = append(doc.Calls, finding.Call{Operation: "mix", From: from, To: to, Low: 0.5, High: 0.5 * float64(1+len(doc.Calls)%3)})
	}
	names := []string{"front", "storage", "timeline", "compose", "collector", "text", "shorten", "mention", "media", "idle", "storage-mongodb", "shorten-mongodb", "user-memcached", "timeline-redis"}
	for v, variant := range s.variants[1:] {
		cost := func(i, others int, service string, roles ...string) {
			base, added := 5e-6*float64(20-i), 1e-6*float64(v+1)*max(0, 40-9.7*float64(i))
			low, high := added-0.4e-6, added+0.6e-6
			doc.Services = append(doc.Services, finding.ServiceCost{
				Operation: "mix", Variant: variant.Name, Against: "none", Service: service, Others: others, Roles: roles,
				Baseline: finding.Number(base), Value: finding.Number(base + added), Absolute: &finding.Interval{Estimate: added, Low: &low, High: &high}, Blocks: s.blocks,
			})
		}
		for i, name := range names {
			of := "app"
			switch {
			case name == "collector":
				of = "collector"
			case strings.Contains(name, "-"):
				of = "database"
			}
			cost(i, 0, name, of)
		}
		cost(5, len(names)-5, "", "app", "database")
	}
	return doc
}
