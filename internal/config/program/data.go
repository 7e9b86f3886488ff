// Request data: a file whose rows fill {data.COLUMN} in the requests of an
// operation. The load generator reads the rows; here only what can be told
// beforehand is checked: that the file is there, and the names of its columns.

package program

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
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
func (s *Source) dataFile(n *Node) string {
	if s.Line(n) == "" {
		s.Fail(n.At, "data names a file of request data: CSV with a header line, or JSON lines")
		return ""
	}
	return s.fileName(n, "data")
}

// order reads in which order the rows are taken; "" is one after the other.
func (s *Source) order(n *Node) string {
	if order := s.oneOf(n, "order", "turn", OrderRandom); order == OrderRandom {
		return order
	}
	return ""
}

// data checks the columns that an operation names. Request is where its request
// stands, n the operation.
func (s *Source) data(o *Operation, request, n *Node) {
	if o.Data == "" {
		if n.Get("data") != nil {
			return // of which dataFile has complained
		}
		for _, part := range o.dataTexts(request, n) {
			if columns := columnsOf(part.text); len(columns) > 0 && !slices.Contains(s.Known, dataPrefix+columns[0]) {
				s.Fail(part.at, "{data.%s} stands for a column of request data, but the operation has no data: FILE", Printable(columns[0]))
			}
		}
		return
	}
	if slices.Contains(s.Known, dataPrefix+"port") {
		s.Fail(n.Get("data").At, "a process is called data, so that {data.port} would mean two things; give it another name")
		return
	}
	known, err := s.header(o.Data)
	if err != nil {
		s.Fail(n.Get("data").At, "data: %v", err)
		return
	}
	used := false
	for _, part := range o.dataTexts(request, n) {
		for _, column := range columnsOf(part.text) {
			used = true
			if known != nil && !slices.Contains(known, column) {
				s.Fail(part.at, "%s (of %s)", Unknown("column", Printable(column), known), Printable(filepath.Base(o.Data)))
			}
		}
	}
	if !used {
		s.Fail(n.Get("data").At, "no part of the request takes a column of the data; write {data.COLUMN} where one is to stand, or leave data out")
	}
}

// part is a text of an operation and where it stands.
type part struct {
	at   Place
	text string
}

// dataTexts are the parts of an operation that may hold request data.
func (o *Operation) dataTexts(request, n *Node) []part {
	out := []part{{request.At, o.URL}}
	if headers := n.Get("headers"); headers != nil {
		for _, e := range headers.Entries {
			out = append(out, part{e.Value.At, e.Value.Text})
		}
	}
	if body := n.Get("body"); body != nil {
		out = append(out, part{body.At, string(o.Body.Bytes)})
	}
	return out
}

// header is the header line of a CSV file; nil where the file is JSON lines, so
// that its columns are known to the load generator only.
func (s *Source) header(name string) ([]string, error) {
	f, err := openNamed(s.Files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	in := bufio.NewReader(io.LimitReader(f, maxHeader))
	if start, err := in.Peek(len(ByteOrderMark)); err == nil && string(start) == ByteOrderMark {
		if _, err := in.Discard(len(ByteOrderMark)); err != nil {
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

// isJSONLines distinguishes the two formats as the load generator does: by the
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

// Files that an operation names: request data, the types of a gRPC service, and large bodies.
// They stay where they are; only their digest is kept.

// File is where a file that an operation names is: names of built-in workloads
// are relative to their folder, of which source is the copy that a run has.
func File(name, source string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(source, filepath.FromSlash(name))
}

func NamedFiles(operations []Operation) []string {
	var out []string
	for _, o := range operations {
		names := []string{o.Data, o.Protoset, o.Body.File}
		for _, step := range o.Then {
			names = append(names, step.Body.File)
		}
		for _, name := range names {
			if name != "" {
				out = append(out, name)
			}
		}
		for _, share := range o.Mix {
			out = append(out, NamedFiles([]Operation{share.Operation})...)
		}
	}
	return out
}

func DigestOf(files fs.FS, name string) (string, error) {
	f, err := openNamed(files, name)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openNamed opens a file of the machine, or one of the folder of a built-in
// workload.
func openNamed(files fs.FS, name string) (fs.File, error) {
	if filepath.IsAbs(name) {
		return openRegular(name)
	}
	if files == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return files.Open(name + embedSuffix) // the copy that a run has is without it
	}
	return f, err
}

// errNoFile is a folder, a named pipe or a device in the place of a file.
var errNoFile = errors.New("not a regular file")

// openRegular opens a file of the machine, nothing else: to open a named pipe
// blocks until another process writes.
func openRegular(name string) (fs.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening %s: %w", Printable(name), errNoFile)
	}
	return os.Open(name)
}

// readNamed reads a file of the folder of a built-in workload: a body.
func readNamed(files fs.FS, name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%q is not in the folder of this workload", Printable(name))
	}
	return readLimited(files, path.Clean(name))
}

// ReadBeside reads a file of a folder of a tree: one that stands beside a built-in
// experiment.
func ReadBeside(tree fs.FS, folder, name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%q is not in the folder of this experiment", Printable(name))
	}
	return readLimited(tree, path.Join(folder, name))
}

func readLimited(files fs.FS, name string) ([]byte, error) {
	f, err := openNamed(files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxInline+1))
	if err == nil && len(text) > maxInline {
		return nil, fmt.Errorf("%q has more than 256 KiB, which is the most of a file of a built-in workload or experiment", name)
	}
	return text, err
}

// fileName reads the name of a file beside this one. It comes to be absolute, or, in
// a built-in workload, relative to its folder; "" where there is no such file.
func (s *Source) fileName(n *Node, key string) string {
	name := s.Line(n)
	if s.Folder == "" && s.Files == nil {
		s.Fail(n.At, "%s: there is no folder to read %q from; write the workload into the experiment", key, Printable(name))
		return ""
	}
	whole, err := s.beside(name)
	if err != nil {
		s.Fail(n.At, "%s: %v", key, err)
		return ""
	}
	f, err := openNamed(s.Files, whole)
	if err != nil {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.Fail(n.At, "%s: there is no file %q beside this one", key, Printable(name))
		case errors.Is(err, errNoFile):
			s.Fail(n.At, "%s: %q is not a file", key, Printable(name))
		default:
			s.Fail(n.At, "%s: %v", key, err)
		}
		return ""
	}
	defer f.Close() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		s.Fail(n.At, "%s: %q is not a file", key, Printable(name))
		return ""
	}
	return whole
}

// beside is the whole name of a file beside this one.
func (s *Source) beside(name string) (string, error) {
	native := filepath.FromSlash(name)
	switch {
	case s.Files != nil && !filepath.IsLocal(native):
		return "", fmt.Errorf("%q is not in the folder of this workload", Printable(name))
	case s.Files != nil:
		return path.Clean(name), nil
	case !filepath.IsAbs(native):
		native = filepath.Join(s.Folder, native)
	}
	return filepath.Abs(native)
}
