// Package cell owns the names of what is measured: an operation, at a level of what is varied between its phases, with a
// variant. They are comparable, so they can be keys. It is a leaf. It must not know what was measured.
package cell

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Setting is one thing that is varied between phases, and its value: connections 4.
type Setting struct{ Name, Value string }

// Level is one level of what is varied between the phases of an operation. Levels that have the same settings are equal.
// The zero value is that of an operation without levels.
type Level struct{ text string } // names and values, each ended by a byte that neither has, in the order of the names

const end = "\x00"

// LevelOf is the level of a phase's parameter, from names to values.
func LevelOf(parameter map[string]string) Level {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(parameter)) {
		b.WriteString(name + end + parameter[name] + end)
	}
	return Level{b.String()}
}

// IsZero reports whether nothing is varied.
func (l Level) IsZero() bool { return l.text == "" }

// Settings are the varied settings, in the order of the names.
func (l Level) Settings() []Setting {
	var out []Setting
	for rest := l.text; rest != ""; {
		var s Setting
		s.Name, rest, _ = strings.Cut(rest, end)
		s.Value, rest, _ = strings.Cut(rest, end)
		out = append(out, s)
	}
	return out
}

// Map is the parameter that the level is of, nil where nothing is varied.
func (l Level) Map() map[string]string {
	if l.IsZero() {
		return nil
	}
	m := map[string]string{}
	for _, s := range l.Settings() {
		m[s.Name] = s.Value
	}
	return m
}

// Value is the value of one setting, "" where it is not varied.
func (l Level) Value(name string) string { return l.Map()[name] }

// String names the level for a reader: "connections 4", "depth 8, threads 2".
func (l Level) String() string { return l.Join(" ", ", ") }

// Join writes the settings with a word between name and value, and one between settings.
func (l Level) Join(is, and string) string {
	var parts []string
	for _, s := range l.Settings() {
		parts = append(parts, s.Name+is+s.Value)
	}
	return strings.Join(parts, and)
}

// Swept is the one thing that is varied and its value, a rate in operations/s; false where there is none, or more than
// one, or where it is no number.
func (l Level) Swept() (name string, x float64, ok bool) {
	settings := l.Settings()
	if len(settings) != 1 {
		return "", 0, false
	}
	x, err := strconv.ParseFloat(strings.TrimRight(settings[0].Value, "/s%"), 64)
	return settings[0].Name, x, err == nil && math.Abs(x) < 1e100
}

// Compare orders levels by what is varied, then by its number, then as text.
func (l Level) Compare(other Level) int {
	name, x, _ := l.Swept()
	otherName, y, _ := other.Swept()
	return cmp.Or(strings.Compare(name, otherName), cmp.Compare(x, y), strings.Compare(l.String(), other.String()))
}

// At is one operation at one level. Levels are never mixed. The zero value stands for the whole run.
type At struct {
	Operation string
	Level     Level
}

// AtOf is an operation at the level of a parameter.
func AtOf(operation string, parameter map[string]string) At {
	return At{operation, LevelOf(parameter)}
}

// String names it for a reader: "json, connections 4"; "" for the whole run.
func (a At) String() string {
	if a.Operation == "" || a.Level.IsZero() {
		return a.Operation + a.Level.String()
	}
	return a.Operation + ", " + a.Level.String()
}

// Title is its name, in which the whole run has one too.
func (a At) Title() string { return cmp.Or(a.String(), "whole run") }

// Depth is the setting of a phase on which it depends how many spans an operation makes: how many calls in one another
// it is.
const Depth = "depth"

// Work names what makes a certain number of spans: the operation, and, where the depth is varied, the depth at which it
// is made. It is the key under which spans per operation are learnt and looked up.
func (a At) Work() string {
	if depth := a.Level.Value(Depth); depth != "" {
		return a.Operation + ", " + Depth + " " + depth
	}
	return a.Operation
}

// Cell is a variant on an operation at a level.
type Cell struct {
	At
	Variant string
}
