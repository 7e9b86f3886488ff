// Tracers: tracer files.

package program

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// Tracer is one way of tracing: a folder tracers/NAME/ with a tracer.yaml.
type Tracer struct {
	_           struct{}          `called:"a tracer"`
	Name        string            //
	Language    string            `yaml:"language"`                                                           // of programs that it traces; default: any
	Description string            `yaml:"description" as:"text"`                                              // a line for 'tracetax list'
	Needs       []Need            `yaml:"needs"`                                                              // programs of the PATH that it needs
	Programs    map[string]string `yaml:"programs" as:"programs"`                                             // how to get programs that its users' commands start, by name, for the error where one is not on the PATH
	Shared      []string          `yaml:"shared" as:"shared"`                                                 // folders of tracers/shared/ to copy into its own
	Artifact    Artifact          `yaml:"artifact"`                                                           // pinned packages, in the folder {tracer}
	Build       Build             `yaml:"build"`                                                              // commands that make it, run once in a copy of the folder; what they put into {build} is {tracer} everywhere else, and {tracer} in them has the packages
	Compiled    bool              `yaml:"compiled"`                                                           // true: part of the program; a built-in workload needs a build for it; default: false
	Wrap        []string          `yaml:"wrap" as:"arguments"`                                                // words before the command of each traced process
	Args        []string          `yaml:"args" as:"arguments"`                                                // words after it
	Env         map[string]string `yaml:"env"`                                                                // environment variables of each traced process
	Append      map[string]string `yaml:"append"`                                                             // added to variables after a space, or a colon where it is a list of folders, such as PYTHONPATH: {JAVA_TOOL_OPTIONS: "-javaagent:{tracer}/agent.jar"}
	Templates   []string          `yaml:"templates" as:"templates" words:"settings"`                          // files with placeholders, also {setting.NAME} (.ratio, .ms, .s), filled in for each traced process in {templates}
	Metrics     string            `yaml:"metrics" as:"page" words:"run"`                                      // page of counters of each traced process, http://127.0.0.1:{port.WORD}/metrics; read once, before the processes stop
	Says        []Saying          `yaml:"says" example:"[{what: dropped, log: 'dropped (?P<n>\\d+) spans'}]"` // what it says of spans: sampled, dropped, failed, sent (given to an export; the rest was lost at the stop), traced
	Packets     Packets           `yaml:"packets"`                                                            // of a tracer that captures packets and makes no spans: what the processes that it brings say of them
	Tells       string            `yaml:"tells" as:"tells"`                                                   // regular expression over the output, whose group name is an instrumented library, for the report
	Misses      string            `yaml:"misses" as:"tells"`                                                  // regular expression over the output, whose group name is a library that the program has and the tracer does not instrument: a warning
	Startup     time.Duration     `yaml:"startup" range:"0s..10m"`                                            // about how much longer a start and stop takes; only for --dry-run
	Settle      time.Duration     `yaml:"settle" range:"0s..10m"`                                             // extra time after the processes are ready
	Connects    time.Duration     `yaml:"connects" range:"0s..10m"`                                           // longest wait of the first operation for the tracer's first contact with the sink
	Ends        string            `yaml:"ends"`                                                               // what to do if a program does not end on SIGTERM because of the tracer
	Delay       time.Duration     `yaml:"delay" range:"0s..10m"`                                              // longest time that it holds a span, of one that has no setting for it
	Buffers     int               `yaml:"buffers" range:"0..1000000"`                                         // most spans kept until a buffer is full; so many that come late are not lost
	Processes   []Brought         `yaml:"processes"`                                                          // proxies, agents or collectors that it brings
	Settings    []Setting         `yaml:"settings" as:"named"`                                                // what its user chooses
	Files       fs.FS
}

// ParseTracer reads a tracer file. File is its name for errors.
func ParseTracer(file, name string, text []byte) (*Tracer, error) {
	s := &Source{File: file}
	t := s.tracer(text, name)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *Source) tracer(text []byte, name string) *Tracer {
	t := &Tracer{Name: name}
	if root := ParseYAML(s, text); root != nil {
		s.Decode(root, t)
	}
	return t
}

func (t *Tracer) Begin(s *Source, n *Node) {
	s.In, s.settings = inTracer, settingWords(n.Get("settings"))
	s.Known = slices.Concat(runPlaceholders, s.processPorts(n.Get("processes"), nil)) // of each process: those that stand beside it
}

