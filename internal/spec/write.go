// Experiments as YAML: the resolved file of a results folder.
package spec

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// YAML is the resolved experiment: every default filled in, in a form that
// ParseExperiment reads as the same experiment. A built-in workload is named;
// one's own stands in full. Credentials are replaced by ${env:REDACTED_…}.
func (e *Experiment) YAML() ([]byte, error) {
	w := writer{redactor: newRedactor()}
	var out emitter
	if err := out.pairs(w.experiment(e), 0); err != nil {
		return nil, fmt.Errorf("writing experiment %q: %w", e.Name, err)
	}
	return []byte(out.String()), nil
}

type writer struct{ *redactor }

func (p *pairs) text(key, value string) {
	if value != "" {
		p.add(key, value)
	}
}

func (p *pairs) duration(key string, d time.Duration) { p.add(key, formatDuration(d)) }

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
		names := make([]string, len(e.Operations))
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
	p.add("load", loadOf(e.Load))
	p.add("design", designOf(e.Design))
	if len(e.Budget) > 0 {
		var budget pairs
		for _, l := range e.Budget {
			budget.add(l.Metric, l.Text)
		}
		p.add("budget", budget)
	}
	p.text("sink", string(e.Sink))
	return p
}

func mixOf(o Operation) pairs {
	var p pairs
	for _, s := range o.Mix {
		p.add(s.Operation.Name, number(s.Weight))
	}
	return p
}

func loadOf(l Load) pairs {
	var p pairs
	if l.Rate > 0 {
		p.add("rate", formatRate(l.Rate))
	}
	p.add("connections", l.Connections)
	p.text("arrivals", l.Arrivals)
	p.duration("warmup", l.Warmup)
	p.duration("duration", l.Duration)
	p.duration("timeout", l.Timeout)
	p.duration("idle", l.Idle)
	return p
}

func designOf(d Design) pairs {
	var p pairs
	p.add("blocks", d.Blocks)
	p.add("seed", d.Seed)
	if d.Quick {
		p.add("quick", true)
	}
	return p
}

func (w writer) variant(v Variant) pairs {
	var p pairs
	p.text("description", v.Description)
	p.add("tracer", v.Tracer.Name)
	if len(v.Settings) > 0 {
		p.add("settings", w.env(v.Settings))
	}
	if len(v.Env) > 0 {
		p.add("env", w.env(v.Env))
	}
	if len(v.Args) > 0 {
		p.add("args", w.words(v.Args))
	}
	p.text("against", v.Against)
	return p
}

// env is a mapping of names to texts, sorted, without credentials.
func (w writer) env(m map[string]string) pairs {
	var p pairs
	for _, k := range slices.Sorted(maps.Keys(m)) {
		p.add(k, w.value(k, m[k]))
	}
	return p
}
