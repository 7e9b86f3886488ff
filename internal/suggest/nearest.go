// Package suggest owns what an error says of a word that is not known: which of the known ones was probably meant. It
// must not know what the words are for.
package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	fewKnown = 10 // so many known words are all named
	offered  = 5  // of more, so many are
)

// Unknown says that word is none of the known ones, and which of them may be meant: unknown variant "btach"; did you mean "batch"?
func Unknown(what, word string, known []string) string {
	return fmt.Sprintf("unknown %s %q%s", what, word, Hint(word, known))
}

// Hint is what an error about a word that is not known ends in: the known word that was probably meant; where none is near,
// all known ones if they are few, and otherwise those that are nearest.
func Hint(word string, known []string) string {
	if near := Word(word, known); near != "" {
		return DidYouMean(near)
	}
	switch distinct := slices.Compact(slices.Sorted(slices.Values(known))); {
	case len(distinct) == 0:
		return ""
	case len(distinct) <= fewKnown:
		return "; known are " + strings.Join(distinct, ", ")
	default:
		return fmt.Sprintf("; nearest of %d: %s", len(distinct), strings.Join(order(word, distinct)[:offered], ", "))
	}
}

// DidYouMean asks whether one of words was meant; "" without any. Of many it offers the first ones.
func DidYouMean(words ...string) string {
	var quoted []string
	for _, w := range words[:min(len(words), offered)] {
		if w != "" {
			quoted = append(quoted, strconv.Quote(w))
		}
	}
	if len(quoted) == 0 {
		return ""
	}
	if len(words) > offered {
		quoted = append(quoted, "…")
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(quoted, ", "))
}

// Word is the known word that word was probably meant to be, or "".
func Word(word string, known []string) string {
	if len(word) > longest {
		return ""
	}
	best, at := "", min(max(1, (len(word)+2)/3), len(word)-1)+1 // the first distance that is too far
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := Distance(strings.ToLower(word), strings.ToLower(k))
		if d < at {
			best, at = k, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range slices.Sorted(slices.Values(known)) {
		if len(word) >= 3 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k) && len(k) >= 3) {
			return k
		}
	}
	return ""
}

// longest is the length from which on a word is no mistyped name, nor worth the time of a comparison.
const longest = 100

// order is the known words with those first that share most with word: the letters to change, as a share of the longer one.
func order(word string, known []string) []string {
	word = strings.ToLower(word[:min(len(word), longest)])
	share := func(k string) float64 {
		return float64(Distance(word, strings.ToLower(k))) / float64(max(len(word), len(k), 1))
	}
	return slices.SortedStableFunc(slices.Values(known), func(a, b string) int { return cmp.Compare(share(a), share(b)) })
}

// Distance is the number of letters to insert, delete, replace or swap with a
// neighbour to turn a into b (optimal string alignment).
func Distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