func (t *Tracer) Finish(s *Source, n *Node) {
	s.paged(n, "tracer", t.Metrics, t.Says)
	s.checkSettings(n.Get("settings"), t.Settings)
	var names []string
	for i := range t.Processes {
		b := &t.Processes[i]
		names = append(names, b.Name)
		if only := n.Get("processes").Items[i].Get("only"); only != nil {
			t.checkOnly(s, only, b)
		}
	}
	s.eachOnce(n.Get("processes"), "leave it out where the tracer brings none", names)
}

// programs reads how to get programs, by their names.
func (s *Source) programs(n *Node) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, "programs") {
		before := len(s.Problems)
		if out[e.Key] = s.Line(e.Value); out[e.Key] == "" && len(s.Problems) == before {
			s.Fail(e.At, "say how to get %s, such as: install it by …", Printable(e.Key))
		}
	}
	return out
}

// arguments reads a list of words that may hold placeholders.
func (s *Source) arguments(n *Node) []string {
	if n.Kind != List && n.Kind != Null {
		s.Fail(n.At, "expected a list of words, such as [--verbose, \"--port={port}\"], not %s", n.Kind)
		return nil
	}
	words := s.Texts(n)
	for i, w := range words {
		s.Placeholders(n.Items[i].At, w, s.Known)
	}
	return words
}

// tells reads the pattern of the lines that name an instrumented library.
func (s *Source) tells(n *Node) string {
	text := s.compile(n)
	if re, err := regexp.Compile(text); err == nil && re.SubexpIndex("name") < 0 {
		s.Fail(n.At, "the group that holds the library must be called name: (?P<name>\\S+)")
	}
	return text
}

// Packets describes the output in which each process that a tracer brings reports its packets when it ends. Without it their number
// is unknown.
type Packets struct {
	_        struct{}      `called:"packets"`
	Captured string        `yaml:"captured" as:"regexp" required:"tracer"`          // a regular expression over its output, whose group n is how many it captured
	Dropped  string        `yaml:"dropped" as:"regexp" required:"tracer"`           // and how many came and were not captured
	Files    string        `yaml:"files" as:"filled" words:"run" required:"tracer"` // a pattern of the files that hold them, as {tmp}/*.pcap
	Behind   time.Duration `yaml:"behind" range:"0s..10s"`                          // longest time after which a packet is there; the processes are stopped so long after the others; default: 0s
}

func (p *Packets) Finish(s *Source, n *Node) {
	for key, text := range map[string]string{"captured": p.Captured, "dropped": p.Dropped, "files": p.Files} {
		re, err := regexp.Compile(text)
		switch {
		case text == "":
			s.Fail(n.At, "packets needs %s: how many packets were captured and dropped, and the files that hold them", key)
		case key != "files" && err == nil && re.SubexpIndex("n") < 0:
			s.Fail(n.Get(key).At, "the group that holds the number must be called n: (?P<n>\\d+)")
		}
	}
}

// Captures reports whether the tracer captures packets, and so makes no spans.
func (t *Tracer) Captures() bool { return t != nil && t.Packets != Packets{} }

// Brought is a process that a tracer brings. It may hold {setting.NAME}.
type Brought struct {
	_         struct{} `called:"a process of a tracer"`
	_         struct{} `refuse:"traced" text:"what a tracer brings is not traced itself; leave traced out"`
	Process   `yaml:",inline"`
	Beside    bool              `yaml:"beside"`                                                  // true: one beside each traced process; otherwise one a run; default: false
	Front     bool              `yaml:"front"`                                                   // true, with beside: takes that process's requests at {port} and passes them on to {beside.port}; default: false
	Out       bool              `yaml:"out"`                                                     // true, with beside: what that process calls leaves through it; {peers} says where to listen, and where calls are to go on to; default: false
	Between   bool              `yaml:"between"`                                                 // true: one a run that all calls of processes and operations pass; {peers} likewise; default: false
	Only      map[string]string `yaml:"only" as:"only"`                                          // {SETTING: VALUE}: it is brought where the setting has that value
	CPUs      string            `yaml:"cpus" as:"number or setting"`                             // how many CPUs it may use, as 1, 0.5 or {setting.NAME}; default, and 0: no limit
	Memory    string            `yaml:"memory" as:"size or setting"`                             // how much memory it may use, or {setting.NAME}; default: no limit
	Metrics   string            `yaml:"metrics" as:"page"`                                       // its page of counters, read once, before the processes stop
	Says      []Saying          `yaml:"says" example:"[{what: calls, metrics: proxy_requests}]"` // what it says of spans, as the tracer's; calls that came to the process that it is before
	Templates []string          `yaml:"templates" as:"templates"`                                // files of the tracer's folder, filled in
}

