package rebuild

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/wording"
	"github.com/tracetax/tracetax/lab/graphs/packets"
)

// Summary counts what was rebuilt of a capture.
type Summary struct {
	Title string   `json:"title,omitempty"`
	Files []string `json:"files"`
	packets.Counts
	Outside   int64 `json:"outside"`   // calls in no phase of the run, as whether a process is ready: they are not among the spans
	Backwards int64 `json:"backwards"` // calls that end before they begin: the clocks of several machines disagree
	// Translated are calls that are in the capture twice, with the address that was called and the one it was translated to.
	Translated int64   `json:"translated"`
	Shared     int     `json:"shared"` // callers that may be several processes at one address
	Parents    Parents `json:"parents"`
	Traces     Traces  `json:"traces"`
	Phases     []Phase `json:"phases,omitempty"`
	Score      *Score  `json:"score,omitempty"` // of what is in no phase too
	CPU        float64 `json:"cpu_seconds"`     // that rebuilding took, writing included
}

// Parents are the calls by how their parent is known.
type Parents struct {
	Roots   int64 `json:"roots"` // calls of clients that serve nothing
	ID      int64 `json:"id"`
	Alone   int64 `json:"alone"`
	Likely  int64 `json:"likely"`
	Unknown int64 `json:"unknown"`
}

// Traces are those that have a root.
type Traces struct {
	Certain int64 `json:"certain"`
	Likely  int64 `json:"likely"`  // with a parent that is likely
	CutOff  int64 `json:"cut_off"` // with a call that has no end or no known parent
}

// Phase is the load of an operation.
type Phase struct {
	Operation string `json:"operation"`
	Level     string `json:"level,omitempty"`
	Traces    int64  `json:"traces"`
	Calls     int64  `json:"calls"`
	Score     *Score `json:"score,omitempty"`
}

func (t *Traces) add(of *trace) {
	switch {
	case !of.rooted: // calls without a known parent
	case of.cut:
		t.CutOff++
	case of.likely:
		t.Likely++
	default:
		t.Certain++
	}
}

// Text is the summary for people.
func (s *Summary) Text() string {
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, "%s\n", s.Title)
	}
	missing := "no byte missing"
	if s.Missing > 0 {
		missing = count(s.Missing, "byte") + " missing"
	}
	if s.Dropped > 0 {
		missing = count(s.Dropped, "packet") + " dropped by the kernel, " + missing
	}
	fmt.Fprintf(&b, "%s, %s; %s%s, %s without an end\n", count(s.Packets, "packet"), missing,
		s.calls(), s.byProtocol(), finding.FormatCount(s.Unended))
	p := s.Parents
	fmt.Fprintf(&b, "parent known  by its id %s · by time, as the only one possible %s · likely %s · not known %s\n",
		finding.FormatCount(p.ID), finding.FormatCount(p.Alone), finding.FormatCount(p.Likely), finding.FormatCount(p.Unknown))
	t := s.Traces
	fmt.Fprintf(&b, "%s: %s certain, %s with a likely parent, %s cut off\n", count(t.Certain+t.Likely+t.CutOff, "trace"),
		finding.FormatCount(t.Certain), finding.FormatCount(t.Likely), finding.FormatCount(t.CutOff))
	for _, f := range s.Phases {
		name := strings.TrimSpace(f.Operation + " " + f.Level)
		fmt.Fprintf(&b, "%s: %s, %s%s\n", name, count(f.Traces, "trace"), count(f.Calls, "call"), f.Score.text())
	}
	if len(s.Phases) == 0 && s.Score != nil {
		fmt.Fprintf(&b, "%s\n", strings.TrimPrefix(s.Score.text(), "; "))
	}
	if n := t.Certain + t.Likely + t.CutOff; n > 0 {
		fmt.Fprintf(&b, "rebuilding took %.2f s of CPU, %.0f µs a trace\n", s.CPU, s.CPU/float64(n)*1e6)
	}
	if out := s.leftOut(); len(out) > 0 {
		fmt.Fprintf(&b, "left out: %s\n", strings.Join(out, "; "))
	}
	if s.Shared > 0 {
		fmt.Fprintf(&b, "%s may be several processes at one address: what they call has no certain parent by time "+
			"(give each an address; --names tells which is one)\n", count(int64(s.Shared), "caller"))
	}
	return b.String()
}

func (s *Summary) calls() string {
	var n int64
	for _, of := range s.Calls {
		n += of
	}
	return count(n, "call")
}

func (s *Summary) byProtocol() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Calls)) {
		label := name
		if name == packets.Turns {
			label = "of unknown protocols"
		}
		parts = append(parts, label+" "+finding.FormatCount(s.Calls[name]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// leftOut says what of the capture became no call, or an uncertain one.
func (s *Summary) leftOut() []string {
	var out []string
	say := func(n int, noun, rest string) {
		if n > 0 {
			out = append(out, wording.Counted(n, noun)+rest)
		}
	}
	say(s.Encrypted, "connection", " encrypted")
	say(s.NoTables, "connection", " with HTTP/2 headers that need what was sent before the capture or in a gap")
	say(s.Upgraded, "connection", " after an upgrade to another protocol")
	say(s.Garbled, "place", " in connections where no message began that could be read")
	say(s.GivenUp, "connection", " that could not be read")
	say(s.CutOff, "file", " cut off in its last packet, as a capture is that was stopped")
	say(int(s.Cut), "packet", " captured in part (capture with -s 0)")
	say(int(s.NoTCP), "packet", " of another protocol than TCP, or in a tunnel")
	say(int(s.Fragments), "fragment", " of IP packets")
	say(int(s.Outside), "call", " in no phase of the run")
	say(int(s.Translated), "call", " that went to two addresses, one of which was translated to the other: each counts twice")
	say(int(s.Backwards), "call", " that end before they begin: the clocks of the machines disagree")
	return out
}

func count(n int64, noun string) string { return wording.Counted(int(n), noun) }
