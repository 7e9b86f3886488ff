// What tracers and services say of spans, and where.

package config

import (
	"regexp"
	"slices"
	"strings"
)

// What a tracer or a service may say of spans.
const (
	SaysReceived = "received" // it took them in, those that it left out later among them
	SaysRefused  = "refused"  // it did not take them in, and told the sender so
	SaysSampled  = "sampled"  // it left them out on purpose: no loss
	SaysDropped  = "dropped"  // it threw them away
	SaysFailed   = "failed"   // it lost them in exports
	SaysSent     = "sent"     // it passed them on; a tracer: it gave them to an export, whatever came of that
	SaysEarly    = "early"    // in traces: it threw them away before it had decided on them
	SaysKept     = "kept"     // in traces: it decided to pass them on
	SaysTraced   = "traced"   // in traces: a tracer decided for them at their beginning, by chance
	SaysLate     = "late"     // how often spans came whose trace it had decided on
)

var (
	tracerSays  = []string{SaysSampled, SaysDropped, SaysFailed, SaysSent, SaysTraced}
	serviceSays = []string{SaysReceived, SaysRefused, SaysSampled, SaysDropped, SaysFailed, SaysSent, SaysEarly, SaysKept, SaysLate}
)

// Saying is a way in which a tracer or a service says what became of spans. Several of the same kind add up.
type Saying struct {
	What    string // one of the above
	Log     string // regular expression over the process's log; group "n" is the number, without it each line counts 1
	Take    string // of a log: "last" (a running total per process) or "sum"
	Metrics string // a counter on the page of the service or the traced process, such as name or name{label="value"}; all series that match are added up
	One     string // of a counter: a label that only one of its series may have. With several, each counts of the same spans, and the number is untold
	Absent  string // "none" or "unknown", as below; "": a counter is unknown then; of a line see hop.Log
}

// What it means that a counter or a line is not there.
const (
	AbsentNone    = "none"    // of a counter: it has counted nothing, if the page has another one of the service
	AbsentUnknown = "unknown" // of a log: every process says it when it ends, so that one without it was killed before, or never does
)

// says reads a list of them.
func (s *source) says(n *node, whats []string) []Saying {
	if n.kind != list {
		s.fail(n.at, "says must be a list, such as [{what: dropped, log: 'dropped (?P<n>\\d+) spans'}], not %s", n.kind)
		return nil
	}
	var out []Saying
	for _, item := range n.items {
		out = append(out, s.saying(item, whats))
	}
	return out
}

func (s *source) saying(item *node, whats []string) Saying {
	a := Saying{}
	if !s.mapping(item, "a saying", fields{
		"what":    func(v *node) { a.What = s.oneOf(v, "what", whats...) },
		"log":     func(v *node) { a.Log = s.compile(v) },
		"take":    func(v *node) { a.Take = s.oneOf(v, "take", "sum", "last") },
		"metrics": func(v *node) { a.Metrics = s.series(v) },
		"one":     func(v *node) { a.One = s.label(v) },
		"absent":  func(v *node) { a.Absent = s.oneOf(v, "absent", AbsentNone, AbsentUnknown) },
	}) {
		return a
	}
	if item.get("what") == nil || item.get("log") == nil && item.get("metrics") == nil {
		s.fail(item.at, "a saying needs what (%s), and log (a regular expression) or metrics (a counter of its page)", strings.Join(whats, ", "))
		return a
	}
	if item.get("log") != nil && item.get("metrics") != nil {
		s.fail(item.get("metrics").at, "a saying is in a log or on a page of counters: write two of them, which add up")
	}
	if at := item.get("log"); at != nil && a.What == SaysTraced {
		s.fail(at.at, "traced is asked for after each operation, and so is of a page of counters: write metrics in the place of log")
	}
	if at := item.get("take"); at != nil && item.get("metrics") != nil {
		s.fail(at.at, "take is of a log; a counter is a running total")
	}
	switch at := item.get("absent"); {
	case a.Absent == AbsentNone && item.get("metrics") == nil:
		s.fail(at.at, "absent: none is of a counter; leave it out of a log, or write absent: unknown for a line that every process ends with")
	case a.Absent == AbsentUnknown && item.get("metrics") != nil:
		s.fail(at.at, "absent: unknown is of a log; a counter that is not on the page is unknown, unless with absent: none")
	}
	if at := item.get("one"); at != nil && item.get("metrics") == nil {
		s.fail(at.at, "one is a label of a counter; a log has none")
	}
	if a.Log != "" && a.Take == "" {
		a.Take = "sum"
	}
	if re, err := regexp.Compile(a.Log); err == nil && re.NumSubexp() > 0 && re.SubexpIndex("n") < 0 {
		s.fail(item.get("log").at, "the group that holds the number must be called n: (?P<n>\\d+)")
	}
	return a
}

// paged checks that those who say it by counters name their page.
func (s *source) paged(n *node, who, page string, all []Saying) {
	if says := n.get("says"); says != nil && page == "" && slices.ContainsFunc(all, func(s Saying) bool { return s.Metrics != "" }) {
		s.fail(says.at, "a %s that says it by counters needs metrics: where its page is, such as http://127.0.0.1:{port.metrics}/metrics", who)
	}
}

// admits was the word for says of a tracer.
func (s *source) admits(n *node) {
	s.fail(n.at, "admits is called says: [{what: dropped, log: …}]; what stands in it stays the same")
}

// A series is chosen by its name, and by labels that it must have.
var (
	seriesText = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?$`)
	labelText  = regexp.MustCompile(`^\s*([a-zA-Z_][a-zA-Z0-9_]*)="([^"\\]*)"\s*$`)
)

// Series chooses counters of a page: those of a name that have certain labels.
type Series struct {
	Name   string
	Labels map[string]string
}

// ParseSeries reads name or name{label="value",…}; false where it is neither.
func ParseSeries(text string) (Series, bool) {
	found := seriesText.FindStringSubmatch(text)
	if found == nil {
		return Series{}, false
	}
	out := Series{Name: found[1]}
	if found[2] == "" {
		return out, !strings.HasSuffix(text, "}")
	}
	out.Labels = map[string]string{}
	for part := range strings.SplitSeq(found[2], ",") {
		label := labelText.FindStringSubmatch(part)
		if label == nil {
			return Series{}, false
		}
		out.Labels[label[1]] = label[2]
	}
	return out, true
}

func (s *source) series(n *node) string {
	text := s.line(n)
	if _, ok := ParseSeries(text); !ok {
		s.fail(n.at, "%q is not a counter such as spans_dropped or spans_dropped{queue=\"full\"}", printable(text))
	}
	return text
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

func (s *source) label(n *node) string {
	text := s.line(n)
	if !labelName.MatchString(text) {
		s.fail(n.at, "%q is not the name of a label, such as policy", printable(text))
	}
	return text
}
