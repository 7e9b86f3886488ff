// This file reads what a program says of itself: about.json, and the names of its methods.

package ring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	formatVersion = 1
	mostAbout     = 1 << 20 // bytes of about.json
	mostLine      = 1 << 20 // bytes of a line of methods
	mostMethods   = 1 << 30 // bytes of the file methods
	mostName      = 2048    // bytes of a class's or method's name: what is more is cut off
	mostUntraced  = 10_000  // that are remembered
	readPiece     = 64 << 10
)

// readAbout reads about.json. It wraps fs.ErrNotExist where the program has not written it.
func readAbout(dir *os.Root, name string) (*Program, error) {
	f, err := openRegular(dir, "about.json", os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostAbout+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading about.json: %w", err)
	case len(text) > mostAbout:
		return nil, fmt.Errorf("about.json has more than %d bytes", mostAbout)
	}
	var about struct {
		Version  int               `json:"version"`
		PID      int               `json:"pid"`
		Clock    Clock             `json:"clock"`
		Service  string            `json:"service"`
		Resource map[string]string `json:"resource"`
		Runtime  string            `json:"runtime"`
		Cost     float64           `json:"clock_cost_ns"`
		Step     float64           `json:"clock_step_ns"`
		Fallback string            `json:"fallback"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, fmt.Errorf("reading about.json: %w", err)
	}
	switch {
	case about.Version != formatVersion:
		return nil, fmt.Errorf("its rings have version %d, and this reader knows version %d: use an agent and a reader of one release",
			about.Version, formatVersion)
	case about.Clock != TSC && about.Clock != Nano && about.Clock != Page:
		return nil, fmt.Errorf("its clock is %q; this reader knows tsc, nano and page", about.Clock)
	case about.Clock == TSC && !hasTicks:
		return nil, errors.New("its clock is tsc, which this reader cannot read on this processor: set the agent's clock to nano")
	}
	return &Program{
		Name: name, PID: about.PID, Service: about.Service, Resource: about.Resource, Runtime: about.Runtime,
		Clock: about.Clock, ClockCostNS: about.Cost, ClockStepNS: about.Step, Fallback: about.Fallback,
	}, nil
}

// methodFile follows the file methods of a program.
type methodFile struct {
	dir   *os.Root
	file  *os.File // nil before there is one
	at    int64
	line  []byte // the begin of one that is not finished
	piece []byte
}

// read hands on the lines that were finished since the last call.
func (m *methodFile) read(each func(line []byte)) error {
	if m.file == nil {
		f, err := openRegular(m.dir, "methods", os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the names of methods: %w", err)
		}
		m.file, m.piece = f, make([]byte, readPiece)
	}
	for {
		n, err := m.file.ReadAt(m.piece, m.at)
		m.at += int64(n)
		rest := m.piece[:n]
		for {
			line, after, found := bytes.Cut(rest, []byte{'\n'})
			if !found {
				break
			}
			each(append(m.line, line...))
			m.line, rest = m.line[:0], after
		}
		m.line = append(m.line, rest...)
		switch {
		case len(m.line) > mostLine || m.at > mostMethods:
			return fmt.Errorf("reading the names of methods: a line has more than %d bytes, or the file more than %d", mostLine, mostMethods)
		case errors.Is(err, io.EOF) || err == nil && n == 0:
			return nil
		case err != nil:
			return fmt.Errorf("reading the names of methods: %w", err)
		}
	}
}

func (m *methodFile) close() error {
	if m.file == nil {
		return nil
	}
	return m.file.Close()
}

// methodLine is a line of the file methods, of either kind.
type methodLine struct {
	Number   *int   `json:"number"`
	Class    string `json:"class"`
	Method   string `json:"method"`
	Untraced string `json:"untraced"`
	Why      string `json:"why"`
}

// parseMethod reads a line. Its names are as they will be shown: valid, and not longer than a name may be.
func parseMethod(text []byte) (methodLine, error) {
	var line methodLine
	if err := json.Unmarshal(text, &line); err != nil {
		return line, fmt.Errorf("a line of the file methods is no JSON: %w", err)
	}
	if line.Number == nil && line.Untraced == "" {
		return line, fmt.Errorf("a line of the file methods has neither a number nor an untraced method: %.100q", text)
	}
	if n := line.Number; n != nil && (*n < 0 || *n >= ownerNumber) {
		return line, fmt.Errorf("a line of the file methods has the number %d; numbers go from 0 to %d", *n, ownerNumber-1)
	}
	line.Class, line.Method = bounded(line.Class), bounded(line.Method)
	line.Untraced, line.Why = bounded(line.Untraced), bounded(line.Why)
	return line, nil
}

// bounded cuts a name off where it is too long, between two characters.
func bounded(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= mostName {
		return name
	}
	cut := mostName
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut]
}
