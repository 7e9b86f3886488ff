// This file names what a clause of the summary is about.

package words

import (
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// subject is what a clause is about.
type subject struct {
	name string // "tracing with otel"
	with string // "with otel"
	many bool   // several variants
}

// who names a variant; where no tracer takes part, nothing is traced.
func who(doc *finding.Document, variant string) subject {
	for _, v := range doc.Experiment.Variants {
		if v.Name == variant && v.Tracer == "none" {
			return subject{name: variant, with: "with " + variant}
		}
	}
	return subject{name: "tracing with " + variant, with: "with " + variant}
}

func (s subject) verb(one, more string) string {
	if s.many {
		return s.name + " " + more + " "
	}
	return s.name + " " + one + " "
}

// where names the operation of a headline, at its level.
func where(f finding.Finding) string {
	return cell.AtOf(f.Operation, f.Parameter).String()
}

func (s subject) named(f finding.Finding) string {
	if s.many {
		return f.Variant + " on " + where(f)
	}
	return where(f)
}

// names is " on json and work", or " for otel on json".
func (s subject) names(list []finding.Finding) string {
	var names []string
	for _, f := range list {
		names = append(names, s.named(f))
	}
	if s.many {
		return " for " + FewNames(names)
	}
	return " on " + FewNames(names)
}
