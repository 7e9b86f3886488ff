// Settings, as tracers and services declare them.

package program

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Setting is something that a user of the tracer chooses.
type Setting struct {
	_           struct{}          `called:"a setting"`
	Name        string            //
	Description string            `yaml:"description" as:"text"`                            // a line for 'tracetax show'
	Kind        string            `yaml:"kind" one:"share count duration choice text path"` // share (10%), count (2048), duration (5s), choice (default with choices), text (default without) or path (it may begin with {build} or another folder of the run)
	Default     string            `yaml:"default" always:"true" required:"service"`         // what the tracer does when nobody chooses; a text or path without one has to be chosen
	Env         map[string]string `yaml:"env" words:"value"`                                // variables to set: {value}; of a share {value.ratio} (0.1), {value.percent} (10); of a duration {value.ms}, {value.s}
	Append      map[string]string `yaml:"append" of:"tracer" words:"value"`                 // variables to append to, likewise
	Choices     map[string]Choice `yaml:"choices" as:"orNothing"`                           // by value: what it does
	Meaning     string            `yaml:"meaning" as:"meaning"`                             // sampling: share of traces recorded; delay: longest time a span is held (sets the drain); of a service, room: most traces held
	Follows     bool              `yaml:"follows" of:"tracer"`                              // true, with meaning: sampling: a trace on which the caller has decided is left at that, so that the load generator decides and the ledger is exact
	Draws       bool              `yaml:"draws" of:"tracer"`                                // true, with meaning: sampling: the sampler takes this share of the traces that the caller has decided to sample, so that the load generator asks for all
	Asked       bool              `shown:"asked"`                                           // it has no default: whoever uses the tracer chooses
	Within      string            `yaml:"within" of:"tracer"`                               // another count, above which this one loses spans; a run warns
}

// VariantKeys are the keys of a variant, beside which settings stand on the command line: none may be called so.
var VariantKeys = []string{"description", "tracer", "settings", "on", "replicas", "env", "args", "via", "to", "against", "capture", "faults", "image", "inject", "instrumentation", "annotations", "labels"}

// What a setting may mean to tracetax.
const (
	MeaningSampling = "sampling"
	MeaningDelay    = "delay"
)

// Choice is one value of a setting of kind choice. Without any key it does nothing but to be chosen.
type Choice struct {
	_           struct{}          `called:"a choice"`
	Description string            `yaml:"description" as:"text"`              // a line for 'tracetax show'
	Env         map[string]string `yaml:"env"`                                // variables to set
	Append      map[string]string `yaml:"append" of:"tracer"`                 // variables to append to
	Unset       []string          `yaml:"unset" of:"tracer"`                  // variables to take away
	Sends       []protocol.Name   `yaml:"sends" as:"sends"`                   // the only protocol (of {sink.…}) of its spans, of those that are named; default: all
	Steps       []string          `yaml:"steps" of:"tracer" as:"steps"`       // which of instrumentation, probe, queue, writing remain, to tell each one's cost; default: all
	Silent      bool              `yaml:"silent" of:"tracer"`                 // true: no span reaches the sink, on purpose
	Immediate   bool              `yaml:"immediate" of:"tracer"`              // true: spans are sent at once
	Learnt      bool              `yaml:"learnt" of:"tracer"`                 // true: operations make other numbers of spans than declared, so learn them
	Rationed    bool              `yaml:"rationed" of:"tracer"`               // true: only so many traces a time are kept
	Partial     bool              `yaml:"partial" of:"tracer"`                // true: lacks spans of other choices, so it is excluded from the ranking
	Decides     bool              `yaml:"decides" of:"tracer"`                // true: leaves out traces by how they turn out; says tells the number (sampled)
	Files       map[string]string `yaml:"files" of:"tracer" as:"files"`       // {kieker: "{tmp}/spans"}: spans go to files of that format, counted at the end
	Delay       time.Duration     `yaml:"delay" of:"service" range:"0s..10m"` // further time for which it holds spans; all add up
	Without     []string          `yaml:"without" of:"tracer service"`        // settings without effect, which nobody may choose then
}

func (c *Choice) Finish(s *Source, n *Node) {
	if c.Silent && len(c.Files) > 0 {
		s.Fail(n.Get("files").At, "files hold the spans of this choice, so that it is not silent: leave out one of the two")
	}
	for _, name := range c.Unset {
		_, set := c.Env[name]
		_, added := c.Append[name]
		if set || added {
			s.Fail(n.Get("unset").At, "%s is both set and unset by this choice", Printable(name))
		}
	}
}

