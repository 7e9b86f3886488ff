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

// Answers is how a backend is asked for all its spans.
type Answers struct {
	_     struct{} `called:"answers"`
	Spans string   `yaml:"spans" as:"page" required:"tracer service"` // URL of all of them, as JSON
	Each  []string `yaml:"each" as:"path" required:"tracer service"`  // the way to one of them in the JSON answer, as data.*.spans.*: keys of objects, and * for all members
	None  int      `yaml:"none" range:"100..599"`                     // the status of the answer for none
}

func (a *Answers) check(s *source, n *node) {
	if a.Spans == "" || slices.Contains(a.Each, "") || len(a.Each) == 0 {
		s.fail(n.at, "answers needs spans, where all spans are asked for, and each, the way to one of them: %s", answersExample)
	}
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

// receives reads which protocols a service takes spans in by, each with its address.
func (s *source) receives(n *node) map[protocol.Name]string {
	out := map[protocol.Name]string{}
	words := protocolWords(s.in)
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

// page reads where a page of counters, or of spans, is.
func (s *source) page(n *node) string {
	text := s.filled(n)
	plain := replace(text, func(string) string { return "1" }, nil, nil)
	if u, err := url.Parse(plain); err != nil || u.Scheme != "http" || u.Host == "" {
		s.fail(n.at, "%q is not a page such as http://127.0.0.1:{port.metrics}/metrics", printable(text))
	}
	return text
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

// Saying is where a tracer or a hop says what it did with spans. Those of one what add up; a counter that is missing is unknown,
// not zero.
type Saying struct {
	_ struct{} `called:"a saying"`

	// Spans: received (also if sampled out or lost later), refused, sampled (left out on purpose), dropped, failed, sent;
	// traces: early (thrown away undecided), kept, traced (of a tracer, by metrics: those that it decided for at their
	// beginning, by chance); arrivals after the decision on their trace: late.
	What string `yaml:"what" as:"what" required:"tracer service"`

	Metrics string `yaml:"metrics" as:"series"`       // a counter of its page, or NAME_total; all series with these labels add up
	Absent  string `yaml:"absent" one:"none unknown"` // none: the counter appears only after its first count; unknown: the service, or every traced process, ends with the line, so that without it nobody knows
	One     string `yaml:"one" as:"label"`            // LABEL: series that differ in it count the same spans, so of several the number is unknown
	Log     string `yaml:"log" as:"regexp"`           // instead: a regular expression over the output, whose group n is the number (without it a line is 1)
	Take    string `yaml:"take" one:"sum last"`       // of a log: sum, or last for a running total; default: sum
}

// What it means that a counter or a line is not there.
const (
	AbsentNone    = "none"    // of a counter: it has counted nothing, if the page has another one of the service
	AbsentUnknown = "unknown" // of a log: every process says it when it ends, so that one without it was killed before, or never does
)

func (a *Saying) check(s *source, n *node) {
	if n.get("what") == nil || n.get("log") == nil && n.get("metrics") == nil {
		s.fail(n.at, "a saying needs what (%s), and log (a regular expression) or metrics (a counter of its page)", strings.Join(saysIn(s.in), ", "))
		return
	}
	if n.get("log") != nil && n.get("metrics") != nil {
		s.fail(n.get("metrics").at, "a saying is in a log or on a page of counters: write two of them, which add up")
	}
	if at := n.get("log"); at != nil && a.What == SaysTraced {
		s.fail(at.at, "traced is asked for after each operation, and so is of a page of counters: write metrics in the place of log")
	}
	if at := n.get("take"); at != nil && n.get("metrics") != nil {
		s.fail(at.at, "take is of a log; a counter is a running total")
	}
	switch at := n.get("absent"); {
	case a.Absent == AbsentNone && n.get("metrics") == nil:
		s.fail(at.at, "absent: none is of a counter; leave it out of a log, or write absent: unknown for a line that every process ends with")
	case a.Absent == AbsentUnknown && n.get("metrics") != nil:
		s.fail(at.at, "absent: unknown is of a log; a counter that is not on the page is unknown, unless with absent: none")
	}
	if at := n.get("one"); at != nil && n.get("metrics") == nil {
		s.fail(at.at, "one is a label of a counter; a log has none")
	}
	if a.Log != "" && a.Take == "" {
		a.Take = "sum"
	}
	if re, err := regexp.Compile(a.Log); err == nil && re.NumSubexp() > 0 && re.SubexpIndex("n") < 0 {
		s.fail(n.get("log").at, "the group that holds the number must be called n: (?P<n>\\d+)")
	}
}

// paged checks that those who say it by counters name their page.
func (s *source) paged(n *node, who, page string, all []Saying) {
	if says := n.get("says"); says != nil && page == "" && slices.ContainsFunc(all, func(s Saying) bool { return s.Metrics != "" }) {
		s.fail(says.at, "a %s that says it by counters needs metrics: where its page is, such as http://127.0.0.1:{port.metrics}/metrics", who)
	}
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
