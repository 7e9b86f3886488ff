package model

import (
	"regexp"
	"strings"
)

// held are a number with its unit, and an interval: "52.0 µs", "(95 % CI 19 to 44 µs)".
var held = regexp.MustCompile(
	`\([^()]{0,12}` + number + ` to ` + number + `\)|[0-9] (?:%|[nµm]?s|[kMG]?B(?:/s)?|CPUs?|points|min|h)(?:[^a-zA-Z]|$)`)

// number is one with its unit, if any.
const number = `[+−]?[0-9][0-9.,]*(?: [%a-zA-Zµ/]+)?`

// Held lets no line end within a figure of HTML: it puts no-break spaces between numbers and units, and into intervals.
func Held(s string) string {
	return held.ReplaceAllStringFunc(s, func(figure string) string {
		last := ""
		if strings.HasSuffix(figure, " ") { // behind the unit a line may end
			figure, last = figure[:len(figure)-1], " "
		}
		return strings.ReplaceAll(figure, " ", "\u00a0") + last
	})
}
