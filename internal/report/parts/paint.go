// What variants are drawn with: the colour of their tracer, and what tells those of one tracer apart.

package parts

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Paint is how a variant is drawn on all charts of a page. A tracer has the same colour on every page.
type Paint struct {
	Colour int `json:"colour"` // of the style sheet, --c1 for 1; 0 is the baseline's grey
	Mark   int `json:"mark"`   // its number among the variants of this colour: it chooses dashes and a symbol
}

// Colours is how many the style sheet has beside the baseline's.
const Colours = 10

// tracerColours are those of the tracers that most results are of, whatever the language. Others get theirs by a hash of
// their name, or the next that is free.
var tracerColours = map[string]int{
	"otel": 1, "elastic": 2, "kieker": 3, "pinpoint": 4, "skywalking": 5,
	"datadog": 6, "newrelic": 7, "scouter": 8, "inspectit": 9, "zipkin": 10,
}

// Paints are what the variants are drawn with, by name. Where there are more tracers than colours, several have one, and
// are told by their dashes and symbols as the variants of one tracer are.
func Paints(variants []finding.Variant, baseline string) map[string]Paint {
	colours := coloursOf(variants, baseline)
	used := map[int]int{}
	out := map[string]Paint{}
	for _, v := range variants {
		if _, known := out[v.Name]; known {
			continue
		}
		colour := 0
		if v.Name != baseline {
			colour = colours[painted(v)]
		}
		out[v.Name] = Paint{Colour: colour, Mark: used[colour]}
		used[colour]++
	}
	return out
}

// coloursOf are the colours of all that is painted.
func coloursOf(variants []finding.Variant, baseline string) map[string]int {
	out := map[string]int{}
	taken := map[int]bool{}
	var others []string
	for _, v := range variants {
		if v.Name == baseline {
			continue
		}
		name := painted(v)
		if colour, known := tracerColours[name]; known {
			out[name], taken[colour] = colour, true
		} else if !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others) // whatever order the experiment has
	for _, name := range others {
		colour := hashed(name)
		for range Colours {
			if !taken[colour] {
				break
			}
			colour = colour%Colours + 1
		}
		out[name], taken[colour] = colour, true
	}
	return out
}

// painted is what the colour of a variant stands for: its tracer, of whatever language; its own name where it has none.
func painted(v finding.Variant) string {
	if v.Tracer == "" || v.Tracer == "none" {
		return v.Name
	}
	if i := strings.LastIndex(v.Tracer, "-"); i > 0 && tracerColours[v.Tracer[:i]] > 0 {
		return v.Tracer[:i]
	}
	return v.Tracer
}

// hashed is the colour that a name asks for.
func hashed(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name)) // which never fails
	return int(h.Sum32()%Colours) + 1
}
