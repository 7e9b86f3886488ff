// This file counts the records of the folders that Kieker's FileWriter leaves.

package kieker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

const (
	mapFile      = "kieker.map"
	fileProtocol = "kieker-files"
)

// CountFolder counts the records of every log that lies in dir or below it: a folder
// with kieker.map beside files of records, binary (.bin) or text (.dat). A file is a
// request. Where there is an error, the counts are what had been read before it: a log
// that its program was still writing ends in the middle of a record. The end of ctx ends the counting.
func CountFolder(ctx context.Context, dir string) (record.Counts, error) {
	total := tally.New(tally.Config{})
	logs := make(map[string]*logFolder)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == mapFile {
			return err
		}
		if err := countFile(ctx, total, logs, path); err != nil {
			return fmt.Errorf("counting the records of %s: %w", path, err)
		}
		return nil
	})
	if err == nil {
		err = checkWhole(logs)
	}
	return total.Counts(), err
}

// logFolder is a log: the files in it share a registry, and are numbered from 1.
type logFolder struct {
	walker *walker
	files  int
	last   int // the highest number
}

// checkWhole reports a log with missing files.
func checkWhole(logs map[string]*logFolder) error {
	for dir, l := range logs {
		if l.last > l.files {
			return fmt.Errorf("counting the records of %s: %d of its %d files are there; Kieker deletes the oldest where maxLogFiles or maxLogSize is set", dir, l.files, l.last)
		}
	}
	return nil
}

func countFile(ctx context.Context, total *tally.Total, logs map[string]*logFolder, path string) error {
	suffix := filepath.Ext(path)
	if suffix != ".bin" && suffix != ".dat" {
		return errors.New("a file of records ends in .bin or .dat (choose kieker.monitoring.writer.compression.NoneCompressionFilter)")
	}
	log, err := logOf(logs, filepath.Dir(path))
	if err != nil {
		return err
	}
	log.files++
	log.last = max(log.last, numberOf(path))
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	total.Note(fileProtocol, 0)
	count := drainText
	if suffix == ".bin" {
		count = drain
	}
	err = count(whileIn{ctx, file}, log.walker, total)
	if ctx.Err() != nil { // which is no end of the file
		return context.Cause(ctx)
	}
	return err
}

// whileIn reads until a context ends.
type whileIn struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r whileIn) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

// numberOf returns the number in the name of a file, such as kieker-…-UTC-001.bin; 0 if
// there is none.
func numberOf(path string) int {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil {
		return 0
	}
	return n
}

func logOf(logs map[string]*logFolder, dir string) (*logFolder, error) {
	if l, read := logs[dir]; read {
		return l, nil
	}
	entries, err := readMap(filepath.Join(dir, mapFile))
	if err != nil {
		return nil, err
	}
	l := &logFolder{walker: &walker{registry: entries}}
	logs[dir] = l
	return l, nil
}

// readMap reads the registry of a log: lines "$number=string".
func readMap(path string) (registry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return registry{}, fmt.Errorf("reading the registry of a log: %w", err)
	}
	return parseMap(path, text)
}

func parseMap(path string, text []byte) (registry, error) {
	var r registry
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			continue
		}
		number, value, ok := strings.Cut(line, "=")
		n, err := strconv.ParseInt(strings.TrimPrefix(number, "$"), 10, 32)
		if !ok || err != nil || !strings.HasPrefix(number, "$") {
			return r, fmt.Errorf("%s:%d: want $number=string", path, i+1)
		}
		if err := r.add(int32(n), []byte(value)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// drainText counts a log in text: lines "$class;time;field;…".
func drainText(from io.Reader, w *walker, total *tally.Total) error {
	lines := bufio.NewReaderSize(from, readSize)
	batch := total.Batch()
	var size int64
	defer func() {
		batch.Service(w.service, batch.Spans)
		total.Part(batch, size)
	}()
	for {
		line, err := lines.ReadSlice('\n')
		size += int64(len(line))
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return errCut
		case errors.Is(err, bufio.ErrBufferFull):
			return errTooLong
		case err != nil:
			return err
		}
		if err := w.line(batch, bytes.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
}

var errLine = errors.New("a line is not $class;time;field;…")

// line counts a record in text.
func (w *walker) line(batch *tally.Batch, line []byte) error {
	head, rest, _ := bytes.Cut(line, []byte{';'})
	number, err := strconv.ParseInt(string(bytes.TrimPrefix(head, []byte{'$'})), 10, 32)
	if err != nil || !bytes.HasPrefix(head, []byte{'$'}) {
		return errLine
	}
	l, err := w.class(int32(number))
	if err != nil {
		return err
	}
	fields := bytes.Split(rest, []byte{';'})[1:]
	if len(fields) < len(l.fields) && !l.open {
		return errLine
	}
	switch l.class {
	case execution:
		depth := fields[len(fields)-1]
		batch.Span(&tally.Span{Name: fields[0], Kind: tally.Internal, Loose: true, Child: len(depth) > 0 && depth[0] >= '1' && depth[0] <= '9'})
	case event:
		batch.Logs++
	case sample:
		batch.Metrics++
	case metadata:
		w.service = bytes.Clone(fields[1])
	}
	return nil
}
