package usage

import (
	"testing"
	"time"
)

func TestParseTimes(t *testing.T) {
	const stat = "9 (a) b) S 1 9 9 0 -1 4194560 1 2 3 4 100 20 7 8 20 0 1 0"
	want := times{user: time.Second, system: 200 * time.Millisecond, childUser: 70 * time.Millisecond, childSystem: 80 * time.Millisecond}
	if got, err := parseTimes(stat); err != nil || got != want {
		t.Errorf("got %+v, want %+v; error %v", got, want, err)
	}
	if _, err := parseTimes("9 (a) S 1"); err == nil {
		t.Error("a short line was taken")
	}
}

func TestNumber(t *testing.T) {
	text := []byte("rss 5\ntotal_rss 12 kB\nanon\t 7\nlast 9")
	for name, want := range map[string]uint64{"rss ": 5, "total_rss ": 12, "anon": 7, "last ": 9, "none": 0} {
		if got := number(text, name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("9 (a) S 1 9 9 0 -1 4194560 1 2 3 4 100 20 7 8 20")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseTimes(text) // must not panic
		number([]byte(text), "a")
	})
}
