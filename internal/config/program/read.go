// Typed reading of nodes: each function says what it wants, and complains at the
// place of what it got.

package program

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
	"github.com/tracetax/tracetax/internal/metric"
)

// Lacks complains that the mapping n has no such key, unless it is there
// misspelt, of which mapping has complained.
func (s *Source) Lacks(n *Node, key string, at Place, format string, args ...any) {
	if !slices.Contains(n.Meant, key) {
		s.Fail(at, format, args...)
	}
}

// Entries are the entries of a mapping with free keys.
func (s *Source) Entries(n *Node, what string) []Entry {
	if n.Kind == Null {
		return nil
	}
	if n.Kind != Mapping {
		s.Fail(n.At, "%s must be a mapping of names and values, not %s", what, n.Kind)
		return nil
	}
	return n.Entries
}

// Text is a scalar's text; a null is the empty text.
func (s *Source) Text(n *Node) string {
	if n.Kind != Scalar && n.Kind != Null {
		s.Fail(n.At, "expected a text or number, not %s", n.Kind)
		return ""
	}
	if strings.ContainsRune(n.Text, 0) {
		s.Fail(n.At, "the text holds a NUL character")
		return ""
	}
	if !utf8.ValidString(n.Text) {
		s.Fail(n.At, "the text is not valid UTF-8")
		return ""
	}
	return n.Text
}

// Line is text without line breaks and other control characters.
func (s *Source) Line(n *Node) string {
	text := s.Text(n)
	if strings.ContainsFunc(text, unicode.IsControl) {
		s.Fail(n.At, "expected one line of text, without control characters")
		return ""
	}
	return text
}

