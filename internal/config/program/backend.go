// Backends: services that a variant's spans are stored in, in the place of the sink.

package program

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// Answers describes the requests that ask a backend for all its spans.
type Answers struct {
	_     struct{} `called:"answers"`
	Spans string   `yaml:"spans" as:"page" required:"tracer service"` // URL of all of them, as JSON
	Each  []string `yaml:"each" as:"path" required:"tracer service"`  // the way to one of them in the JSON answer, as data.*.spans.*: keys of objects, and * for all members
	None  int      `yaml:"none" range:"100..599"`                     // the status of the answer for none
}

func (a *Answers) Finish(s *Source, n *Node) {
	if a.Spans == "" || slices.Contains(a.Each, "") || len(a.Each) == 0 {
		s.Fail(n.At, "answers needs spans, where all spans are asked for, and each, the way to one of them: %s", answersExample)
	}
}

// answersExample is an example for errors.
const answersExample = `answers: {spans: "http://127.0.0.1:{port}/api/traces?limit=100000", each: data.*.spans.*}`

// To reads the backend of a variant.
func (s *Source) To(n *Node, w *Workload) *Process {
	if n.Kind == List {
		s.Fail(n.At, "to names one backend, where a span's way ends; what spans pass through is via")
		return nil
	}
	p, ok := s.hop(n, func(v *Service) *Service { return v })
	if !ok {
		return nil
	}
	switch taken := func(one Process) bool { return one.Name == p.Name }; {
	case !p.Service.Stores():
		s.Fail(n.At, "service %q stores no spans (role: backend, says: received, and answers: in its file), so that none can go to it; what spans pass through is via", p.Service.Name)
	case slices.ContainsFunc(w.Processes, taken):
		s.Fail(n.At, "the workload has a process called %q; give the backend a name of its own, such as {%s-backend: {service: %s}}", p.Name, p.Name, p.Service.Name)
	}
	return &p
}

// AsksFor returns the requests that ask a backend for its spans, with its settings filled in.
func (p Process) AsksFor() string {
	text, _ := WithSettings(p.Service.Answers.Spans, WordsOfSettings(p.Service.Settings, p.Service.Values(p.Settings)))
	return text
}

// Stores reports whether a service is a backend: it says what it has stored, and can be asked for it.
func (v *Service) Stores() bool {
	return v.Process.Role == role.Backend && v.Answers.Spans != "" &&
		slices.ContainsFunc(v.Says, func(s Saying) bool { return s.What == SaysReceived && s.Metrics != "" })
}

// Where a service receives spans, and the pages on which programs say what became of them.

// receives reads which protocols a service takes spans in by, each with its address.
func (s *Source) receives(n *Node) map[protocol.Name]string {
	out := map[protocol.Name]string{}
	words := protocolWords(s.In)
	for _, e := range s.Entries(n, "receives") {
		i := slices.Index(words, e.Key)
		if i < 0 {
			s.Fail(e.At, "%s", Unknown("protocol", Printable(e.Key), words))
			continue
		}
		text := s.Line(e.Value)
		s.Placeholders(e.Value.At, text, runPlaceholders)
		out[protocol.Table[i].Name] = text
	}
	return out
}

// page reads where a page of counters, or of spans, is.
func (s *Source) page(n *Node) string {
	text := s.filled(n)
	plain := Replace(text, func(string) string { return "1" }, nil, nil)
	if u, err := url.Parse(plain); err != nil || u.Scheme != "http" || u.Host == "" {
		s.Fail(n.At, "%q is not a page such as http://127.0.0.1:{port.metrics}/metrics", Printable(text))
	}
	return text
}

// What spans are sent by: of the protocols that a tracer or a service names, those of a choice.

// Sent are the protocols that spans are sent by with these settings, of those that texts name.
func Sent(settings []Setting, values map[string]string, texts []string) []protocol.Row {
	named := protocol.Named(WordsOf(texts))
	var only []protocol.Name
	for _, set := range settings {
		only = append(only, set.Choices[values[set.Name]].Sends...)
	}
	if only == nil {
		return named
	}
	return slices.DeleteFunc(named, func(r protocol.Row) bool { return !slices.Contains(only, r.Name) })
}

