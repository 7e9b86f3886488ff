// Reading data files: CSV and JSON lines, once, from front to back, with errors
// that name file and line.

package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// mostFile is the largest data file that is read, in bytes.
	mostFile = 1 << 30
	// mostRow is the longest row, in bytes: a quote that is never closed must not
	// draw the rest of the file into memory.
	mostRow = 1 << 20
	// heedEvery is how many rows are read between two looks at the context.
	heedEvery = 4096
)

// DataError is what is wrong in a data file, and where.
type DataError struct {
	File string
	Line int // from 1; 0 is the file as a whole
	Err  error
}

func (e *DataError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("request data %s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("request data %s:%d: %v", e.File, e.Line, e.Err)
}

func (e *DataError) Unwrap() error { return e.Err }

// rowReader yields a file's rows.
type rowReader interface {
	// next reads a row, io.EOF after the last one.
	next() error
	// value is a column of the row that was read last.
	value(column string) (cell, error)
	// line is where that row, or what is wrong with it, stands.
	line() int
}

// readFile fills t from the file.
func (t *table) readFile(ctx context.Context, name string) error {
	// Looked at before it is opened: to open a named pipe waits for a writer.
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return &DataError{File: name, Err: withoutPath(err)}
	case !info.Mode().IsRegular():
		return &DataError{File: name, Err: errors.New("is not a regular file")}
	case info.Size() > mostFile:
		return &DataError{File: name, Err: fmt.Errorf("is larger than %d MiB: take a part of it", mostFile>>20)}
	}
	f, err := os.Open(name)
	if err != nil {
		return &DataError{File: name, Err: withoutPath(err)}
	}
	// Nothing is written: closing cannot lose anything.
	defer f.Close()
	t.bytes = make([]byte, 0, min(int(info.Size()), t.most))
	return t.read(ctx, name, f)
}

// withoutPath is err without the file's name, which the DataError says already.
func withoutPath(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// read fills t from in; name is for errors, and tells the format.
func (t *table) read(ctx context.Context, name string, in io.Reader) error {
	from, err := newRowReader(name, in)
	if err != nil {
		return &DataError{File: name, Err: err}
	}
	for {
		err := from.next()
		if err == nil {
			err = t.add(from.value)
		}
		if t.rows%heedEvery == 0 && ctx.Err() != nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, io.EOF) && t.rows > 0:
			return nil
		case errors.Is(err, io.EOF):
			return &DataError{File: name, Err: errors.New("has no rows")}
		case err != nil:
			return &DataError{File: name, Line: from.line(), Err: err}
		}
	}
}

// newRowReader tells the format by the file's extension, or else by its first character.
func newRowReader(name string, in io.Reader) (rowReader, error) {
	r := &bounded{in: in, left: mostRow}
	b := bufio.NewReaderSize(r, 64<<10)
	r.buffer = b.Size()
	const bom = "\ufeff" // which Excel writes
	if start, err := b.Peek(len(bom)); err == nil && string(start) == bom {
		if _, err := b.Discard(len(bom)); err != nil {
			return nil, err
		}
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return newCSVReader(b, r), nil
	case ".jsonl", ".ndjson", ".json":
		return newLineReader(b, r), nil
	}
	start, err := b.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) && len(start) == 0 {
		return nil, err
	}
	if s := bytes.TrimLeft(start, " \t\r\n"); len(s) > 0 && s[0] == '{' {
		return newLineReader(b, r), nil
	}
	return newCSVReader(b, r), nil
}

// errLongRow is a row of more than mostRow bytes.
var errLongRow = fmt.Errorf("has a row of more than %d KiB (is a quote not closed?)", mostRow>>10)
