// This file has the codes of what stands beside a figure, of blocks that are left out, and of how an experiment ended.

package finding

// The codes, each with its figures.
const (
	NoteHarness     Code = "of-harness"      // the figure is of the load generator or the sink: shown, not charged
	NoteBracket     Code = "bracket"         // each search knows its rate only to lie between two: share, that they are apart at the most
	NoteSharedCPU   Code = "of-shared-cpu"   // the figure is of programs that share their CPUs
	NoteOtherRate   Code = "not-at-the-rate" // Variant could not hold the rate: offered, reached
	NoteLossy       Code = "of-lossy"        // Variant lost spans: share
	NoteMayBeLossy  Code = "of-may-be-lossy" // Variant may have lost spans: share at most, Because
	NotePerSpan     Code = "per-span"        // the added CPU is over so many spans per operation: low, high
	NotePerTrace    Code = "per-kept-trace"  // the added CPU is over the traces that came
	NoteAdded       Code = "line-of-added"   // the figure is of the line through what tracing adds: depth, a figure a level
	NoteLine        Code = "line"            // the figure is of the line through the time per call: depth, a figure a level
	NoteLineLost    Code = "line-of-lossy"   // of the spans of a level were lost: share, the most
	NoteLineMayLose Code = "line-may-lose"   // of the spans of a level may have been lost: share, the most
	NoteMeanSlope   Code = "mean-slope"      // the line is bent, and the slope a mean: as of bent

	DoubtBelow     Code = "below-zero"       // the idle rate over the drain is more than the window used: block
	DoubtRanFirst  Code = "ran-first"        // the difference depends on whether Variant ran before Against: there, elsewhere
	DoubtRightNext Code = "ran-right-after"  // the difference depends on whether Against ran right after Variant: there, elsewhere
	DoubtRightPrev Code = "ran-right-before" // the difference depends on whether Variant ran right after Against: there, elsewhere

	SpoiltSteal   Code = "steal"     // the host took CPU time while Variant ran: block, share
	SpoiltWindows Code = "disturbed" // other programs, or the host, disturbed windows of the block, too many to leave them out: block, disturbed, windows

	StopPrecise Code = "precise-enough" // the precision was reached: blocks, precision
	StopMost    Code = "most-blocks"    // the precision was not reached, and no more blocks may be made: blocks, precision
)

// The reasons for which nobody knows how many spans were lost, LossUnknown.Why: without figures.
const (
	LossNumber  Code = "number-unknown"     // how many were to come is not known
	LossVaries  Code = "number-varies"      // their number varies from operation to operation
	LossFailed  Code = "operations-failed"  // operations failed or were sent again
	LossSurplus Code = "more-than-expected" // more came than were expected
	LossUnmade  Code = "made-unknown"       // how many were made is not known
	LossNoProbe Code = "no-probe"           // there is no probe at the rate that a search found
)
