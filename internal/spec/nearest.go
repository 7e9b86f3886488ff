// The nearest right word for a wrong one.

package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// UnknownError is a name that is not in the catalog.
type UnknownError struct {
	What    string // "workload", "tracer", "experiment" or "variant"
	Name    string
	Nearest string   // "" where nothing is near
	Related []string // of a tracer where nothing is nearest: those that may be meant, sorted
}

func (e *UnknownError) Error() string {
	hint := didYouMean(e.Nearest)
	switch {
	case e.Nearest != "":
	case len(e.Related) > 0:
		hint = didYouMeanOneOf(e.Related)
	case e.What != "variant":
		hint = fmt.Sprintf("; 'tracetax list %ss' shows them", e.What)
	}
	return fmt.Sprintf("unknown %s %q%s", e.What, e.Name, hint)
}

func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", word)
}

// maxRelated is how many names are offered at once: more are a list, which there is a
// command for.
const maxRelated = 5

func didYouMeanOneOf(words []string) string {
	var quoted []string
	for _, w := range words[:min(len(words), maxRelated)] {
		quoted = append(quoted, strconv.Quote(w))
	}
	if len(words) > maxRelated {
		quoted = append(quoted, "…")
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(quoted, ", "))
}

// unknown says that word is none of the known ones, and which is nearest; where
// none is near and they are few, it names them all.
func unknown(what, word string, known []string) string {
	near := nearest(word, known)
	if near == "" && len(known) > 0 && len(known) <= 12 {
		sorted := slices.Sorted(slices.Values(known))
		return fmt.Sprintf("unknown %s %q; known are %s", what, word, strings.Join(sorted, ", "))
	}
	return fmt.Sprintf("unknown %s %q%s", what, word, didYouMean(near))
}

// nearest is the known word that word was probably meant to be, or "".
func nearest(word string, known []string) string {
	if len(word) > 100 {
		return ""
	}
	best, at := "", min(max(1, (len(word)+2)/3), len(word)-1)+1 // the first distance that is too far
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < at {
			best, at = k, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range slices.Sorted(slices.Values(known)) {
		if len(word) >= 3 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k) && len(k) >= 3) {
			return k
		}
	}
	return ""
}

// related are the tracers that may be meant by a word that is near no whole name: those
// that are near it but for their language, or else those that hold it.
func related(word string, known []string) []string {
	var stems []string
	for _, k := range known {
		stems = append(stems, stem(k))
	}
	near := nearest(word, stems)
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

// distance is the number of letters to insert, delete, replace or swap with a
// neighbour to turn a into b (optimal string alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