// Rows are the rows of protocols.
func Rows(names []protocol.Name) []protocol.Row {
	return slices.DeleteFunc(slices.Clone(protocol.Table), func(r protocol.Row) bool { return !slices.Contains(names, r.Name) })
}

// Takes reports whether a service receives spans by all of these protocols.
func (v *Service) Takes(names []protocol.Name) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name protocol.Name) bool { _, there := v.Receives[name]; return !there })
}

// Choose gives a setting of a hop a value.
func (p *Process) Choose(setting, value string) {
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
	SaysCalls    = "calls"    // in calls: a proxy that a tracer brought took them for the process that it is before
)

var (
	tracerSays  = []string{SaysSampled, SaysDropped, SaysFailed, SaysSent, SaysTraced, SaysCalls}
	serviceSays = []string{SaysReceived, SaysRefused, SaysSampled, SaysDropped, SaysFailed, SaysSent, SaysEarly, SaysKept, SaysLate}
)

// Saying is where a tracer or a hop says what it did with spans. Those of one what add up; a counter that is missing is unknown,
// not zero.
type Saying struct {
	_ struct{} `called:"a saying"`

	// Spans: received (also if sampled out or lost later), refused, sampled (left out on purpose), dropped, failed, sent;
	// traces: early (thrown away undecided), kept, traced (of a tracer, by metrics: those that it decided for at their
	// beginning, by chance); arrivals after the decision on their trace: late; calls that a proxy took in: calls.
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

func (a *Saying) Finish(s *Source, n *Node) {
	if n.Get("what") == nil || n.Get("log") == nil && n.Get("metrics") == nil {
		s.Fail(n.At, "a saying needs what (%s), and log (a regular expression) or metrics (a counter of its page)", strings.Join(saysIn(s.In), ", "))
		return
	}
	if n.Get("log") != nil && n.Get("metrics") != nil {
		s.Fail(n.Get("metrics").At, "a saying is in a log or on a page of counters: write two of them, which add up")
	}
	if at := n.Get("log"); at != nil && a.What == SaysTraced {
		s.Fail(at.At, "traced is asked for after each operation, and so is of a page of counters: write metrics in the place of log")
	}
	if at := n.Get("take"); at != nil && n.Get("metrics") != nil {
		s.Fail(at.At, "take is of a log; a counter is a running total")
	}
	switch at := n.Get("absent"); {
	case a.Absent == AbsentNone && n.Get("metrics") == nil:
		s.Fail(at.At, "absent: none is of a counter; leave it out of a log, or write absent: unknown for a line that every process ends with")
	case a.Absent == AbsentUnknown && n.Get("metrics") != nil:
		s.Fail(at.At, "absent: unknown is of a log; a counter that is not on the page is unknown, unless with absent: none")
	}
	if at := n.Get("one"); at != nil && n.Get("metrics") == nil {
		s.Fail(at.At, "one is a label of a counter; a log has none")
	}
	if a.Log != "" && a.Take == "" {
		a.Take = "sum"
	}
	if re, err := regexp.Compile(a.Log); err == nil && re.NumSubexp() > 0 && re.SubexpIndex("n") < 0 {
		s.Fail(n.Get("log").At, "the group that holds the number must be called n: (?P<n>\\d+)")
	}
}

// paged checks that those who say it by counters name their page.
func (s *Source) paged(n *Node, who, page string, all []Saying) {
	if says := n.Get("says"); says != nil && page == "" && slices.ContainsFunc(all, func(s Saying) bool { return s.Metrics != "" }) {
		s.Fail(says.At, "a %s that says it by counters needs metrics: where its page is, such as http://127.0.0.1:{port.metrics}/metrics", who)
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

func (s *Source) series(n *Node) string {
	text := s.Line(n)
	if _, ok := ParseSeries(text); !ok {
		s.Fail(n.At, "%q is not a counter such as spans_dropped or spans_dropped{queue=\"full\"}", Printable(text))
	}
	return text
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

func (s *Source) label(n *Node) string {
	text := s.Line(n)
	if !labelName.MatchString(text) {
		s.Fail(n.At, "%q is not the name of a label, such as policy", Printable(text))
	}
	return text
}