func (b *Brought) Begin(s *Source, n *Node) {
	beside := isTrue(n.Get("beside"))
	s.Known = slices.Concat(runPlaceholders, s.settings, s.processPorts(s.siblings, func(item *Node) bool {
		return beside || !isTrue(item.Get("beside"))
	}))
	own := role.Collector
	if s.several = namesBeside(s.siblings); beside {
		own, s.Known, s.several = role.Sidecar, append(s.Known, besidePlaceholders...), nil
	}
	if isTrue(n.Get("out")) || isTrue(n.Get("between")) {
		s.Known = append(s.Known, PeersWord)
	}
	b.start(s, n, own)
}

func (b *Brought) Finish(s *Source, n *Node) {
	if b.Traced = false; b.Dir == "" {
		b.Dir = "{tmp}"
	}
	b.named(s, n)
	if b.Name+"." == BesidePrefix {
		s.Fail(n.Get("name").At, "a process that a tracer brings cannot be called %q: {%sport} is another one's port", b.Name, BesidePrefix)
	}
	s.paged(n, "process", b.Metrics, b.Says)
	s.inFront(n, *b)
	s.relays(n, *b)
}

// PeersWord is the placeholder of a file with all processes of the workload: a list of Peers, in JSON.
const PeersWord = "peers"

// Peer is a process of the workload, as the file {peers} of a process that calls go through describes it.
type Peer struct {
	Name     string `json:"name"`
	Host     string `json:"host"`             // where its calls are to go on to
	Port     string `json:"port"`             //
	Protocol string `json:"protocol"`         // http, grpc, thrift, or tcp: nobody knows more
	Front    bool   `json:"front"`            // the same process of the tracer stands in front of it, and takes the calls there
	Listen   string `json:"listen,omitempty"` // host:port at which its calls come; none: none come
}

// relays complains of a process that calls leave through or pass where that cannot be.
func (s *Source) relays(n *Node, b Brought) {
	for _, one := range []struct {
		key     string
		is, can bool
		why     string
	}{
		{"out", b.Out, b.Beside, "out: true is for a process beside another one, whose calls leave through it; write beside: true as well"},
		{"between", b.Between, !b.Beside, "between: true is for a process that is there once a run; leave out beside, or write out: true in its place"},
	} {
		switch {
		case !one.is:
		case !one.can:
			s.Fail(n.Get(one.key).At, "%s", one.why)
		case len(b.Run) == 0 || len(b.Templates) > 0 && s.Files == nil: // what it says is not known
		case !slices.Contains(b.AllWords(s.templateText), PeersWord):
			s.Fail(n.Get(one.key).At, "calls go through process %q, and nothing tells it whose and where to: put {%s} into its run, env or a template", Printable(b.Name), PeersWord)
		}
	}
}

// only reads which settings have to have which values.
func (s *Source) only(n *Node) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, "only") {
		out[e.Key] = s.Line(e.Value)
	}
	return out
}

// checkOnly complains of settings that are not there, and of values that they cannot have.
func (t *Tracer) checkOnly(s *Source, n *Node, b *Brought) {
	for _, e := range s.Entries(n, "only") {
		set := t.Setting(e.Key)
		if set == nil {
			s.Fail(e.At, "%s (of this tracer)", Unknown("setting", Printable(e.Key), t.SettingNames()))
			continue
		}
		value, err := set.Canonical(b.Only[e.Key])
		if err != nil {
			s.Fail(e.Value.At, "only: setting %s: %v", set.Name, err)
		}
		b.Only[e.Key] = value
	}
}

// readSettable reads an amount that may be a setting's: the word of the setting alone, or the amount.
func readSettable(s *Source, n *Node, k key) any {
	text := s.Line(n)
	if words := Placeholders(text); len(words) > 0 {
		if known := s.settings; !slices.Contains(known, words[0]) || text != "{"+words[0]+"}" {
			s.Fail(n.At, "%s is an amount, or a setting of the tracer alone, {%sNAME}, not %q", k.name, settingPrefix, Printable(text))
		}
		return text
	}
	var err error
	if k.name == "memory" {
		_, err = parseSize(text)
	} else {
		_, err = parseCPUs(text)
	}
	if err != nil {
		s.Fail(n.At, "%v", err)
	}
	return text
}

