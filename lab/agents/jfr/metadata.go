// This file reads a chunk's own description of its events.

package jfr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

const (
	mostStrings = 1 << 20 // of a description
	mostString  = 1 << 20 // bytes of one
	mostDepth   = 64      // elements in one another
)

// kind returns the number of the event of a traced call; 0 if the chunk has no such event.
func (c chunk) kind() (uint64, error) {
	m := &metadata{numbers: numbers{r: bufio.NewReader(io.NewSectionReader(c.file, c.at+c.metadata, c.size-c.metadata))}}
	for range 5 { // size, kind, start, duration, version
		if _, err := m.next(); err != nil {
			return 0, err
		}
	}
	if err := m.readStrings(); err != nil {
		return 0, fmt.Errorf("the description of events: %w", err)
	}
	if err := m.element(0); err != nil {
		return 0, fmt.Errorf("the description of events: %w", err)
	}
	return m.kind, nil
}

// metadata reads a tree of elements with attributes, whose texts are numbers of strings.
type metadata struct {
	numbers
	strings []string
	kind    uint64
}

var errString = errors.New("a string is not in a form that is known")

func (m *metadata) readStrings() error {
	count, err := m.next()
	if err != nil {
		return err
	}
	if count > mostStrings {
		return fmt.Errorf("it has %d strings", count)
	}
	for range count {
		text, err := m.text()
		if err != nil {
			return err
		}
		m.strings = append(m.strings, text)
	}
	return nil
}

// text reads a string: absent, empty, in UTF-8, in characters, or in Latin-1.
func (m *metadata) text() (string, error) {
	form, err := m.r.ReadByte()
	if err != nil {
		return "", whole(err)
	}
	if form < 2 {
		return "", nil
	}
	length, err := m.next()
	if err != nil {
		return "", err
	}
	if length > mostString || form < 3 || form > 5 {
		return "", errString
	}
	if form == 4 {
		var text []byte
		for range length {
			c, err := m.next()
			if err != nil {
				return "", err
			}
			text = utf8.AppendRune(text, rune(c&0xffff))
		}
		return string(text), nil
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(m.r, text); err != nil {
		return "", whole(err)
	}
	return string(text), nil // Latin-1 beyond ASCII names no event that is looked for
}

func (m *metadata) word() (string, error) {
	i, err := m.next()
	if err == nil && i >= uint64(len(m.strings)) {
		err = errString
	}
	if err != nil {
		return "", err
	}
	return m.strings[i], nil
}

// element reads an element with all that it has.
func (m *metadata) element(depth int) error {
	name, err := m.word()
	if err != nil {
		return err
	}
	attributes, err := m.next()
	if err != nil {
		return err
	}
	var called, id string
	for range attributes {
		key, err := m.word()
		if err != nil {
			return err
		}
		value, err := m.word()
		if err != nil {
			return err
		}
		switch key {
		case "name":
			called = value
		case "id":
			id = value
		}
	}
	if name == "class" && called == traced {
		if m.kind, err = strconv.ParseUint(id, 10, 63); err != nil {
			return fmt.Errorf("the number of %s: %w", traced, err)
		}
	}
	children, err := m.next()
	if err != nil {
		return err
	}
	if depth > mostDepth {
		return errors.New("its elements are too deep in one another")
	}
	for range children {
		if err := m.element(depth + 1); err != nil {
			return err
		}
	}
	return nil
}
