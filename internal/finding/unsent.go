// This file has the words of spans that do not come though nothing is lost: a tracer holds them
// back by a limit of its own, or does not trace an operation at all.
package finding

import (
	"maps"
	"slices"
)

// Unsent is a variant that did not send over 1 % of its spans on an operation, because its
// tracer has a limit such as a least duration. What it costs is to be read with that. Of
// workloads that make themselves work such spans count as lost: see Lossy.
type Unsent struct {
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Variant   string            `json:"variant"`
	Share     float64           `json:"share"` // of the spans that its operations were to send, the warm-up's too
	Spans     int64             `json:"spans"`
}

// StudyUnsent is such a variant on one workload.
type StudyUnsent struct {
	Workload string `json:"workload"`
	Unsent
}

// Untraced is an operation of which no span came of a variant that should have sent some: what
// it costs there is not what tracing costs.
type Untraced struct {
	Variant   string `json:"variant"`
	Operation string `json:"operation"` // "" where that is so of all: of the whole run
}

// IsUntraced reports whether no span came of an operation of a variant that should have sent
// some; of "", the whole run, whether that is so of all operations.
func (d *Document) IsUntraced(variant, operation string) bool {
	return slices.Contains(d.Untraced, Untraced{Variant: variant, Operation: operation})
}

// LostShare is the share of its spans that a variant lost on an operation at its level, where
// that is over 1 %; 0 otherwise.
func (d *Document) LostShare(operation string, parameter map[string]string, variant string) float64 {
	for _, l := range d.Lossy {
		if l.Variant == variant && l.Operation == operation && maps.Equal(l.Parameter, parameter) {
			return l.LostShare
		}
	}
	return 0
}
