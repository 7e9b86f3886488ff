// This file knows the records that Kieker's monitoring can send, field by field:
// without that nobody can tell where a record ends.

package kieker

import (
	"encoding/binary"
	"errors"
)

// class is what a record is for.
type class uint8

const (
	other     class = iota // what Kieker says of itself and its programs
	execution              // an operation that was executed: a span
	event                  // a moment in an operation
	sample                 // a figure of the JVM or the machine
	metadata               // what Kieker says of itself first of all
)

// layout is how a class of records lies on the wire: one letter a field, s string (its
// number in the registry), i int, l long, d double, b boolean, a string array (its
// length, then that many strings).
type layout struct {
	class  class
	fields string
	size   int  // bytes, without those of the arrays' strings
	open   bool // it has arrays
}

func lay(c class, fields string) layout {
	l := layout{class: c, fields: fields}
	for _, f := range fields {
		l.size += sizes[f]
		l.open = l.open || f == 'a'
	}
	return l
}

var sizes = map[rune]int{'s': 4, 'i': 4, 'a': 4, 'l': 8, 'd': 8, 'b': 1}

// layoutOf returns the layout of the class with that Java name. The names and types
// are those of all record classes of Kieker 2.0.2.
func layoutOf(name string) (layout, bool) {
	l, known := layouts[name]
	return l, known
}

// arrayLimit bounds the strings of one array.
const arrayLimit = 4096

var errArray = errors.New("an array has more strings than any record of Kieker")

// length returns the bytes of a record whose fields begin b, or -1 if b does not hold
// enough to tell. Fields that are counted to be there may lie beyond b.
func (l *layout) length(b []byte) (int, error) {
	if !l.open {
		return l.size, nil
	}
	at := 0
	for _, f := range l.fields {
		if f == 'a' {
			if len(b) < at+4 {
				return -1, nil
			}
			n := binary.BigEndian.Uint32(b[at:])
			if n > arrayLimit {
				return 0, errArray
			}
			at += 4 * int(n)
		}
		at += sizes[f]
	}
	return at, nil
}
