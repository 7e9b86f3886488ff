// Which variants make as many spans as each other.

package config

import (
	"maps"
	"slices"
	"strings"
)

// SameSpans reports whether two variants make the same spans, whatever becomes of them: the
// same tracer, attached in the same way, in whose settings nothing differs that may change
// what makes spans.
func SameSpans(a, b Variant) bool {
	if a.TracerName() != b.TracerName() || !slices.Equal(a.On, b.On) || !maps.Equal(a.Env, b.Env) || !slices.Equal(a.Args, b.Args) {
		return false
	}
	if a.Tracer == nil {
		return true
	}
	return !slices.ContainsFunc(a.Tracer.Settings, func(s Setting) bool {
		return makesSpans(s) && a.Settings[s.Name] != b.Settings[s.Name]
	})
}

// makesSpans reports whether a setting may change what makes spans. Sampling and delays,
// limits and queues, and where spans go, whether they are sent at all included, say what
// becomes of them; of every other choice or text it is not known, and so it may.
func makesSpans(s Setting) bool {
	if s.Meaning != "" || s.Kind != "choice" && s.Kind != "text" {
		return false
	}
	for _, c := range s.Choices {
		if c.Silent || namesSink(c.Env) || namesSink(c.Append) {
			return false
		}
	}
	return !namesSink(s.Env) && !namesSink(s.Append)
}

func namesSink(texts map[string]string) bool {
	for _, text := range texts {
		if strings.Contains(text, sinkMark) {
			return true
		}
	}
	return false
}
