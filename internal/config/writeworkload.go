// The user's own workloads as YAML.

package config

import (
	"maps"
	"slices"
)

// operations are those of a workload by their names.
func (w writer) operations(all []Operation) Object {
	var p Object
	for _, o := range all {
		p.add(o.Name, w.written(&o, inWorkload))
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

func spansOf(spans map[string]Number) Object {
	var p Object
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
