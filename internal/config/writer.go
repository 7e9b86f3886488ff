// How the parts of an experiment are written as YAML.

package config

import (
	"maps"
	"slices"
	"time"
)

type writer struct{ *redactor }

func (p *pairs) text(key, value string) {
	if value != "" {
		p.add(key, value)
	}
}

func (p *pairs) duration(key string, d time.Duration) { p.add(key, formatDuration(d)) }

// several adds a number, or the list of those that are swept; neither where there
// is none.
func (p *pairs) several(key string, one int, list []int) {
	switch {
	case len(list) > 0:
		p.add(key, inline[int](list))
	case one > 0:
		p.add(key, one)
	}
}

// env is a mapping of names to texts, sorted, without credentials.
func (w writer) env(m map[string]string) pairs {
	var p pairs
	for _, k := range slices.Sorted(maps.Keys(m)) {
		p.add(k, w.value(k, m[k]))
	}
	return p
}
