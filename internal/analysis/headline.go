// This file tells the headline while the experiment lasts.
package analysis

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// Headline is the CPU per operation of each variant so far, in a line: with its
// interval from 6 blocks on. It is "" before the first block is whole. It costs
// little: no histogram is read, and no block is left out as spoiled.
func Headline(e *spec.Experiment, records []record.Record) string {
	if e == nil || len(e.Variants) == 0 {
		return ""
	}
	var parts []string
	last := ""
	for _, f := range HeadlineFindings(e, records) {
		i := f.Relative
		if i == nil {
			i = f.Absolute
		}
		text := f.Operation + " " + finding.FormatInterval(*i, f.Unit, f.Relative != nil)
		if f.Variant != last {
			text = f.Variant + ": " + text
			last = f.Variant
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "CPU per operation " + strings.Join(parts, ", ")
}

// HeadlineFindings are the headline's findings alone, without verdicts, by
// variant.
func HeadlineFindings(e *spec.Experiment, records []record.Record) []finding.Finding {
	s := sortOut(Input{Experiment: e, Records: records})
	var out []finding.Finding
	for _, p := range s.pairs() {
		for _, operation := range s.operations() {
			if p.extra {
				continue
			}
			if c := s.claim(cpuMetric(""), p, operation); c != nil {
				out = append(out, c.Finding)
			}
		}
	}
	return out
}
