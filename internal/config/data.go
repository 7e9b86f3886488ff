// Request data: a file whose rows fill {data.COLUMN} in the requests of an
// operation. The load generator reads the rows; here only what can be told
// beforehand is checked: that the file is there, and the names of its columns.

package config

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	dataPrefix = "data."
	dataStart  = "{" + dataPrefix
	maxHeader  = 64 << 10 // bytes of a header line
)

// dataWord is a placeholder for request data, {data.COLUMN} or {data.COLUMN:raw}.
var dataWord = regexp.MustCompile(`\{data\.([^{}\r\n]*)\}`)

// withoutData is a text without its placeholders for request data.
func withoutData(text string) string {
	if !strings.Contains(text, dataStart) {
		return text
	}
	return dataWord.ReplaceAllString(text, "")
}

// columnsOf are the columns that a text names.
func columnsOf(text string) []string {
	var out []string
	for _, m := range dataWord.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.TrimSuffix(m[1], ":raw"))
	}
	return out
}

// dataFile reads the name of a file of request data.
func (s *source) dataFile(n *node) string {
	if s.line(n) == "" {
		s.fail(n.at, "data names a file of request data: CSV with a header line, or JSON lines")
		return ""
	}
	return s.fileName(n, "data")
}

// order reads in which order the rows are taken; "" is one after the other.
func (s *source) order(n *node) string {
	if order := s.oneOf(n, "order", "turn", OrderRandom); order == OrderRandom {
		return order
	}
	return ""
}

// data checks the columns that an operation names. Request is where its request
// stands, n the operation; nil where it is nothing but a request.
func (s *source) data(o *Operation, request, n *node, known []string) {
	if o.Data == "" {
		if n != nil && n.get("data") != nil {
			return // of which dataFile has complained
		}
		for _, part := range o.dataTexts(request, n) {
			if columns := columnsOf(part.text); len(columns) > 0 && !slices.Contains(known, dataPrefix+columns[0]) {
				s.fail(part.at, "{data.%s} stands for a column of request data, but the operation has no data: FILE", printable(columns[0]))
			}
		}
		return
	}
	if slices.Contains(known, dataPrefix+"port") {
		s.fail(n.get("data").at, "a process is called data, so that {data.port} would mean two things; give it another name")
		return
	}
	known, err := s.header(o.Data)
	if err != nil {
		s.fail(n.get("data").at, "data: %v", err)
		return
	}
	used := false
	for _, part := range o.dataTexts(request, n) {
		for _, column := range columnsOf(part.text) {
			used = true
			if known != nil && !slices.Contains(known, column) {
				s.fail(part.at, "%s (of %s)", unknown("column", printable(column), known), printable(filepath.Base(o.Data)))
			}
		}
	}
	if !used {
		s.fail(n.get("data").at, "no part of the request takes a column of the data; write {data.COLUMN} where one is to stand, or leave data out")
	}
}

// part is a text of an operation and where it stands.
type part struct {
	at   place
	text string
}

// dataTexts are the parts of an operation that may hold request data.
func (o *Operation) dataTexts(request, n *node) []part {
	out := []part{{request.at, o.URL}}
	if n == nil {
		return out
	}
	if headers := n.get("headers"); headers != nil {
		for _, e := range headers.entries {
			out = append(out, part{e.value.at, e.value.text})
		}
	}
	if body := n.get("body"); body != nil {
		out = append(out, part{body.at, string(o.Body)})
	}
	return out
}

// header is the header line of a CSV file; nil where the file is JSON lines, so
// that its columns are known to the load generator only.
func (s *source) header(name string) ([]string, error) {
	f, err := openNamed(s.files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	in := bufio.NewReader(io.LimitReader(f, maxHeader))
	if start, err := in.Peek(len(byteOrderMark)); err == nil && string(start) == byteOrderMark {
		if _, err := in.Discard(len(byteOrderMark)); err != nil {
			return nil, err
		}
	}
	if isJSONLines(name, in) {
		return nil, nil
	}
	names, err := csv.NewReader(in).Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: it needs a header line with the names of its columns")
	}
	if err != nil {
		return nil, err
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names, nil
}

// isJSONLines tells the two formats apart as the load generator does: by the
// file's extension, or else by its first character.
func isJSONLines(path string, in *bufio.Reader) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return false
	case ".jsonl", ".ndjson", ".json":
		return true
	}
	start, _ := in.Peek(512) // a file that is shorter, or cannot be read, shows below
	return bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte("{"))
}
