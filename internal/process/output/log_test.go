package output

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func logOf(t *testing.T, limit int64) *Log {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "x.log"), limit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func linesOf(t *testing.T, l *Log) []string {
	t.Helper()
	var lines []string
	if err := l.Lines(t.Context(), func(line string) error { lines = append(lines, line); return nil }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLogTail(t *testing.T) {
	l := logOf(t, 1<<20)
	if tail := l.Tail(3); tail != nil {
		t.Errorf("the tail of nothing is %q", tail)
	}
	l.write([]byte("one\ntwo\nthr"))
	l.write([]byte("ee"))
	if got := strings.Join(l.Tail(2), "|"); got != "two|three" {
		t.Errorf("got %q", got)
	}
	if got := strings.Join(l.Tail(9), "|"); got != "one|two|three" {
		t.Errorf("got %q", got)
	}
}

func TestLogIsCut(t *testing.T) {
	const limit, written = 1000, 200_000
	l := logOf(t, limit)
	for i := range written {
		l.write(fmt.Appendf(nil, "line %06d\n", i))
	}
	check := func(lines []string) {
		t.Helper()
		if lines[0] != "line 000000" || lines[len(lines)-1] != fmt.Sprintf("line %06d", written-1) {
			t.Errorf("from %q to %q", lines[0], lines[len(lines)-1])
		}
		if !strings.Contains(strings.Join(lines, "\n"), "bytes are left out here: the log has reached its limit of 1000 bytes]") {
			t.Error("it does not say that it was cut")
		}
	}
	check(linesOf(t, l))
	if err := l.Close(); err != nil || l.Err() != nil {
		t.Fatal(err, l.Err())
	}
	check(linesOf(t, l))
	text, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > limit+tailLimit+200 {
		t.Errorf("the file has %d bytes", len(text))
	}
	check(strings.Split(strings.TrimSpace(string(text)), "\n"))
}

func TestLogJustOverItsLimitIsWhole(t *testing.T) {
	l := logOf(t, 10)
	l.write([]byte("0123456789abc\nx\n"))
	if got := strings.Join(linesOf(t, l), "|"); got != "0123456789abc|x" {
		t.Errorf("got %q", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(l.Path())
	if err != nil || string(text) != "0123456789abc\nx\n" {
		t.Errorf("the file holds %q, error %v", text, err)
	}
}

func TestLogLongLines(t *testing.T) {
	l := logOf(t, 1<<20)
	l.write([]byte(strings.Repeat("x", lineLimit+5) + "\nend"))
	lines := linesOf(t, l)
	if len(lines) != 3 || len(lines[0])+len(lines[1]) != lineLimit+5 || lines[2] != "end" {
		t.Errorf("%d lines", len(lines))
	}
}

func TestLogAwaitsWhatWasSaidBefore(t *testing.T) {
	l := logOf(t, 1<<20)
	l.write([]byte("up\nhalf"))
	found, stop := l.Await(t.Context(), MustCompile("^up$"))
	defer stop()
	if got := <-found; got != "up" {
		t.Errorf("got %q", got)
	}
	found, stop = l.Await(t.Context(), MustCompile("^half a line$"))
	defer stop()
	l.write([]byte(" a line\n"))
	if got := <-found; got != "half a line" {
		t.Errorf("got %q", got)
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("one\ntwo\nthree"), 4, 5)
	f.Add([]byte("\n\n"), 1, 0)
	f.Fuzz(func(t *testing.T, text []byte, step, limit int) {
		l, err := Create(filepath.Join(t.TempDir(), "x.log"), int64(max(0, limit)))
		if err != nil {
			t.Fatal(err)
		}
		step = max(1, step)
		for rest := text; len(rest) > 0; {
			n := min(step, len(rest))
			l.write(rest[:n])
			rest = rest[n:]
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if len(text) > tailLimit {
			return
		}
		got, err := os.ReadFile(l.Path())
		if err != nil || string(got) != string(text) {
			t.Errorf("got %q, want %q; error %v", got, text, err)
		}
	})
}
