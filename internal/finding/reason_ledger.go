// This file has the codes of what a page of the ledger comes to.

package finding

// The codes, each with its figures. Where nothing else is said they are of the spans of the page.
const (
	PageOfStarting         Code = "of-starting"       // of the start, which no operation accounts for: spans, and requests, the readiness requests made
	PageOfStopping         Code = "of-stopping"       // of the stop, which no operation accounts for: spans
	PageNotExported        Code = "not-exported"      // the variant exports none, by intent
	PageCameUnexported     Code = "came-unexported"   // the variant exports none, and yet some came: spans
	PageCameUnsampled      Code = "came-unsampled"    // none is sampled, and yet some came: spans
	PageCame               Code = "came"              // so many came: spans
	PageUnknown            Code = "expected-unknown"  // how many were to come is not known
	PageCameUnexpected     Code = "came-unexpected"   // none was expected: spans
	PageNoneLearnt         Code = "none-learnt"       // none came, as in the calibration
	PageNone               Code = "none-expected"     // none came, as is declared
	PageNoSpan             Code = "no-span"           // none came, though some should have, and nobody says that they are lost
	PageNothingLost        Code = "nothing-lost"      // no span was lost, for sure
	PageLost               Code = "spans-lost"        // lost for sure: share, and the spans of it: dropped, as the tracer says; failed, in exports; dropped-on-way and failed-on-way, where there are hops; dropped-early and torn, where hops decide on traces; at-stop, where any were; unaccounted
	PageVaries             Code = "varies"            // none was lost for sure, the number varies
	PageMayVary            Code = "may-vary"          // none was lost for sure, the number varies, and some may be: spans
	PageMayHaveFailed      Code = "may-have-failed"   // none was lost for sure, some of failed operations may be: spans, operations
	PageMayNotBeMade       Code = "may-not-be-made"   // none was lost for sure, some may be or were never made: spans
	PageHopSilent          Code = "hop-silent"        // none was lost for sure, the tracer or a hop does not say what it leaves out on purpose: spans
	PageCopies             Code = "copies"            // none was lost for sure, and some may be: hops left spans out by their count, in which are copies of others: spans
	PageByCount            Code = "by-count"          // none was lost, as far as the counts of hops tell, which take a span and its copy for two
	PageUnchecked          Code = "ids-unchecked"     // as many came as expected, and nobody looked at their ids: spans
	PageTracesKept         Code = "traces-kept"       // traces that a sampler kept: traces, of trials, at sampling; chance allows low to high
	PageComplete           Code = "traces-complete"   // all traces that came are complete
	PageTooFewTraces       Code = "too-few-traces"    // fewer traces came than chance allows
	PageTooManyTraces      Code = "too-many-traces"   // more traces came than chance allows
	PageHidden             Code = "hidden"            // may be lost in whole traces: spans, share
	PageHiddenInAll        Code = "hidden-in-all"     // may be lost with those that are for sure: spans, share
	PageSuppressed         Code = "suppressed"        // a limit of the tracer's own suppressed them: spans, share
	PageSurplus            Code = "surplus"           // more came than expected: spans
	PageBesides            Code = "besides"           // of starting, beside those of the first request: spans
	PageRepeated           Code = "repeated"          // came more than once: spans
	PageParentsAbsent      Code = "parents-absent"    // others name them as their parent, and they never came: spans
	PageOtherWork          Code = "other-work"        // of what the program does besides: spans, then those of the most frequent roots, by the root's name
	PageForeign            Code = "other-ids"         // the program gives traces other ids than its requests bring, so that other work is told by names alone: traces
	PageReportedBeyond     Code = "said-beyond"       // the tracer says that it dropped more than are missing: spans
	PageReportedOfStart    Code = "said-beyond-start" // the tracer says that it dropped more than are missing, and they may be of starting: spans
	PageReportedSuppressed Code = "said-beyond-sent"  // the tracer says that it dropped more than are missing, and they were not to be sent: spans
	PageFailedCame         Code = "failed-came"       // the tracer says that their export failed, and they came: spans
)
