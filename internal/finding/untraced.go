// This file has the words of operations that were to be traced and of which no span came.

package finding

import "slices"

// Untraced is an operation of which no span came of a variant that should have sent some: what
// it costs there is not what tracing costs.
type Untraced struct {
	Variant    string     `json:"variant"`              // name of the variant
	Operation  string     `json:"operation"`            // "" where that is so of all: of the whole run
	Operations uint64     `json:"operations,omitempty"` // that were made; of "" all of them
	Causes     []NoSpanBy `json:"causes,omitempty"`     // what is known of why, the likeliest first; none: nothing is
}

// NoSpanBy is something that is known of why no span came, from codes and counts.
type NoSpanBy struct {
	Cause   NoSpanCause `json:"cause"`             // what is known
	Count   uint64      `json:"count"`             // of what Cause counts
	Of      uint64      `json:"of,omitempty"`      // of so many, where it is a part
	Process string      `json:"process,omitempty"` // where it was seen
	Names   []string    `json:"names,omitempty"`   // programs, or operations
	Log     string      `json:"log,omitempty"`     // the last line of the process's log that tells it
	Text    string      `json:"text"`              // the same in words
}

// NoSpanCause is a code from a closed list.
type NoSpanCause string

// The causes, in the order in which they are told.
const (
	NotTold         NoSpanCause = "not-told"         // no process is told where the sink is
	OtherLanguage   NoSpanCause = "other-language"   // none of the Of programs that ran is of the tracer's language; Names are they
	NotInherited    NoSpanCause = "not-inherited"    // Count of Of programs started without the variables that say where the sink is
	TracerFailed    NoSpanCause = "tracer-failed"    // Count lines of the log tell that something could not be loaded
	Refused         NoSpanCause = "refused"          // the sink refused Count requests or spans that it could not read
	NotUnderstood   NoSpanCause = "not-understood"   // Count connections came to the sink, and no request that it understands
	ExportFailed    NoSpanCause = "export-failed"    // Count spans in failed exports by the tracer's own word, or lines of the log that tell of such
	Dropped         NoSpanCause = "dropped"          // the tracer says that it dropped Count spans
	OtherSignals    NoSpanCause = "other-signals"    // Count metrics and logs came, and no span
	Empty           NoSpanCause = "empty-requests"   // Count requests came that hold no span
	OnlyBefore      NoSpanCause = "only-before"      // Count spans came in the calibration, and none in the runs
	NotInstrumented NoSpanCause = "not-instrumented" // the tracer is loaded in Count of Of programs and sent nothing; of an operation: Count spans came of others
	NotConnected    NoSpanCause = "not-connected"    // nothing ever connected to the sink, and nothing says why
)

// UntracedAt is what is known of an operation of a variant of which no span came though some
// should have; of "", the whole run, where that is so of all operations. It is nil otherwise.
func (d *Document) UntracedAt(variant, operation string) *Untraced {
	i := slices.IndexFunc(d.Untraced, func(u Untraced) bool { return u.Variant == variant && u.Operation == operation })
	if i < 0 {
		return nil
	}
	return &d.Untraced[i]
}

// IsUntraced reports whether no span came of an operation of a variant that should have sent
// some; of "", the whole run, whether that is so of all operations.
func (d *Document) IsUntraced(variant, operation string) bool {
	return d.UntracedAt(variant, operation) != nil
}

// NotTracing reports whether a finding is not what tracing costs, because no span came of one
// of its sides, or one of them sent spans elsewhere.
func (d *Document) NotTracing(f *Finding) bool {
	return d.IsUntraced(f.Variant, f.Operation) || d.IsUntraced(f.Against, f.Operation) || d.OneElsewhere(f) != ""
}

// Elsewhere is a process of a variant that sent spans elsewhere than to the sink, or tried to: a baseline that does traces,
// and what another variant costs is partly that.
type Elsewhere struct {
	Variant string   `json:"variant"`       // name of the variant
	Process string   `json:"process"`       // name of the process; "" where it is one of several
	To      []string `json:"to,omitempty"`  // addresses of known receivers that it was connected to
	Log     string   `json:"log,omitempty"` // the last line of its log that tells of a failed export
	Runs    int      `json:"runs"`          // in which it was seen
	Of      int      `json:"of"`            // good runs
	Text    string   `json:"text"`          // the same in words
}

// IsElsewhere reports whether a variant sent spans elsewhere than to the sink.
func (d *Document) IsElsewhere(variant string) bool {
	return slices.ContainsFunc(d.Elsewhere, func(e Elsewhere) bool { return e.Variant == variant })
}

// OneElsewhere is the side of a finding that sent spans elsewhere, the baseline first; "" where none did.
func (d *Document) OneElsewhere(f *Finding) string {
	for _, variant := range []string{f.Against, f.Variant} {
		if d.IsElsewhere(variant) {
			return variant
		}
	}
	return ""
}
