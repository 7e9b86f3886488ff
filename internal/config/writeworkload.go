// The user's own workloads as YAML.

package config

import (
	"maps"
	"slices"
)

// operations are those of a workload by their names.
func (w writer) operations(all []Operation) pairs {
	var p pairs
	for _, o := range all {
		if w.self {
			p.add(o.Name, drivenOf(o))
			continue
		}
		p.add(o.Name, w.operation(o))
	}
	return p
}

// drivenOf is an operation of a self-driving workload.
func drivenOf(o Operation) pairs {
	var p pairs
	p.text("description", o.Description)
	p.text("process", o.Process)
	if o.Rate != 0 {
		p.add("rate", formatRate(o.Rate))
	}
	if len(o.Spans) > 0 {
		p.add("spans", spansOf(o.Spans))
	}
	if len(o.Drive) > 0 {
		var drive pairs
		for _, word := range slices.Sorted(maps.Keys(o.Drive)) {
			drive.add(word, o.Drive[word])
		}
		p.add("drive", drive)
	}
	if o.Empty {
		p.add("empty", true)
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

func (w writer) operation(o Operation) pairs {
	var p pairs
	p.text("description", o.Description)
	switch {
	case len(o.Then) > 0:
		var steps []pairs
		for _, step := range o.steps() {
			steps = append(steps, w.step(step))
		}
		p.add("steps", steps)
	case o.GRPC:
		p.add("grpc", w.redactor.text(o.URL))
	default:
		p.add("request", o.Method+" "+w.redactor.text(o.URL))
	}
	if o.Insecure {
		p.add("insecure", true)
	}
	p.text("data", o.Data)
	p.text("order", o.Order)
	p.text("protoset", o.Protoset)
	p.text("process", o.Process)
	if len(o.Then) == 0 {
		w.asked(&p, o.Headers, o.Body, o.Status)
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

func spansOf(spans map[string]Number) pairs {
	var p pairs
	for _, tracer := range slices.Sorted(maps.Keys(spans)) {
		n := spans[tracer]
		if n.High == n.Low {
			p.add(orDefault(tracer), n.Low)
			continue
		}
		p.add(orDefault(tracer), formatNumber(n.Low)+".."+formatNumber(n.High))
	}
	return p
}
