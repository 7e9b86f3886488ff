// The values of a tracer's settings.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Setting is the setting of that name, or nil.
func (t *Tracer) Setting(name string) *Setting {
	for i := range t.Settings {
		if t.Settings[i].Name == name {
			return &t.Settings[i]
		}
	}
	return nil
}

func (t *Tracer) settingNames() []string { return namesOf(t.Settings) }

// canonical checks a value and spells it in the one way of its kind.
func (s *Setting) canonical(value string) (string, error) {
	switch s.Kind {
	case "share":
		v, err := parseShare(value)
		if err != nil {
			return "", err
		}
		return formatShare(v), nil
	case "count":
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || v < 0 {
			return "", fmt.Errorf("%q is not a whole number from 0", printable(value))
		}
		return strconv.FormatInt(v, 10), nil
	case "duration":
		d, err := parseDuration(value)
		if err != nil {
			return "", err
		}
		return formatDuration(d), nil
	case "choice":
		if _, ok := s.Choices[value]; !ok {
			return "", fmt.Errorf("%s", unknown("choice", printable(value), slices.Collect(maps.Keys(s.Choices))))
		}
		return value, nil
	}
	if strings.ContainsFunc(value, unicode.IsControl) {
		return "", fmt.Errorf("%q is not one line of text", printable(value))
	}
	return value, nil
}

// environment is what the setting sets and appends with a (canonical) value, and
// which variables of the tracer it takes away. Placeholders of the run stay.
func (s *Setting) environment(value string) (set, behind map[string]string, unset []string) {
	if s.Kind == "choice" {
		c := s.Choices[value]
		return c.Env, c.Append, c.Unset
	}
	words := s.words(value)
	return valued(s.Env, words), valued(s.Append, words), nil
}

// valued fills the words of a value into texts.
func valued(texts, words map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range texts {
		out[name] = replace(text, func(word string) string {
			if v, ok := words[word]; ok {
				return literal(v)
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
		if v, err := parseShare(value); err == nil {
			words["value.ratio"] = formatNumber(v)
			words["value.percent"] = formatNumber(100 * v)
		}
	case "duration":
		if d, err := parseDuration(value); err == nil {
			words["value.ms"] = formatNumber(float64(d) / float64(time.Millisecond))
			words["value.s"] = formatNumber(d.Seconds())
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