// checkSettings checks settings that n lists, and spells their defaults in the one way of their kind.
func (s *Source) checkSettings(n *Node, all []Setting) {
	for i := range all {
		e, set := n.Entries[i], &all[i]
		s.Name(e.At, "setting", e.Key)
		if slices.Contains(VariantKeys, e.Key) {
			s.Fail(e.At, "a setting cannot be called %q: the word means something else in a variant", e.Key)
		}
		if e.Value.Kind != Mapping {
			continue
		}
		if set.Kind == "" {
			set.Kind = "text"
			if set.Choices != nil {
				set.Kind = "choice"
			}
		}
		if choices := e.Value.Get("choices"); choices != nil {
			for _, c := range choices.Entries {
				if c.Key == "" || strings.ContainsFunc(c.Key, func(r rune) bool { return r == ',' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
					s.Fail(c.At, "choice %q: a choice is a word without commas and spaces", Printable(c.Key))
				}
			}
		}
		s.checkSetting(e.Value, e.At, set)
	}
	s.checkWithin(n, all)
	names := namesOf(all)
	for i, set := range all {
		for _, word := range slices.Sorted(maps.Keys(set.Choices)) {
			for _, other := range set.Choices[word].Without {
				if !slices.Contains(names, other) || other == set.Name {
					s.Fail(n.Entries[i].Value.At, "choice %q of %s: %s", word, set.Name, Unknown("setting", Printable(other), without(names, set.Name)))
				}
			}
		}
	}
}

// checkWithin complains of settings that are to be within what is no number of the same tracer.
func (s *Source) checkWithin(n *Node, all []Setting) {
	for _, set := range all {
		if set.Within == "" {
			continue
		}
		counts := slices.ContainsFunc(all, func(o Setting) bool { return o.Name == set.Within && o.Name != set.Name && o.Kind == "count" })
		if !counts || set.Kind != "count" {
			s.Fail(n.Get(set.Name).Get("within").At, "setting %q: within must name another setting of this tracer, not %q, and both must have kind: count", set.Name, Printable(set.Within))
		}
	}
}

func (s *Source) checkSetting(n *Node, at Place, set *Setting) {
	isChoice := set.Kind == "choice"
	if isChoice && len(set.Choices) == 0 {
		s.Fail(at, "setting %q is a choice and needs choices", set.Name)
	}
	for _, key := range []string{"env", "append"} {
		if own := n.Get(key); isChoice && own != nil {
			s.Fail(own.At, "the choices of %q have the %s, each its own", set.Name, key)
		}
	}
	if !isChoice && set.Choices != nil {
		s.Fail(n.Get("choices").At, "setting %q is of kind %s, which has no choices", set.Name, set.Kind)
	}
	if set.Meaning == MeaningSampling && set.Kind != "share" || set.Meaning == MeaningDelay && set.Kind != "duration" || set.Meaning == MeaningRoom && set.Kind != "count" {
		s.Fail(n.Get("meaning").At, "meaning sampling takes kind share, delay takes kind duration, and room kind count; %q is of kind %s", set.Name, set.Kind)
	}
	if set.Follows && set.Meaning != MeaningSampling {
		s.Fail(n.Get("follows").At, "follows says that a sampler leaves a trace at what its caller decided: it goes with meaning: sampling")
	}
	if set.Draws && (set.Follows || set.Meaning != MeaningSampling) {
		s.Fail(n.Get("draws").At, "draws says that a sampler takes a share of what its caller decided to sample: it goes with meaning: sampling, and without follows")
	}
	def := n.Get("default")
	if set.Asked = def == nil && s.In != inService && (set.Kind == "text" || set.Kind == "path"); set.Asked {
		return
	}
	if def == nil {
		s.Lacks(n, "default", at, "setting %q needs a default: what the tracer does when nobody chooses", set.Name)
		return
	}
	value, err := set.Canonical(set.Default)
	if err != nil {
		s.Fail(def.At, "default of %q: %v", set.Name, err)
		return
	}
	set.Default = value
}

// stepsLeft reads which steps of tracing are left: a list, in the order of a span's way.
func (s *Source) stepsLeft(n *Node) []string {
	if n.Kind != List {
		s.Fail(n.At, "steps must be a list of %s, not %s", strings.Join(Steps, ", "), n.Kind)
		return nil
	}
	out := []string{}
	for _, item := range n.Items {
		step := s.oneOf(item, "step", Steps...)
		if len(out) > 0 && slices.Index(Steps, step) <= slices.Index(Steps, out[len(out)-1]) {
			s.Fail(item.At, "steps are named once each, in the order of a span's way: %s", strings.Join(Steps, ", "))
			continue
		}
		out = append(out, step)
	}
	return out
}

// spanFiles reads where files with spans lie: a folder of the run's own for each format.
func (s *Source) spanFiles(n *Node) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, "files") {
		if !slices.Contains(FileFormats, e.Key) {
			s.Fail(e.At, "%s", Unknown("format of files with spans", e.Key, FileFormats))
			continue
		}
		folder := s.Line(e.Value)
		s.Placeholders(e.Value.At, folder, runPlaceholders)
		if !strings.HasPrefix(folder, "{tmp}/") {
			s.Fail(e.Value.At, "%q must lie below {tmp}, the folder that a run has for itself, such as {tmp}/spans", Printable(folder))
		}
		out[e.Key] = folder
	}
	return out
}