// filled is a line with placeholders.
func (s *Source) filled(n *Node) string {
	text := s.Line(n)
	s.Placeholders(n.At, text, s.Known)
	return text
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,59}$`)

func (s *Source) Name(at Place, what, name string) {
	if !plainName.MatchString(name) {
		s.Fail(at, "%s %q: a name has letters, digits and any of - _ . +, begins with a letter or digit, and is no longer than 60",
			what, Printable(name))
	}
}

// number reads a finite number that is at least low and at most high.
func (s *Source) number(n *Node, low, high float64) float64 {
	text := s.Text(n)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		s.Fail(n.At, "%q is not a number", Printable(text))
		return low
	}
	if v < low || v > high {
		s.Fail(n.At, "%s is out of range: %s to %s", Printable(text), FormatNumber(low), FormatNumber(high))
		return low
	}
	return v
}

func (s *Source) Whole(n *Node, low, high int) int {
	text := s.Text(n)
	v, err := strconv.Atoi(text)
	if err != nil {
		s.Fail(n.At, "%q is not a whole number", Printable(text))
		return low
	}
	if v < low || v > high {
		s.Fail(n.At, "%d is out of range: %d to %d", v, low, high)
		return low
	}
	return v
}

func (s *Source) flag(n *Node) bool {
	switch s.Text(n) {
	case "true":
		return true
	case "false":
		return false
	}
	s.Fail(n.At, "expected true or false, not %q", Printable(n.Text))
	return false
}

func (s *Source) Duration(n *Node, low, high time.Duration) time.Duration {
	text := s.Text(n)
	d, err := parseDuration(text)
	if err != nil {
		s.Fail(n.At, "%v", err)
		return low
	}
	if d < low || d > high {
		s.Fail(n.At, "%s is out of range: %s to %s", text, FormatDuration(low), FormatDuration(high))
		return low
	}
	return d
}

func (s *Source) Rate(n *Node) float64 {
	v, err := ParseRate(s.Text(n))
	if err != nil {
		s.Fail(n.At, "%v", err)
	}
	return v
}

func (s *Source) oneOf(n *Node, what string, words ...string) string {
	text := s.Text(n)
	if !slices.Contains(words, text) {
		s.Fail(n.At, "%s", Unknown(what, Printable(text), words))
		return words[0]
	}
	return text
}

// Texts reads a list of texts; a single text is a list of one.
func (s *Source) Texts(n *Node) []string {
	switch n.Kind {
	case Null:
		return nil
	case Scalar:
		return []string{s.Line(n)}
	case List:
		var out []string
		for _, item := range n.Items {
			out = append(out, s.Text(item))
		}
		return out
	}
	s.Fail(n.At, "expected a list, not %s", n.Kind)
	return nil
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// env reads environment variables. A value may hold placeholders.
func (s *Source) env(n *Node) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, "env") {
		if !variable.MatchString(e.Key) {
			s.Fail(e.At, "%q is not the name of an environment variable", Printable(e.Key))
			continue
		}
		out[e.Key] = s.Text(e.Value)
		s.Placeholders(e.Value.At, out[e.Key], s.Known)
	}
	return out
}

func (s *Source) compile(n *Node) string {
	text := s.Text(n)
	if _, err := regexp.Compile(text); err != nil {
		s.Fail(n.At, "not a regular expression: %v", err)
	}
	return text
}

// without is words less one of them.
func without(words []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == word })
}

// userEnv reads env of the user's own, where ${env:NAME} must be set.
func (s *Source) userEnv(n *Node) map[string]string {
	out := s.env(n)
	for _, e := range n.Entries {
		s.environment(e.Value.At, e.Value.Text)
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
	return 0, fmt.Errorf("%q is not a duration such as 500ms, 20s or 1m30s", Printable(text))
}

func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ParseShare reads 5% or 0.05 as 0.05. It is between 0 and 1.
func ParseShare(text string) (float64, error) {
	v, percent, err := ParsePercent(text)
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

func ParsePercent(text string) (value float64, percent bool, err error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	digits = strings.TrimSpace(digits)
	if percent {
		digits += "e-2" // and not v / 100, which would make 33.3 % not quite 0.333
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, percent, fmt.Errorf("%q is not a share such as 5%% or 0.05", Printable(text))
	}
	return v, percent, nil
}

// FormatShare writes 0.05 as 5%, exactly enough to be read again.
func FormatShare(v float64) string {
	text := FormatNumber(v * 100)
	if again, _, err := ParsePercent(text + "%"); err == nil && again == v {
		return text + "%"
	}
	if short := strconv.FormatFloat(v*100, 'g', 12, 64); !strings.Contains(short, "e") {
		if again, _, err := ParsePercent(short + "%"); err == nil && again == v {
			return short + "%"
		}
	}
	return FormatNumber(v)
}

func FormatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// maxRate is in operations/s; no generator on one machine comes near it.
const maxRate = 10_000_000

// ParseRate reads 400/s, 24000/min or 400 as operations per second.
func ParseRate(text string) (float64, error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is not a rate such as 400/s or 24000/min", Printable(text))
	}
	switch strings.TrimSpace(unit) {
	case "", "s", "sec", "second":
	case "m", "min", "minute":
		v /= 60
	case "h", "hour":
		v /= 3600
	default:
		return 0, fmt.Errorf("%q is not a rate: the unit is /s, /min or /h", Printable(text))
	}
	if v <= 0 || v > maxRate {
		return 0, fmt.Errorf("the rate %s is out of range: more than 0, at most %d/s", Printable(text), maxRate)
	}
	return v, nil
}

func FormatRate(perSecond float64) string { return FormatNumber(perSecond) + "/s" }

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
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 1GiB", Printable(text))
	}
	return int64(v * unit), nil
}

// ParseAmount reads an amount of seconds (20ms) or of bytes (5MB), with its unit: a bare number is none.
func ParseAmount(text, unit string) (float64, error) {
	if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		return 0, fmt.Errorf("%q has no unit", Printable(text))
	}
	if unit == "s" {
		d, err := parseDuration(strings.TrimSpace(text))
		return d.Seconds(), err
	}
	size, err := parseSize(text)
	return float64(size), err
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
func (s *Source) command(n *Node) []string {
	var words []string
	switch n.Kind {
	case List:
		words = s.Texts(n)
	case Scalar:
		var err error
		if words, err = splitWords(s.Text(n)); err != nil {
			s.Fail(n.At, "%v", err)
			return nil
		}
	default:
		s.Fail(n.At, "expected a command: a list of words, or one line of text")
		return nil
	}
	if len(words) == 0 || strings.TrimSpace(words[0]) == "" {
		s.Fail(n.At, "the command is empty")
		return nil
	}
	for i, w := range words {
		at := n.At
		if n.Kind == List {
			at = n.Items[i].At
		}
		s.Placeholders(at, w, s.Known)
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

const maxLevels = 50 // of a sweep

// Levels reads the list of what is swept; each is there once.
func Levels[T comparable](s *Source, n *Node, what string, read func(*Node) T) []T {
	if len(n.Items) == 0 || len(n.Items) > maxLevels {
		s.Fail(n.At, "a list of %s has 1 to %d of them, not %d", what, maxLevels, len(n.Items))
		return nil
	}
	out := make([]T, 0, len(n.Items))
	for _, item := range n.Items {
		before := len(s.Problems)
		v := read(item)
		if len(s.Problems) > before {
			continue
		}
		if slices.Contains(out, v) {
			s.Fail(item.At, "%s is here a second time", Printable(item.Text))
		}
		out = append(out, v)
	}
	return out
}

// ShareBetween reads a share such as 75% within bounds.
func (s *Source) ShareBetween(n *Node, low, high float64) float64 {
	text := s.Text(n)
	v, percent, err := ParsePercent(text)
	switch {
	case err != nil:
		s.Fail(n.At, "%v", err)
	case v > high && !percent && v/100 >= low && v/100 <= high:
		s.Fail(n.At, "%s would be %s; write %s%%", Printable(text), FormatShare(v), Printable(text))
	case v < low || v > high:
		s.Fail(n.At, "%s is out of range: %s to %s", Printable(text), FormatShare(low), FormatShare(high))
	default:
		return v
	}
	return low
}

func (s *Source) metric(n *Node) string { return s.oneOf(n, "metric", MetricNames()...) }

// among reads a list of names of variants, workloads or operations, each of which is known.
func (s *Source) among(n *Node, what string) []string {
	var out []string
	for i, name := range s.Texts(n) {
		at := n.At
		if n.Kind == List {
			at = n.Items[i].At
		}
		switch {
		case !slices.Contains(s.Names[what], name):
			s.Fail(at, "%s", Unknown(what, Printable(name), s.Names[what]))
		case slices.Contains(out, name):
			s.Fail(at, "%s %q is here a second time", what, Printable(name))
		default:
			out = append(out, name)
		}
	}
	return out
}

// bound reads a relative difference: 5%, -0.1 or 0.
func (s *Source) bound(n *Node) *float64 {
	v, _, err := ParsePercent(s.Text(n))
	if err != nil {
		s.Fail(n.At, "%v", err)
		return nil
	}
	return &v
}

// The metrics of findings.json, as far as a file may name them.

// MetricNames are the names of all metrics that may be published and claimed about, sorted.
func MetricNames() []string {
	return slices.Sorted(slices.Values(metric.Where(func(r metric.Row) bool { return r.Limited || r.Named })))
}

// OrderRandom takes the rows of request data by chance.
const OrderRandom = "random"

// Share is one operation's part of a mix.
type Share struct {
	Operation Operation
	Weight    float64
}

// Number is a count of spans: an exact one, or an interval where it varies.
type Number struct{ Low, High float64 }

// FileFormats are the formats of files that spans are counted in.
var FileFormats = []string{"kieker", "jfr"}

// Steps of tracing, in the order of a span's way: a choice of a tracer says which are
// left with it, so that what each of them adds can be told.
var Steps = []string{"instrumentation", "probe", "queue", "writing"}
