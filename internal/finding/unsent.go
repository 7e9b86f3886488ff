// This file has the words of spans that do not come though nothing is lost: a tracer holds them
// back by a limit of its own, or does not trace an operation at all.
package finding

// Unsent is a variant that did not send over 1 % of its spans on an operation, because its
// tracer has a limit such as a least duration. What it costs is to be read with that. Where a
// workload makes work as fast as it goes such spans count as lost: see Lossy.
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
	Operation string `json:"operation"`
}