const mostCPUs = 1024

func parseCPUs(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= mostCPUs) {
		return 0, fmt.Errorf("%q is not a number of CPUs from 0 to %d, such as 0.5", Printable(text), mostCPUs)
	}
	return n, nil
}

// numberOrText is a number as JSON has it, or the text that stands for one.
func numberOrText(text string) any {
	if n, err := parseCPUs(text); err == nil {
		return n
	}
	return text
}

// Limited is the process with the limits that its tracer's file says, by the words of settings.
func (b Brought) Limited(words map[string]string) (Process, error) {
	p := b.Process
	for _, one := range []struct {
		text string
		take func(string) error
	}{
		{b.CPUs, func(text string) (err error) { p.CPUs, err = parseCPUs(text); return err }},
		{b.Memory, func(text string) (err error) { p.Memory, err = parseSize(text); return err }},
	} {
		if one.text == "" {
			continue
		}
		text, _ := WithSettings(one.text, words)
		if err := one.take(text); err != nil {
			return p, fmt.Errorf("%s of process %s: %w", one.text, b.Name, err)
		}
	}
	return p, nil
}

// BesidePrefix begins the placeholders of the process beside which one stands.
const BesidePrefix = "beside."

// besidePlaceholders are placeholders of a process beside another one, which stand for that one.
var besidePlaceholders = []string{BesidePrefix + "port", BesidePrefix + "host", BesidePrefix + "process"}

// namesBeside are the names of those of a list of processes that is not read yet that stand beside others.
func namesBeside(n *Node) []string {
	var out []string
	for _, item := range n.Items {
		if name := item.Get("name"); name != nil && isTrue(item.Get("beside")) {
			out = append(out, name.Text)
		}
	}
	return out
}

// isTrue reports whether a value that is not read yet is true.
func isTrue(n *Node) bool { return n != nil && n.Kind == Scalar && n.Text == "true" }

// inFront complains of a process in front of another one that cannot be that.
func (s *Source) inFront(n *Node, b Brought) {
	front := n.Get("front")
	if !b.Front {
		return
	}
	if !b.Beside {
		s.Fail(front.At, "front: true is for a process beside another one, whose requests go through it; write beside: true as well")
		return
	}
	if len(b.Run) == 0 || len(b.Templates) > 0 && s.Files == nil {
		return // what it says is not known
	}
	said := b.AllWords(s.templateText)
	for _, one := range []struct{ word, what string }{
		{"port", "where requests come to"}, {BesidePrefix + "port", "where they are to go on to"},
	} {
		if !slices.Contains(said, one.word) {
			s.Fail(front.At, "process %q stands in front, and nothing tells it %s: put {%s} into its run, env or a template", Printable(b.Name), one.what, one.word)
		}
	}
}

// Where says where the process stands: "in front of" or "beside" one of the workload's, "between all", or "once a run".
func (b Brought) Where() string {
	switch {
	case b.Between:
		return "between all"
	case b.Front && b.Out:
		return "before and behind"
	case b.Out:
		return "behind"
	case b.Front:
		return "in front of"
	case b.Beside:
		return "beside"
	}
	return "once a run"
}

// AllWords are the placeholders of a process that a tracer brings; read gives its templates.
func (b Brought) AllWords(read func(name string) string) []string {
	var out []string
	for _, text := range texts(b.Process) {
		out = append(out, Placeholders(text)...)
	}
	for _, name := range b.Templates {
		out = append(out, Placeholders(read(name))...)
	}
	return out
}

// The processes of a plan: the workload's, and among them those that a tracer brings.

// Placed says where a process of a plan stands that a tracer brought; zero: it is the workload's own.
type Placed struct {
	Name    string // in the tracer's file
	Of      string // the workload's process that it stands beside; "": it is there once a run
	Front   bool   // requests to that process go through it
	Out     bool   // what that process calls leaves through it
	Between bool   // all calls pass it
}

// Brought reports whether a tracer brought the process.
func (p Process) Brought() bool { return p.Placed.Name != "" }
