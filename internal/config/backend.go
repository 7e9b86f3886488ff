// Backends: services that a variant's spans are stored in, in the place of the sink.

package config

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// Answers is how a backend is asked for the spans that it has stored.
type Answers struct {
	Spans string   // URL of all of them, as JSON
	None  int      // status of the answer with which it says that it has none; 0: it answers as ever
	Each  []string // the way from the whole to one span: keys of objects, and * for all members
}

// answersExample is how they are written.
const answersExample = `answers: {spans: "http://127.0.0.1:{port}/api/traces?limit=100000", each: data.*.spans.*}`

// to reads the backend of a variant.
func (s *source) to(n *node, w *Workload) *Process {
	if n.kind == list {
		s.fail(n.at, "to names one backend, where a span's way ends; what spans pass through is via")
		return nil
	}
	p, ok := s.hop(n, func(v *Service) *Service { return v })
	if !ok {
		return nil
	}
	switch taken := func(one Process) bool { return one.Name == p.Name }; {
	case !p.Service.Stores():
		s.fail(n.at, "service %q stores no spans (role: backend, says: received, and answers: in its file), so that none can go to it; what spans pass through is via", p.Service.Name)
	case slices.ContainsFunc(w.Processes, taken):
		s.fail(n.at, "the workload has a process called %q; give the backend a name of its own, such as {%s-backend: {service: %s}}", p.Name, p.Name, p.Service.Name)
	}
	return &p
}

// apart checks that the backend of a variant is none of its hops.
func (s *source) apart(n *node, v *Variant) {
	if v.To != nil && slices.ContainsFunc(v.Via, func(hop Process) bool { return hop.Name == v.To.Name }) {
		s.fail(n.get("to").at, "a hop and the backend are both called %q; give one of them a name of its own, such as {%s-2: {service: %s}}", v.To.Name, v.To.Name, v.To.Service.Name)
	}
}

// AsksFor is where a backend is asked for its spans, with its settings filled in.
func (p Process) AsksFor() string {
	text, _ := withSettings(p.Service.Answers.Spans, wordsOfSettings(p.Service.Settings, p.Service.values(p.Settings)))
	return text
}

// Stores reports whether a service is a backend: it says what it has stored, and can be asked for it.
func (v *Service) Stores() bool {
	return v.Process.Role == role.Backend && v.Answers.Spans != "" &&
		slices.ContainsFunc(v.Says, func(s Saying) bool { return s.What == SaysReceived && s.Metrics != "" })
}

// misplaced finds faults of the sink where a variant's spans do not go there.
func (e *Experiment) misplaced() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if f := e.FaultsOf(v); v.To != nil && (f.SinkLoses > 0 || f.SinkLate > 0 || f.SinkGone != "") {
			out = append(out, misfit{at: []string{"variants", v.Name, "to"}, text: "the spans of variant " + printable(v.Name) + " go to " + v.To.Name +
				", not to the sink, so that faults of the sink say nothing of them; leave out to, or the faults"})
		}
	}
	return out
}

// Where a service receives spans, and the pages on which programs say what became of them.

// page reads where a page of counters is.
func (s *source) page(n *node) string { return s.pageOf(n, runPlaceholders) }

// receives reads which protocols a service takes spans in by, each with its address.
func (s *source) receives(n *node) map[protocol.Name]string {
	out := map[protocol.Name]string{}
	var words []string
	for _, r := range protocol.Table {
		words = append(words, r.Word)
	}
	for _, e := range s.entries(n, "receives") {
		i := slices.Index(words, e.key)
		if i < 0 {
			s.fail(e.at, "%s", unknown("protocol", printable(e.key), words))
			continue
		}
		text := s.line(e.value)
		s.placeholders(e.value.at, text, runPlaceholders)
		out[protocol.Table[i].Name] = text
	}
	return out
}

func (s *source) pageOf(n *node, known []string) string {
	text := s.line(n)
	s.placeholders(n.at, text, known)
	plain := replace(text, func(string) string { return "1" }, nil, nil)
	if u, err := url.Parse(plain); err != nil || u.Scheme != "http" || u.Host == "" {
		s.fail(n.at, "%q is not a page such as http://127.0.0.1:{port.metrics}/metrics", printable(text))
	}
	return text
}

// answers reads how a backend is asked.
func (s *source) answers(n *node, known []string) Answers {
	var a Answers
	if !s.mapping(n, "answers", fields{
		"spans": func(v *node) { a.Spans = s.pageOf(v, known) },
		"none":  func(v *node) { a.None = int(s.number(v, 100, 599)) },
		"each":  func(v *node) { a.Each = strings.Split(s.line(v), ".") },
	}) {
		return a
	}
	if a.Spans == "" || slices.Contains(a.Each, "") || len(a.Each) == 0 {
		s.fail(n.at, "answers needs spans, where all spans are asked for, and each, the way to one of them: %s", answersExample)
	}
	return a
}

// What spans are sent by: of the protocols that a tracer or a service names, those of a choice.

// sent are the protocols that spans are sent by with these settings, of those that texts name.
func sent(settings []Setting, values map[string]string, texts []string) []protocol.Row {
	named := protocol.Named(wordsOf(texts))
	var only []protocol.Name
	for _, set := range settings {
		only = append(only, set.Choices[values[set.Name]].Sends...)
	}
	if only == nil {
		return named
	}
	return slices.DeleteFunc(named, func(r protocol.Row) bool { return !slices.Contains(only, r.Name) })
}

// rows are the rows of protocols.
func rows(names []protocol.Name) []protocol.Row {
	return slices.DeleteFunc(slices.Clone(protocol.Table), func(r protocol.Row) bool { return !slices.Contains(names, r.Name) })
}

// takes reports whether a service receives spans by all of these protocols.
func (v *Service) takes(names []protocol.Name) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name protocol.Name) bool { _, there := v.Receives[name]; return !there })
}

// adapt has hops send what the next one takes in, where they can choose and nobody has chosen.
func (v *Variant) adapt() {
	route := v.Route()
	for i := range v.Via {
		if i+1 == len(route) {
			return // the sink takes in everything
		}
		hop, next := &v.Via[i], route[i+1].Service
		for _, set := range hop.Service.Settings {
			if hop.Settings[set.Name] != "" || next.takes(set.Choices[set.Default].Sends) {
				continue
			}
			for _, word := range slices.Sorted(maps.Keys(set.Choices)) {
				if next.takes(set.Choices[word].Sends) {
					hop.choose(set.Name, word)
					break
				}
			}
		}
	}
}

// choose gives a setting of a hop a value.
func (p *Process) choose(setting, value string) {
	p.Settings = maps.Clone(p.Settings)
	if p.Settings == nil {
		p.Settings = map[string]string{}
	}
	p.Settings[setting] = value
	p.resettle()
}

// resettle makes the process what the settings of its service say.
func (p *Process) resettle() {
	chosen := p.Service.process(p.Settings)
	p.Run, p.Env, p.Dir, p.Ready = chosen.Run, chosen.Env, chosen.Dir, chosen.Ready
	maps.Copy(p.Env, p.Own)
}

// What tracers and services say of spans, and where.

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
