package model

import (
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// OneLine makes text from outside fit for one line of any form: control sequences of a terminal go whole; other control
// characters, which could move a cursor or change colours, become "�"; marks that turn the direction of the text go.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, excerpt.WithoutEscapes(s))
}
