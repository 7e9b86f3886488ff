// Reading data files: CSV and JSON lines, once, from front to back, with errors that name file and line.

package feed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/quote"
)

const (
	// mostFile is the largest size of a data file, in bytes.
	mostFile = 1 << 30
	// mostRow is the longest row, in bytes: a quote that is never closed must not draw the rest of the file into memory.
	mostRow = 1 << 20
	// heedEvery is the number of rows between two looks at the context.
	heedEvery = 4096
)

// DataError is an error in a data file, with its place.
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
	// value returns the value of a column in the last row read.
	value(column string) (cell, error)
	// line returns the line of that row, or of the error in it.
	line() int
}

// readFile fills t from the file.
func (t *table) readFile(ctx context.Context, name string) error {
	// Checked before it is opened: opening a named pipe waits for a writer.
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

// withoutPath returns err without the file's name, which the DataError has already.
func withoutPath(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// read fills t from in; name is for errors, and determines the format.
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

// newRowReader chooses the format by the file's extension, or else by its first character.
func newRowReader(name string, in io.Reader) (rowReader, error) {
	r := &bounded{in: in, left: mostRow}
	b := bufio.NewReaderSize(r, 64<<10)
	r.buffer = b.Size()
	const bom = "\ufeff" // Excel writes it
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

// errLongRow reports a row of more than mostRow bytes.
var errLongRow = fmt.Errorf("has a row of more than %d KiB (is a quote not closed?)", mostRow>>10)

// Data files in CSV with a header line (RFC 4180).
type csvReader struct {
	from    *csv.Reader
	bound   *bounded
	columns map[string]int
	header  []string
	row     []string
	at      int
}

func newCSVReader(in *bufio.Reader, bound *bounded) *csvReader {
	from := csv.NewReader(in)
	from.ReuseRecord = true
	from.FieldsPerRecord = -1 // a ragged row then gets our own error
	return &csvReader{from: from, bound: bound}
}

func (r *csvReader) line() int { return r.at }

func (r *csvReader) next() error {
	if r.columns == nil {
		if err := r.readHeader(); err != nil {
			return err
		}
	}
	if err := r.read(); err != nil {
		return err
	}
	if len(r.row) != len(r.header) {
		return fmt.Errorf("the row has %d fields, the header line %d", len(r.row), len(r.header))
	}
	return nil
}

func (r *csvReader) readHeader() error {
	if err := r.read(); err != nil {
		return err
	}
	r.columns = map[string]int{}
	for i, name := range r.row {
		name = strings.TrimSpace(name)
		if _, double := r.columns[name]; double && name != "" {
			return fmt.Errorf("the header line has two columns %s", quote.Quoted(name))
		}
		r.columns[name] = i
		r.header = append(r.header, strings.Clone(name))
	}
	return nil
}

func (r *csvReader) read() error {
	r.bound.renew()
	row, err := r.from.Read()
	var wrong *csv.ParseError
	switch {
	case errors.As(err, &wrong):
		r.at = wrong.Line
		if wrong.StartLine != wrong.Line {
			return fmt.Errorf("column %d, in the row that begins in line %d: %w", wrong.Column, wrong.StartLine, wrong.Err)
		}
		return fmt.Errorf("column %d: %w", wrong.Column, wrong.Err)
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		r.at++
		return err
	}
	r.row = row
	r.at, _ = r.from.FieldPos(0)
	return nil
}

func (r *csvReader) value(column string) (cell, error) {
	i, ok := r.columns[column]
	if !ok {
		r.at = 1
		return cell{}, fmt.Errorf("no column %q; the header line has %s", column, listed(r.header))
	}
	return cell{text: r.row[i]}, nil
}

// Data files in JSON lines: one object a line.
type lineReader struct {
	from  *bufio.Reader
	bound *bounded
	row   map[string]json.RawMessage
	buf   []byte
	at    int
}

func newLineReader(in *bufio.Reader, bound *bounded) *lineReader {
	return &lineReader{from: in, bound: bound}
}

func (r *lineReader) line() int { return r.at }

// next reads the next line that is not blank.
func (r *lineReader) next() error {
	for {
		r.at++
		line, err := r.readLine()
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return r.parse(line)
		}
	}
}

// readLine returns a line, io.EOF after the last one.
func (r *lineReader) readLine() ([]byte, error) {
	r.bound.renew()
	r.buf = r.buf[:0]
	for {
		part, err := r.from.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(r.buf) > 0, err == nil:
			return r.buf, nil
		default:
			return nil, err
		}
	}
}

func (r *lineReader) parse(line []byte) error {
	if line[0] == '[' && r.at == 1 {
		return errors.New("want one object a line, not an array of them (jq -c '.[]' FILE makes such lines)")
	}
	clear(r.row)
	err := json.Unmarshal(line, &r.row)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind), err == nil && r.row == nil:
		return errors.New(`want an object, such as {"id": 1}`)
	case err != nil:
		return fmt.Errorf("want one object a line: %w", err)
	case fieldCount(line) != len(r.row):
		return repeated(line)
	}
	return nil
}

// fieldCount returns the number of fields of an object in valid JSON, counting repeated names each time.
func fieldCount(object []byte) int {
	depth, fields, quoted := 0, 0, false
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case c == ':' && depth == 1:
			fields++
		}
	}
	return fields
}

// repeated returns the error of an object that has a field twice.
func repeated(object []byte) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("the object has two fields %s", quote.Quoted(fmt.Sprint(name)))
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return errors.New("the object has a field twice")
}

func (r *lineReader) value(column string) (cell, error) {
	raw, ok := r.row[column]
	if !ok {
		return cell{}, fmt.Errorf("no field %q; the object has %s", column, listed(slices.Sorted(maps.Keys(r.row))))
	}
	if raw[0] != '"' {
		return cell{text: string(raw), json: raw}, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return cell{}, fmt.Errorf("field %q: %w", column, err)
	}
	return cell{text: s, json: raw}, nil
}
