// Experiments as YAML: the resolved file of a results folder.
package spec

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"
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

func (w writer) workload(wl *Workload) pairs {
	var p pairs
	p.text("name", wl.Name)
	p.text("language", wl.Language)
	p.text("description", wl.Description)
	p.text("dir", wl.Dir)
	if len(wl.Needs) > 0 {
		p.add("needs", needsOf(wl.Needs))
	}
	if wl.Artifact.Python != "" {
		p.add("artifact", pairs{{"python", wl.Artifact.Python}})
	}
	if len(wl.Build) > 0 {
		p.add("build", w.builds(wl.Build))
	}
	processes := make([]pairs, len(wl.Processes))
	for i, process := range wl.Processes {
		processes[i] = w.process(process)
	}
	p.add("processes", processes)
	var operations pairs
	for _, o := range wl.Operations {
		operations.add(o.Name, w.operation(o))
	}
	p.add("operations", operations)
	return p
}

func needsOf(needs []Need) []pairs {
	out := make([]pairs, len(needs))
	for i, n := range needs {
		var p pairs
		p.text("command", n.Command)
		p.text("install", n.Install)
		p.text("reason", n.Reason)
		out[i] = p
	}
	return out
}

func (w writer) builds(builds map[string]Build) pairs {
	var p pairs
	for _, tracer := range slices.Sorted(maps.Keys(builds)) {
		var b pairs
		b.add("run", builds[tracer].Run)
		if len(builds[tracer].Env) > 0 {
			b.add("env", w.env(builds[tracer].Env))
		}
		p.add(orDefault(tracer), b)
	}
	return p
}

// orDefault is the key of a mapping by tracer in a file.
func orDefault(tracer string) string {
	if tracer == "" {
		return "default"
	}
	return tracer
}

func (w writer) process(process Process) pairs {
	var p pairs
	p.add("name", process.Name)
	p.add("role", process.Role)
	p.add("run", w.words(process.Run))
	if len(process.Env) > 0 {
		p.add("env", w.env(process.Env))
	}
	p.text("dir", process.Dir)
	p.text("ready", w.redactor.text(process.Ready))
	p.duration("patience", process.Patience)
	if process.CPUs > 0 {
		p.add("cpus", number(process.CPUs))
	}
	if process.Memory > 0 {
		p.add("memory", formatSize(process.Memory))
	}
	p.add("traced", process.Traced)
	return p
}

func (w writer) operation(o Operation) pairs {
	var p pairs
	p.text("description", o.Description)
	p.add("request", o.Method+" "+w.redactor.text(o.URL))
	p.text("process", o.Process)
	if len(o.Headers) > 0 {
		p.add("headers", w.env(o.Headers))
	}
	if len(o.Body) > 0 {
		p.add("body", bodyOf(o.Body))
	}
	if o.Status != 0 {
		p.add("status", o.Status)
	}
	if o.Timeout != 0 {
		p.duration("timeout", o.Timeout)
	}
	if o.Rate != 0 {
		p.add("rate", formatRate(o.Rate))
	}
	if len(o.Spans) > 0 {
		p.add("spans", spansOf(o.Spans))
	}
	return p
}

// bodyOf is a text where that survives being written as YAML.
func bodyOf(body []byte) pairs {
	text := string(body)
	for _, r := range text {
		if unicode.IsControl(r) || !unicode.IsPrint(r) {
			return pairs{{"base64", base64.StdEncoding.EncodeToString(body)}}
		}
	}
	if !utf8.ValidString(text) {
		return pairs{{"base64", base64.StdEncoding.EncodeToString(body)}}
	}
	return pairs{{"text", text}}
}

func spansOf(spans map[string]Number) pairs {
	var p pairs
	for _, tracer := range slices.Sorted(maps.Keys(spans)) {
		n := spans[tracer]
		if n.High == n.Low {
			p.add(orDefault(tracer), number(n.Low))
			continue
		}
		p.add(orDefault(tracer), formatNumber(n.Low)+".."+formatNumber(n.High))
	}
	return p
}
