// Experiments as YAML: the resolved file of a results folder.

package config

import (
	"fmt"
)

// YAML is the resolved experiment: every default filled in, in a form that
// ParseExperiment reads as the same experiment. A built-in workload is named;
// the user's own stands in full. Credentials are replaced by ${env:REDACTED_…}.
func (e *Experiment) YAML() ([]byte, error) {
	w := writer{redactor: newRedactor()}
	out, err := encoded(w.experiment(e), layout...)
	if err != nil {
		return nil, fmt.Errorf("writing experiment %q: %w", e.Name, err)
	}
	return append(out, '\n'), nil
}

func (w writer) experiment(e *Experiment) pairs {
	var p pairs
	p.text("name", e.Name)
	p.text("description", e.Description)
	if e.Workload.Files != nil {
		p.add("workload", e.Workload.Name)
	} else {
		p.add("workload", w.workload(e.Workload))
	}
	if len(e.Operations) == 1 && len(e.Operations[0].Mix) > 0 {
		p.add("mix", mixOf(e.Operations[0]))
	} else {
		names := make(inline[string], len(e.Operations))
		for i, o := range e.Operations {
			names[i] = o.Name
		}
		p.add("operations", names)
	}
	var variants pairs
	for _, v := range e.Variants {
		variants.add(v.Name, w.variant(v))
	}
	p.add("variants", variants)
	load := e.Load
	if e.suggested() {
		load.Rate, load.Connections = 0, 0
	}
	p.add("load", loadOf(load, e.Workload.Self))
	p.add("design", designOf(e.Design))
	if len(e.Budget) > 0 {
		var budget pairs
		for _, l := range e.Budget {
			budget.add(l.Metric, l.Text)
		}
		p.add("budget", budget)
	}
	p.text("sink", string(e.Sink))
	if e.Faults != (Faults{}) {
		p.add("faults", faultsOf(e.Faults))
	}
	if e.Samples {
		p.add("samples", true)
	}
	e.studied(&p)
	return p
}

func mixOf(o Operation) pairs {
	var p pairs
	for _, s := range o.Mix {
		p.add(s.Operation.Name, s.Weight)
	}
	return p
}

func loadOf(l Load, self bool) pairs {
	var p pairs
	switch {
	case len(l.Rates) > 0:
		p.add("rate", inline[string](rateTexts(l.Rates)))
	case l.Relative != nil:
		p.add("rate", l.Relative.written())
	case l.Rate > 0:
		p.add("rate", formatRate(l.Rate))
	}
	if c := l.search(); c != nil {
		p.add("capacity", c.pairs())
	}
	if self {
		l.driven(&p)
	} else {
		l.requested(&p)
	}
	p.duration("warmup_all", l.WarmupAll)
	p.add("warmup", l.warmupText())
	p.duration("duration", l.Duration)
	p.duration("idle", l.Idle)
	return p
}

// requested adds what only workloads have that are asked by requests.
func (l Load) requested(p *pairs) {
	p.several("connections", l.Connections, l.Levels)
	if l.Streams > 0 {
		p.add("streams", l.Streams)
	}
	p.text("arrivals", l.Arrivals)
	p.duration("timeout", l.Timeout)
}

// driven adds what only self-driving workloads have.
func (l Load) driven(p *pairs) {
	if l.Calls > 0 {
		p.add("calls", l.Calls)
	}
	p.several("depth", l.Depth, l.Depths)
	p.several("threads", l.Threads, l.Crowds)
	if l.Busy > 0 {
		p.duration("busy", l.Busy)
	}
}

func designOf(d Design) pairs {
	var p pairs
	if d.Most > 0 {
		p.add("blocks", fmt.Sprintf("%d..%d", d.Blocks, d.Most))
		p.add("precision", formatShare(d.Precision)+" of "+d.Metric)
	} else {
		p.add("blocks", d.Blocks)
	}
	if d.Order != "" {
		p.add("order", string(d.Order))
	}
	p.add("seed", d.Seed)
	if d.Quick {
		p.add("quick", true)
	}
	p.text("unpiloted", d.Unpiloted)
	return p
}

func (w writer) variant(v Variant) pairs {
	var p pairs
	p.text("description", v.Description)
	p.add("tracer", v.Tracer.Name)
	if len(v.Settings) > 0 {
		p.add("settings", w.env(v.Settings))
	}
	if len(v.On) > 0 {
		p.add("on", inline[string](v.On))
	}
	if len(v.Env) > 0 {
		p.add("env", w.env(v.Env))
	}
	if len(v.Args) > 0 {
		p.add("args", w.words(v.Args))
	}
	if len(v.Via) > 0 {
		hops := make([]pairs, len(v.Via))
		for i, hop := range v.Via {
			hops[i] = w.hop(hop)
		}
		p.add("via", hops)
	}
	if v.To != nil {
		p.add("to", w.hop(*v.To))
	}
	p.text("against", v.Against)
	if v.Faults != nil {
		p.add("faults", faultsOf(*v.Faults))
	}
	return p
}
