// Settings that lose spans beside another.

package config

import (
	"fmt"
	"strconv"
)

// Beyond says which variants have a setting above the one that it has to be within, as a tracer's file declares.
func (e *Experiment) Beyond() []string {
	var out []string
	for _, v := range e.Variants {
		if v.Tracer == nil {
			continue
		}
		for _, s := range v.Tracer.Settings {
			if s.Within == "" {
				continue
			}
			value, wrong := strconv.Atoi(v.Settings[s.Name])
			most, none := strconv.Atoi(v.Settings[s.Within])
			if wrong == nil && none == nil && value > most {
				out = append(out, fmt.Sprintf("variant %q: %s (%d) is above %s (%d), with which its tracer loses spans, or sends none; give it %d at most, or raise %s",
					printable(v.Name), s.Name, value, s.Within, most, most, s.Within))
			}
		}
	}
	return out
}
