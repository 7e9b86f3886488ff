// Package wording owns sentences: the summary of an experiment, what was lost, searched for, warmed up and made to fail, and
// the words that answers of several kinds share. It must not know how a figure came about.
package wording

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// FewNames lists some names and the number of the others.
func FewNames(names []string) string {
	const most = 2
	if len(names) <= most {
		return strings.Join(names, " and ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Blocks counts blocks.
func Blocks(n int) string { return Counted(n, "block") }

// Counted is a number of things: "1 warning", "1,204 spans".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return finding.FormatCount(int64(n)) + " " + noun + "s"
}

// PutOff says which share of a variant's answers waited for a delayed acknowledgement.
func PutOff(variant string, share float64) string {
	return fmt.Sprintf("with %s %s of the answers came about 40 ms late, in two pieces", variant, finding.FormatValue(share, "1"))
}

// OnlyCPU is why what takes time is not compared of woven variants: requests of one wait for those of
// the others.
const OnlyCPU = "woven variants are compared by CPU and memory, not by latency"
