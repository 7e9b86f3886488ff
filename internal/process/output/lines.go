package output

// Reading a log: all of it, or its end.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// lineLimit bounds what Lines takes for one line; a longer one comes in pieces.
const lineLimit = 64 << 10

// Lines calls do with every line of the log, in order, until do returns an
// error, which it returns. Where the log was cut or its file could not be
// written, it goes on with the end that is in memory.
func (l *Log) Lines(do func(line string) error) error {
	l.mu.Lock()
	whole, err := l.open()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	defer whole.Close()
	return eachLine(whole, do)
}

// AfterCut calls do with every whole line behind what was left out of the log, as Lines does; cut is whether anything was.
// What is left out was in no line of Lines.
func (l *Log) AfterCut(do func(line string) error) (cut bool, err error) {
	l.mu.Lock()
	last := l.lastBytes()
	cut = l.total-l.kept > int64(len(last))
	text := string(last)
	l.mu.Unlock()
	if !cut {
		return false, nil
	}
	_, text, _ = strings.Cut(text, "\n") // the first line may be a piece of one
	return true, eachLine(strings.NewReader(text), do)
}

// open returns the log as it is now; l.mu is held.
func (l *Log) open() (io.ReadCloser, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	var whole io.Reader = io.LimitReader(file, l.kept)
	if l.total > l.kept {
		last, cut := l.afterCut()
		whole = io.MultiReader(whole, strings.NewReader(cut), strings.NewReader(string(last)))
	}
	return struct {
		io.Reader
		io.Closer
	}{whole, file}, nil
}

func eachLine(whole io.Reader, do func(line string) error) error {
	lines := bufio.NewReaderSize(whole, lineLimit)
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			if err := do(strings.TrimRight(string(line), "\r\n")); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("reading a log: %w", err)
		}
	}
}

// afterCut returns the end of the log that is not in the file, and the line
// that stands before it.
func (l *Log) afterCut() (last []byte, cut string) {
	last = l.lastBytes()
	missing := l.total - l.kept - int64(len(last))
	if missing <= 0 {
		return last[-missing:], ""
	}
	why := fmt.Sprintf("the log has reached its limit of %d bytes", l.limit)
	if l.failure != nil {
		why = l.failure.Error()
	}
	return last, fmt.Sprintf("\n[tracetax: %d bytes are left out here: %s]\n", missing, why)
}

func (l *Log) lastBytes() []byte { return l.tail[max(0, len(l.tail)-tailLimit):] }
