// The marks of variants that did less than the others: they lost spans, held them back, or
// sent none at all.

package parts

// The marks, and what they say.
const (
	LossyMark    = "†"
	UnsentMark   = "‡"
	UntracedMark = "∅"

	LossyText  = LossyMark + " lost over 1 % of its spans: what it costs is the cost of less work."
	UnsentText = UnsentMark + " did not send over 1 % of its spans, by a limit of the tracer's own: it does less than a variant that sends them all."

	UntracedText = UntracedMark + " no span came: what it costs here is not the overhead of tracing."
)
