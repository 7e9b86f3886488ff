package excerpt

import "regexp"

// escape is a control sequence of a terminal: CSI (colours, cursor), OSC
// (titles, links), or a single one.
var escape = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// WithoutEscapes takes the control sequences of a terminal out of a text, whole: of
// a log in colour the words are left.
func WithoutEscapes(text string) string { return escape.ReplaceAllString(text, "") }
