// This file has the words of spans that do not come though nothing is lost: a tracer suppresses
// them by a limit of its own.

package finding

import "maps"

// Suppressed is a variant that suppressed over 1 % of its spans on an operation, because its
// tracer has a limit such as a least duration. What it costs is to be read with that. Of
// unthrottled operations, made by the workload itself, such spans count as lost: see Lossy.
type Suppressed struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	Share     float64           `json:"share"`               // of the spans that its operations were to send, the warm-up's too
	Spans     int64             `json:"spans"`               // that were suppressed
}

// ReplicationSuppressed is such a variant on one workload.
type ReplicationSuppressed struct {
	Workload string `json:"workload"`
	Suppressed
}

// Lost is what a variant lost on an operation at its level, where that is over 1 % of its
// spans; without a level, as of a line over all of them, at the worst. It is nil otherwise.
func (d *Document) Lost(operation string, parameter map[string]string, variant string) *Lossy {
	var worst *Lossy
	for i := range d.Lossy {
		l := &d.Lossy[i]
		here := l.Variant == variant && l.Operation == operation && (len(parameter) == 0 || maps.Equal(l.Parameter, parameter))
		if here && (worst == nil || l.LostShare > worst.LostShare) {
			worst = l
		}
	}
	return worst
}

// LostShare is the share of its spans that Lost tells of; 0 where it is nil.
func (d *Document) LostShare(operation string, parameter map[string]string, variant string) float64 {
	if l := d.Lost(operation, parameter, variant); l != nil {
		return l.LostShare
	}
	return 0
}
