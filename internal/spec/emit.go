// Writing a tree of pairs as YAML. Own code, since what is written must be read
// again as exactly the same text, whatever characters a user's environment holds:
// all that is not plainly harmless is quoted.
package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// pairs is a mapping in a fixed order. A value is a string, a number, an int, a
// uint64, a bool, pairs, or a list of strings, of ints, of lists of strings, or of
// pairs; lines is a list of strings, each on a line of its own.
type pairs []pair

type pair struct {
	key   string
	value any
}

type lines []string

// number is written without quotes.
type number float64

func (p *pairs) add(key string, value any) { *p = append(*p, pair{key, value}) }

type emitter struct{ strings.Builder }

func (e *emitter) pairs(p pairs, depth int) error {
	for _, item := range p {
		e.WriteString(strings.Repeat("  ", depth) + quoted(item.key) + ":")
		if err := e.value(item.value, depth); err != nil {
			return fmt.Errorf("%s: %w", item.key, err)
		}
	}
	return nil
}

// value writes what follows the colon of a key at that depth, and ends the line.
func (e *emitter) value(value any, depth int) error {
	switch v := value.(type) {
	case pairs:
		if len(v) == 0 {
			e.WriteString(" {}\n")
			return nil
		}
		e.WriteString("\n")
		return e.pairs(v, depth+1)
	case []pairs:
		e.WriteString("\n")
		return e.list(v, depth+1)
	case [][]string:
		lines := make([]string, len(v))
		for i, words := range v {
			lines[i] = flow(words)
		}
		e.WriteString(" [" + strings.Join(lines, ", ") + "]\n")
	case lines:
		e.WriteString("\n")
		for _, line := range v {
			e.WriteString(strings.Repeat("  ", depth+1) + "- " + quoted(line) + "\n")
		}
	case []string:
		e.WriteString(" " + flow(v) + "\n")
	case []int:
		e.WriteString(" [" + strings.Join(wholeTexts(v), ", ") + "]\n")
	case string:
		e.WriteString(" " + quoted(v) + "\n")
	case number:
		e.WriteString(" " + formatNumber(float64(v)) + "\n")
	case int, uint64, bool:
		fmt.Fprintf(e, " %v\n", v)
	default:
		return fmt.Errorf("cannot write a %T as YAML", value)
	}
	return nil
}

// list writes mappings, each with a dash before its first line.
func (e *emitter) list(items []pairs, depth int) error {
	indent := strings.Repeat("  ", depth)
	for _, p := range items {
		var one emitter
		if err := one.pairs(p, depth+1); err != nil {
			return err
		}
		e.WriteString(indent + "- " + strings.TrimPrefix(one.String(), indent+"  "))
	}
	return nil
}

func flow(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoted(w)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

var (
	harmless = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9/_.+@%=-]*(:[A-Za-z0-9/_.+@%=-]+)*( [A-Za-z0-9/][A-Za-z0-9/_.+@%=-]*(:[A-Za-z0-9/_.+@%=-]+)*)*$`)
	quantity = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(ms|s|m|h|%|/s|KiB|MiB|GiB)$|^[0-9]+\.\.[0-9]+$|^[0-9]+m[0-9]+s$|^[0-9.]+% of [a-z0-9_]+$`)
	meaning  = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

// quoted is a text as a YAML scalar. The escapes of a quoted Go string mean the
// same in YAML.
func quoted(text string) string {
	if (harmless.MatchString(text) || quantity.MatchString(text)) && !meaning.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
