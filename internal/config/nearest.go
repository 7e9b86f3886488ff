// Names that are not known: what of the catalog may be meant.

package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/nearest"
)

// UnknownError is a name that is not in the catalog.
type UnknownError struct {
	What    string // "workload", "tracer", "experiment" or "variant"
	Name    string
	Nearest string   // "" where nothing is near
	Related []string // of a tracer where nothing is nearest: those that may be meant, sorted
	Known   []string // all there are, where no command lists them
}

func (e *UnknownError) Error() string {
	hint := nearest.DidYouMean(e.Nearest)
	switch {
	case e.Nearest != "":
	case len(e.Related) > 0:
		hint = nearest.DidYouMean(e.Related...)
	case len(e.Known) > 0:
		hint = nearest.Hint(e.Name, e.Known)
	default:
		hint = fmt.Sprintf("; 'tracetax list %ss' shows them", e.What)
	}
	return fmt.Sprintf("unknown %s %q%s", e.What, e.Name, hint)
}

// unknown says that word is none of the known ones, and which may be meant.
func unknown(what, word string, known []string) string { return nearest.Unknown(what, word, known) }

// related are the tracers that may be meant by a word that is near no whole name: those
// that are near it but for their language, or else those that hold it.
func related(word string, known []string) []string {
	var stems []string
	for _, k := range known {
		stems = append(stems, stem(k))
	}
	near := nearest.Word(word, stems)
	var out []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		holds := near == "" && len(word) >= 3 && strings.Contains(k, strings.ToLower(word))
		if holds || near != "" && stem(k) == near {
			out = append(out, k)
		}
	}
	return out
}

// stem is the name of a tracer without its language: otel of otel-python.
func stem(tracer string) string {
	if i := strings.LastIndex(tracer, "-"); i > 0 {
		return tracer[:i]
	}
	return tracer
}
