// Package renamed owns the words that got another name: which new one an old one stands for, and the hint at it. An old word
// works for one release. It must not know where a word is read, nor where a hint is shown.
package renamed

import "fmt"

// Kind is what a word is.
type Kind string

// The kinds of words that were renamed.
const (
	Command    Kind = "command"
	Flag       Kind = "flag"
	Key        Kind = "key"
	Experiment Kind = "experiment"
)

// words are the new ones, by the old.
var words = map[Kind]map[string]string{
	Command: {"study": "replicate"},
	Flag:    {"anew": "reanalyze"},
	Key:     {"most": "max", "holds": "buffers"},
	Experiment: {
		"calls-paced": "calls-fixed-rate", "calls-kin": "calls-languages", "calls-kin-elastic": "calls-languages-elastic",
	},
}

// Now is the word that an old one stands for; false where the word is no old one.
func Now(kind Kind, old string) (string, bool) {
	now, was := words[kind][old]
	return now, was
}

// Hint says what to write instead of an old word.
func Hint(kind Kind, old, now string) string {
	dashes := ""
	if kind == Flag {
		dashes = "--"
	}
	return fmt.Sprintf("the %s %s is now called %s; the old name works in this release only", kind, dashes+old, dashes+now)
}
