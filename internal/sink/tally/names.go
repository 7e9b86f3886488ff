// This file counts by name with bounded memory: so many different names, each
// of bounded length, and no allocation for a name that is known already.

package tally

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxNames   = 1000 // different names kept in a Total
	batchNames = 4096 // different names kept in one request's Batch
	maxName    = 256  // bytes kept of a name

	other = "(other)" // where names beyond the limit go
	none  = "(none)"  // stands for an empty name
)

// names counts by name. The zero value counts nothing; limit must be set.
type names struct {
	limit int
	index map[string]int // position in count
	name  []string
	count []uint64
	other uint64
	last  int // position that was counted last: spans of one kind come in runs
}

// elsewhere is the position of a name that is not kept.
const elsewhere = -1

// add counts n under a name as it came over the wire, and returns the name's position, or
// elsewhere. The name is not kept.
func (ns *names) add(name []byte, n uint64) int {
	if ns.last < len(ns.name) && ns.name[ns.last] == string(name) {
		ns.count[ns.last] += n
		return ns.last
	}
	if i, ok := ns.index[string(name)]; ok {
		ns.count[i] += n
		ns.last = i
		return i
	}
	return ns.addClean(clean(name), n)
}

// addClean counts n under a name that clean has made, and returns the name's position, or
// elsewhere.
func (ns *names) addClean(name string, n uint64) int {
	i, ok := ns.index[name]
	switch {
	case ok:
		ns.count[i] += n
		ns.last = i
	case len(ns.name) >= ns.limit:
		ns.other += n
		return elsewhere
	default:
		if ns.index == nil {
			ns.index = make(map[string]int)
		}
		ns.last = len(ns.name)
		ns.index[name] = ns.last
		ns.name = append(ns.name, name)
		ns.count = append(ns.count, n)
	}
	return ns.last
}

// mergeInto adds everything counted here to total. It returns where the names are there, by
// their position here, in the room of places.
func (ns *names) mergeInto(total *names, places []int) []int {
	places = places[:0]
	for i, n := range ns.count {
		place := elsewhere
		if n > 0 {
			place = total.addClean(ns.name[i], n)
		}
		places = append(places, place)
	}
	total.other += ns.other
	return places
}

// reset sets all counts to zero. The names stay, so that the next request of the
// same sender allocates nothing, unless they are more than a Total would keep.
func (ns *names) reset() {
	if len(ns.name) > maxNames {
		*ns = names{limit: ns.limit}
		return
	}
	clear(ns.count)
	ns.other = 0
}

// counts returns a copy; nil if nothing was counted.
func (ns *names) counts() map[string]uint64 {
	if len(ns.name) == 0 && ns.other == 0 {
		return nil
	}
	m := make(map[string]uint64, len(ns.name)+1)
	for i, name := range ns.name {
		m[name] = ns.count[i]
	}
	if ns.other > 0 {
		m[other] += ns.other
	}
	return m
}

// clean returns a name of bounded length that is valid UTF-8.
func clean(name []byte) string {
	if len(name) == 0 {
		return none
	}
	if len(name) <= maxName {
		return strings.ToValidUTF8(string(name), "\uFFFD")
	}
	cut := maxName
	for cut > maxName-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return strings.ToValidUTF8(string(name[:cut]), "\uFFFD") + "…"
}

// A root's name may have an id in it, so that there is a name for every trace. folded returns the name with a mark in the place of
// each of these: of whole numbers, of UUIDs, and of words with digits in them that are too long for a version or a unit. Where it
// has none it is the name itself, and else in room that the next call takes.
func (b *Batch) folded(name []byte) []byte {
	if !slices.ContainsFunc(name, isDigit) {
		return name
	}
	b.name = b.name[:0]
	for i := 0; i < len(name); {
		if i+uuid <= len(name) && isUUID(name[i:i+uuid]) && (i+uuid == len(name) || !isWord(name[i+uuid])) {
			b.name = append(b.name, idMark...)
			i += uuid
			continue
		}
		end, digits := i, 0
		for ; end < len(name) && isWord(name[end]); end++ {
			if isDigit(name[end]) {
				digits++
			}
		}
		switch word := name[i:end]; {
		case len(word) == 0:
			end++
			b.name = append(b.name, name[i])
		case digits == len(word) && (i == 0 || name[i-1] != '$'), digits > 0 && len(word) >= longWord: // Outer$1 is a name in Java
			b.name = append(b.name, idMark...)
		default:
			b.name = append(b.name, word...)
		}
		i = end
	}
	return b.name
}

const (
	idMark   = "{id}"
	uuid     = 36 // its characters
	longWord = 16 // characters from which on a word with digits is an id
)

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func isUUID(text []byte) bool {
	for i, c := range text {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isDigit(c) && !(c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}