// sends reads the protocol by which spans are sent with a choice, whatever else is named: other signals may go by that.
func (s *Source) sends(n *Node) []protocol.Name {
	text, words := s.Line(n), protocolWords(s.In)
	if i := slices.Index(words, text); i >= 0 {
		return []protocol.Name{protocol.Table[i].Name}
	}
	s.Fail(n.At, "%s", Unknown("protocol", Printable(text), words))
	return nil
}

// The values of a tracer's settings.

// Setting is the setting of that name, or nil.
func (t *Tracer) Setting(name string) *Setting {
	for i := range t.Settings {
		if t.Settings[i].Name == name {
			return &t.Settings[i]
		}
	}
	return nil
}

func (t *Tracer) SettingNames() []string { return namesOf(t.Settings) }

// Canonical checks a value and spells it in the one way of its kind.
func (s *Setting) Canonical(value string) (string, error) {
	switch s.Kind {
	case "share":
		v, err := ParseShare(value)
		if err != nil {
			return "", err
		}
		return FormatShare(v), nil
	case "count":
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || v < 0 {
			return "", fmt.Errorf("%q is not a whole number from 0", Printable(value))
		}
		return strconv.FormatInt(v, 10), nil
	case "duration":
		d, err := parseDuration(value)
		if err != nil {
			return "", err
		}
		return FormatDuration(d), nil
	case "choice":
		if _, ok := s.Choices[value]; !ok {
			return "", fmt.Errorf("%s", Unknown("choice", Printable(value), slices.Collect(maps.Keys(s.Choices))))
		}
		return value, nil
	}
	if strings.ContainsFunc(value, unicode.IsControl) {
		return "", fmt.Errorf("%q is not one line of text", Printable(value))
	}
	return value, nil
}

// Environment returns the variables that the setting sets and appends with a (canonical) value, and
// which variables of the tracer it takes away. Placeholders of the run stay.
func (s *Setting) Environment(value string) (set, behind map[string]string, unset []string) {
	if s.Kind == "choice" {
		c := s.Choices[value]
		return c.Env, c.Append, c.Unset
	}
	words := s.literal(value)
	return valued(s.Env, words), valued(s.Append, words), nil
}

// literal are the words of a value, in which braces mean themselves but for a path: it may begin with a folder of the run, such as {build}.
func (s *Setting) literal(value string) map[string]string {
	words := s.words(value)
	if s.Kind != "path" {
		for word, text := range words {
			words[word] = Literal(text)
		}
	}
	return words
}

// valued fills the words of a value into texts.
func valued(texts, words map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range texts {
		out[name] = Replace(text, func(word string) string {
			if v, ok := words[word]; ok {
				return v
			}
			return "{" + word + "}"
		}, nil, nil)
	}
	return out
}

// words are the spellings of a value: {value}, and what fits its kind of
// {value.ms}, {value.s}, {value.ratio} and {value.percent}.
func (s *Setting) words(value string) map[string]string {
	words := map[string]string{"value": value, "value.ms": value, "value.s": value, "value.ratio": value, "value.percent": value}
	switch s.Kind {
	case "share":
		if v, err := ParseShare(value); err == nil {
			words["value.ratio"] = FormatNumber(v)
			words["value.percent"] = FormatNumber(100 * v)
		}
	case "duration":
		if d, err := parseDuration(value); err == nil {
			words["value.ms"] = FormatNumber(float64(d) / float64(time.Millisecond))
			words["value.s"] = FormatNumber(d.Seconds())
		}
	}
	return words
}

func namesOf(settings []Setting) []string {
	out := make([]string, len(settings))
	for i, set := range settings {
		out[i] = set.Name
	}
	return out
}
