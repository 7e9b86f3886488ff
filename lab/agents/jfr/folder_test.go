package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// numbersOf writes numbers as a recording has them.
func numbersOf(values ...uint64) (out []byte) {
	for _, v := range values {
		for v >= 0x80 {
			out = append(out, byte(v)|0x80)
			v >>= 7
		}
		out = append(out, byte(v))
	}
	return out
}

func eventOf(kind uint64, rest []byte) []byte {
	body := append(numbersOf(kind), rest...)
	return append(numbersOf(uint64(len(body)+1)), body...)
}

// recording is a chunk with calls among other events.
func recording(calls int) []byte {
	var strings []byte
	words := []string{"root", "metadata", "class", "name", "id", "jdk.MethodTrace", "1234", "jdk.CPULoad", "77"}
	for i, w := range words {
		if i%2 == 0 {
			strings = append(append(append(strings, 3), numbersOf(uint64(len(w)))...), w...)
			continue
		}
		strings = append(append(strings, 4), numbersOf(uint64(len(w)))...)
		for _, c := range w {
			strings = append(strings, numbersOf(uint64(c))...)
		}
	}
	class := func(name, id uint64) []byte { return numbersOf(2, 2, 3, name, 4, id, 0) }
	tree := append(append(numbersOf(0, 0, 1, 1, 0, 2), class(7, 8)...), class(5, 6)...)
	metadata := eventOf(0, append(append(numbersOf(1, 2, 3, uint64(len(words))), strings...), tree...))
	metadata = append([]byte{metadata[0] | 0x80, 0}, metadata[1:]...) // the JVM writes sizes with more bytes than they need
	metadata[0]++
	var events []byte
	for i := range calls {
		events = append(events, eventOf(1234, make([]byte, i%100))...)
		events = append(events, eventOf(77, []byte{1, 2, 3})...)
	}
	head := make([]byte, headSize)
	copy(head, magic)
	be := binary.BigEndian
	be.PutUint16(head[4:], 2)
	be.PutUint64(head[8:], uint64(headSize+len(events)+len(metadata)))
	be.PutUint64(head[24:], uint64(headSize+len(events)))
	head[67] = 1
	return append(append(head, events...), metadata...)
}

func written(t testing.TB, data []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jfr"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCountFolder(t *testing.T) {
	t.Parallel()
	two := append(recording(300), recording(7)...)
	c, err := CountFolder(t.Context(), written(t, two))
	if err != nil || c.Spans != 307 || c.Requests != 2 || c.Bytes != uint64(len(two)) {
		t.Errorf("%+v, %v", c, err)
	}
	for name, change := range map[string]func([]byte) []byte{
		"cut off":       func(d []byte) []byte { return d[:len(d)-1] },
		"unfinished":    func(d []byte) []byte { binary.BigEndian.PutUint64(d[8:], 0); return d },
		"of another":    func(d []byte) []byte { return bytes.Replace(d, []byte("FLR"), []byte("ELF"), 1) },
		"uncompressed":  func(d []byte) []byte { d[67] = 0; return d },
		"a long event":  func(d []byte) []byte { d[headSize] = 0x7f; return d[:len(d):len(d)] },
		"no size":       func(d []byte) []byte { d[headSize] = 0; return d },
		"other version": func(d []byte) []byte { d[5] = 1; return d },
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := CountFolder(t.Context(), written(t, change(recording(3)))); err == nil && c.Spans == 3 {
				t.Errorf("it is counted as if nothing was wrong: %+v", c)
			}
		})
	}
	if _, err := CountFolder(t.Context(), written(t, recording(3)[:40])); !errors.Is(err, errUnfinished) {
		t.Error(err)
	}
}

// A recording of the newest JDK, where it has method tracing, is counted as the JDK's own tool counts it.
func TestRealRecording(t *testing.T) {
	homes, _ := filepath.Glob("/usr/lib/jvm/*")
	for _, home := range homes {
		release, err := os.ReadFile(filepath.Join(home, "release"))
		if err != nil || !strings.Contains(string(release), `JAVA_VERSION="25`) {
			continue
		}
		dir := t.TempDir()
		program := filepath.Join(dir, "T.java")
		if err := os.WriteFile(program, []byte("public class T { static int f(int n) { return n == 0 ? 0 : f(n - 1); } public static void main(String[] a) { for (int i = 0; i < 1000; i++) f(9); } }"), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(filepath.Join(home, "bin", "java"), "-XX:StartFlightRecording:method-trace=T::f,maxsize=0,filename="+filepath.Join(dir, "t.jfr"), program).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if c, err := CountFolder(t.Context(), dir); err != nil || c.Spans != 10_000 {
			t.Errorf("%+v, %v; want 10,000 calls", c, err)
		}
		return
	}
	t.Skip("no JDK 25 or newer is installed, which has method tracing")
}

func FuzzCount(f *testing.F) {
	f.Add(recording(5))
	f.Add(append(recording(1), recording(0)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = CountFolder(t.Context(), written(t, data)) // it ends, with an error or without
	})
}
