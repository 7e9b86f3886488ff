// The marks of variants that did less than the others: they lost spans, suppressed them, or
// sent none at all.

package parts

// The marks, and what they say.
const (
	LossyMark      = "†"
	SuppressedMark = "‡"
	UntracedMark   = "∅"

	LossyText      = LossyMark + " lost over 1 % of its spans: what it costs is the cost of less work."
	SuppressedText = SuppressedMark + " suppressed over 1 % of its spans by the tracer's own limit: it does less than a variant that sends them all."

	UntracedText = UntracedMark + " no span came: what it costs here is not the overhead of tracing."
)
