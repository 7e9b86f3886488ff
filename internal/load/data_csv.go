// Data files in CSV with a header line (RFC 4180).

package load

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tracetax/tracetax/internal/excerpt"
)

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
	from.FieldsPerRecord = -1 // so that a ragged row is told in our words
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
			return fmt.Errorf("the header line has two columns %s", excerpt.Quoted(name))
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
