// Typed reading of nodes: each function says what it wants, and complains at the
// place of what it got.

package config

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/nearest"
)

// fields are the keys that a mapping may have, each with what is done with its value.
type fields map[string]func(*node)

// mapping gives every entry of n to its field. What names the mapping in errors.
func (s *source) mapping(n *node, what string, fs fields) bool {
	if n.kind != mapping {
		s.fail(n.at, "%s must be a mapping of keys and values, not %s", what, n.kind)
		return false
	}
	for _, e := range n.entries {
		if read, ok := fs[e.key]; ok {
			read(e.value)
			continue
		}
		known := make([]string, 0, len(fs))
		for k := range fs {
			known = append(known, k)
		}
		hint := ""
		if e.value.kind == null && strings.Contains(e.key, " ") { // {description: one, and two}
			hint = "; a comma ends a text in braces: put the text into quotes"
		}
		if _, runs := fs["run"]; runs && e.key == "command" { // as a need has
			s.fail(e.at, "unknown key \"command\"; did you mean \"run\"? (in %s)", what)
			n.meant = append(n.meant, "run")
			continue
		}
		s.fail(e.at, "%s", unknown("key", printable(e.key), known)+" (in "+what+")"+hint)
		if near := nearest.Word(e.key, known); near != "" {
			n.meant = append(n.meant, near)
		}
	}
	return true
}

// lacks complains that the mapping n has no such key, unless it is there
// misspelt, of which mapping has complained.
func (s *source) lacks(n *node, key string, at place, format string, args ...any) {
	if !slices.Contains(n.meant, key) {
		s.fail(at, format, args...)
	}
}

// refuse is the field of a key that the design knows and this version does not.
func (s *source) refuse(text string) func(*node) {
	return func(n *node) { s.fail(n.at, "not supported yet: %s", text) }
}

// entries are the entries of a mapping with free keys.
func (s *source) entries(n *node, what string) []entry {
	if n.kind == null {
		return nil
	}
	if n.kind != mapping {
		s.fail(n.at, "%s must be a mapping of names and values, not %s", what, n.kind)
		return nil
	}
	return n.entries
}

// text is a scalar's text; a null is the empty text.
func (s *source) text(n *node) string {
	if n.kind != scalar && n.kind != null {
		s.fail(n.at, "expected a text or number, not %s", n.kind)
		return ""
	}
	if strings.ContainsRune(n.text, 0) {
		s.fail(n.at, "the text holds a NUL character")
		return ""
	}
	if !utf8.ValidString(n.text) {
		s.fail(n.at, "the text is not valid UTF-8")
		return ""
	}
	return n.text
}

// line is text without line breaks and other control characters.
func (s *source) line(n *node) string {
	text := s.text(n)
	if strings.ContainsFunc(text, unicode.IsControl) {
		s.fail(n.at, "expected one line of text, without control characters")
		return ""
	}
	return text
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,59}$`)

func (s *source) name(at place, what, name string) {
	if !plainName.MatchString(name) {
		s.fail(at, "%s %q: a name has letters, digits and any of - _ . +, begins with a letter or digit, and is no longer than 60",
			what, printable(name))
	}
}

// number reads a finite number that is at least low and at most high.
func (s *source) number(n *node, low, high float64) float64 {
	text := s.text(n)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		s.fail(n.at, "%q is not a number", printable(text))
		return low
	}
	if v < low || v > high {
		s.fail(n.at, "%s is out of range: %s to %s", printable(text), formatNumber(low), formatNumber(high))
		return low
	}
	return v
}

func (s *source) whole(n *node, low, high int) int {
	text := s.text(n)
	v, err := strconv.Atoi(text)
	if err != nil {
		s.fail(n.at, "%q is not a whole number", printable(text))
		return low
	}
	if v < low || v > high {
		s.fail(n.at, "%d is out of range: %d to %d", v, low, high)
		return low
	}
	return v
}

func (s *source) flag(n *node) bool {
	switch s.text(n) {
	case "true":
		return true
	case "false":
		return false
	}
	s.fail(n.at, "expected true or false, not %q", printable(n.text))
	return false
}

func (s *source) duration(n *node, low, high time.Duration) time.Duration {
	text := s.text(n)
	d, err := parseDuration(text)
	if err != nil {
		s.fail(n.at, "%v", err)
		return low
	}
	if d < low || d > high {
		s.fail(n.at, "%s is out of range: %s to %s", text, formatDuration(low), formatDuration(high))
		return low
	}
	return d
}

func (s *source) rate(n *node) float64 {
	v, err := parseRate(s.text(n))
	if err != nil {
		s.fail(n.at, "%v", err)
	}
	return v
}

func (s *source) oneOf(n *node, what string, words ...string) string {
	text := s.text(n)
	if !slices.Contains(words, text) {
		s.fail(n.at, "%s", unknown(what, printable(text), words))
		return words[0]
	}
	return text
}

// texts reads a list of texts; a single text is a list of one.
func (s *source) texts(n *node) []string {
	switch n.kind {
	case null:
		return nil
	case scalar:
		return []string{s.line(n)}
	case list:
		var out []string
		for _, item := range n.items {
			out = append(out, s.text(item))
		}
		return out
	}
	s.fail(n.at, "expected a list, not %s", n.kind)
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// env reads environment variables. A value may hold placeholders.
func (s *source) env(n *node, known []string) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "env") {
		if !variable.MatchString(e.key) {
			s.fail(e.at, "%q is not the name of an environment variable", printable(e.key))
			continue
		}
		out[e.key] = s.text(e.value)
		s.placeholders(e.value.at, out[e.key], known)
	}
	return out
}

func (s *source) compile(n *node) string {
	text := s.text(n)
	if _, err := regexp.Compile(text); err != nil {
		s.fail(n.at, "not a regular expression: %v", err)
	}
	return text
}

// without is words less one of them.
func without(words []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == word })
}

// userEnv reads env of the user's own, where ${env:NAME} must be set.
func (s *source) userEnv(n *node, known []string) map[string]string {
	out := s.env(n, known)
	for _, e := range n.entries {
		s.environment(e.value.at, e.value.text)
	}
	return out
}
