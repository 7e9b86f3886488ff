// Typed reading of nodes: each function says what it wants, and complains at the
// place of what it got.

package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-shellwords"
)

// lacks complains that the mapping n has no such key, unless it is there
// misspelt, of which mapping has complained.
func (s *source) lacks(n *node, key string, at place, format string, args ...any) {
	if !slices.Contains(n.meant, key) {
		s.fail(at, format, args...)
	}
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

// filled is a line with placeholders.
func (s *source) filled(n *node) string {
	text := s.line(n)
	s.placeholders(n.at, text, s.known)
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
func (s *source) env(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "env") {
		if !variable.MatchString(e.key) {
			s.fail(e.at, "%q is not the name of an environment variable", printable(e.key))
			continue
		}
		out[e.key] = s.text(e.value)
		s.placeholders(e.value.at, out[e.key], s.known)
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
func (s *source) userEnv(n *node) map[string]string {
	out := s.env(n)
	for _, e := range n.entries {
		s.environment(e.value.at, e.value.text)
	}
	return out
}

// Durations, shares, rates and sizes as people write them.

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil && d >= 0 {
		return d, nil
	}
	if _, e := strconv.ParseFloat(text, 64); e == nil && d >= 0 {
		return 0, fmt.Errorf("%q has no unit; write %ss or %sms", text, text, text)
	}
	return 0, fmt.Errorf("%q is not a duration such as 500ms, 20s or 1m30s", printable(text))
}

func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// parseShare reads 5% or 0.05 as 0.05. It is between 0 and 1.
func parseShare(text string) (float64, error) {
	v, percent, err := parsePercent(text)
	if err != nil {
		return 0, err
	}
	if v < 0 || v > 1 {
		if !percent && v > 1 && v <= 100 {
			return 0, fmt.Errorf("%s is more than all; write %s%% or a share between 0 and 1", text, text)
		}
		return 0, fmt.Errorf("%s is not between 0%% and 100%%", text)
	}
	return v, nil
}

func parsePercent(text string) (value float64, percent bool, err error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	digits = strings.TrimSpace(digits)
	if percent {
		digits += "e-2" // and not v / 100, which would make 33.3 % not quite 0.333
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, percent, fmt.Errorf("%q is not a share such as 5%% or 0.05", printable(text))
	}
	return v, percent, nil
}

// formatShare writes 0.05 as 5%, exactly enough to be read again.
func formatShare(v float64) string {
	text := formatNumber(v * 100)
	if again, _, err := parsePercent(text + "%"); err == nil && again == v {
		return text + "%"
	}
	if short := strconv.FormatFloat(v*100, 'g', 12, 64); !strings.Contains(short, "e") {
		if again, _, err := parsePercent(short + "%"); err == nil && again == v {
			return short + "%"
		}
	}
	return formatNumber(v)
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// maxRate is in operations/s; no generator on one machine comes near it.
const maxRate = 10_000_000

// parseRate reads 400/s, 24000/min or 400 as operations per second.
func parseRate(text string) (float64, error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a rate such as 400/s or 24000/min", printable(text))
	}
	switch strings.TrimSpace(unit) {
	case "", "s", "sec", "second":
	case "m", "min", "minute":
		v /= 60
	case "h", "hour":
		v /= 3600
	default:
		return 0, fmt.Errorf("%q is not a rate: the unit is /s, /min or /h", printable(text))
	}
	if v <= 0 || v > maxRate {
		return 0, fmt.Errorf("the rate %s is out of range: more than 0, at most %d/s", printable(text), maxRate)
	}
	return v, nil
}

func formatRate(perSecond float64) string { return formatNumber(perSecond) + "/s" }

var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1},
}

// parseSize reads 512MiB, 512M (the same), 500MB or a number of bytes.
func parseSize(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), 1.0
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v*unit > 1<<50 {
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 1GiB", printable(text))
	}
	return int64(v * unit), nil
}

func formatSize(bytes int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= u.bytes && bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// Commands as people write them: a list of words, or one line split as a shell does.

// command reads a list of words or a line. A command must have a first word.
func (s *source) command(n *node) []string {
	var words []string
	switch n.kind {
	case list:
		words = s.texts(n)
	case scalar:
		var err error
		if words, err = splitWords(s.text(n)); err != nil {
			s.fail(n.at, "%v", err)
			return nil
		}
	default:
		s.fail(n.at, "expected a command: a list of words, or one line of text")
		return nil
	}
	if len(words) == 0 || strings.TrimSpace(words[0]) == "" {
		s.fail(n.at, "the command is empty")
		return nil
	}
	for i, w := range words {
		at := n.at
		if n.kind == list {
			at = n.items[i].at
		}
		s.placeholders(at, w, s.known)
	}
	return words
}

// splitWords splits as a shell does, quotes and backslashes included, and expands nothing.
func splitWords(line string) ([]string, error) {
	parser := shellwords.NewParser()
	parser.ParseEnv, parser.ParseBacktick = false, false
	words, err := parser.Parse(line)
	if err != nil {
		return nil, errors.New("the command cannot be split into words (an open quote, or brackets?); write it as a list: [program, argument, …]")
	}
	if parser.Position >= 0 {
		return nil, errors.New(`a command is started without a shell, so ; & | < > have no meaning; write [sh, -c, "…"]`)
	}
	return words, nil
}
