// Package quote owns how text that others wrote is quoted in an error: what a
// workload answers, what a program logs, a body, a line of a file, a name from the
// network. It is cut, and nothing in it reaches a terminal or a file as a control
// character. It is a leaf; every package may import it.
package quote

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Most is how many bytes an excerpt has at most, quotes and the mark of a cut apart.
const Most = 200

// mark stands where text was cut off.
const mark = "…"

// Quoted is the beginning of text as a quoted Go string: `"a line\n"`. A cut is marked
// behind the quotes.
func Quoted[T string | []byte](text T) string {
	kept, cut := escaped(text, Most, '"')
	if cut {
		return `"` + kept + `"` + mark
	}
	return `"` + kept + `"`
}

// Line is the beginning of text without quotes, for text that is told rather than
// quoted: `java.io.IOException: no "port"`. Control characters are escaped, those that end a
// line too; white space around it is left out.
func Line(text string) string {
	kept, cut := escaped(strings.TrimSpace(text), Most, 0)
	if cut {
		return kept + mark
	}
	return kept
}

// Lines are the excerpts of several lines, joined by between.
func Lines(lines []string, between string) string {
	told := make([]string, 0, len(lines))
	for _, line := range lines {
		told = append(told, Line(line))
	}
	return strings.Join(told, between)
}

// Text is text of several lines, such as the words of a compiler, with every line
// whole: what is not printable is escaped, tabs apart. Whoever keeps it bounds it.
func Text(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		parts := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		for j, part := range parts {
			parts[j], _ = escaped(part, math.MaxInt, 0)
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

// escaped escapes text as Go does within quotes of that kind (0: none, so neither
// quotes nor backslashes need it), cut to most bytes.
func escaped[T string | []byte](text T, most int, quote byte) (kept string, cut bool) {
	b := make([]byte, 0, min(len(text), most))
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(string(text[:min(len(text), utf8.UTFMax)]))
		before := len(b)
		switch {
		case quote == 0 && (r == '"' || r == '\\'), r < utf8.RuneSelf && strconv.IsPrint(r) && r != '"' && r != '\\':
			b = append(b, byte(r))
		default:
			q := strconv.Quote(string(text[:size])) // of a byte that is no character: \xff
			b = append(b, q[1:len(q)-1]...)
		}
		if len(b) > most {
			return string(b[:before]), true
		}
		text = text[size:]
	}
	return string(b), false
}

// escape is a control sequence of a terminal: CSI (colours, cursor), OSC
// (titles, links), or a single one.
var escape = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// WithoutEscapes takes the control sequences of a terminal out of a text, whole: of
// a log in colour the words are left.
func WithoutEscapes(text string) string { return escape.ReplaceAllString(text, "") }
