package quote

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"":                              `""`,
		`say "no" \`:                    `"say \"no\" \\"`,
		"a\x1b[31m\nb":                  `"a\x1b[31m\nb"`,
		"\xff\u202e":                    `"\xff\u202e"`,
		"zwölf":                         `"zwölf"`,
		strings.Repeat("x", Most):       `"` + strings.Repeat("x", Most) + `"`,
		strings.Repeat("x", Most+1):     `"` + strings.Repeat("x", Most) + `"…`,
		strings.Repeat("ö", Most):       `"` + strings.Repeat("ö", Most/2) + `"…`,
		strings.Repeat("\x00", 1<<20):   `"` + strings.Repeat(`\x00`, Most/4) + `"…`,
		"x" + strings.Repeat("ö", Most): `"x` + strings.Repeat("ö", Most/2-1) + `"…`,
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%.40q…: got %s, want %s", text, got, want)
		}
		if got := Quoted([]byte(text)); got != want {
			t.Errorf("bytes %.40q…: got %s, want %s", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		" \n":                        "",
		"error: no \"port\" C:\\x\n": `error: no "port" C:\x`,
		"a\x1b[31m\nb\r":             `a\x1b[31m\nb`,
		strings.Repeat("x", 1<<20):   strings.Repeat("x", Most) + "…",
	} {
		if got := Line(text); got != want {
			t.Errorf("%.40q…: got %s, want %s", text, got, want)
		}
	}
	if got := Lines([]string{"one\t", "t\two"}, " | "); got != `one | t\two` {
		t.Errorf("lines: %s", got)
	}
}

func TestText(t *testing.T) {
	if got := Text("one\r\n\ttwo \"x\" \x1b[1m\r\nthree\rfour\n"); got != "one\n\ttwo \"x\" \\x1b[1m\nthree\\rfour\n" {
		t.Errorf("got %q", got)
	}
}

// FuzzExcerpt: whatever comes, what is shown is bounded, printable, and the beginning of
// what came.
func FuzzExcerpt(f *testing.F) {
	for _, text := range []string{"", "a\x00b", "\xff\xfe", "\u2028\u202e", `"\`, strings.Repeat("\U0010ffff", 30)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, line := Quoted(text), Line(text)
		for _, shown := range []string{quoted, line} {
			if len(shown) > Most+len(`""…`) || !utf8.ValidString(shown) {
				t.Errorf("%q is shown as %d bytes: %q", text, len(shown), shown)
			}
			if strings.ContainsFunc(shown, func(r rune) bool { return !strconv.IsPrint(r) || unicode.IsControl(r) }) {
				t.Errorf("%q is shown as %q", text, shown)
			}
		}
		back, err := strconv.Unquote(strings.TrimSuffix(quoted, "…"))
		if err != nil || !strings.HasPrefix(text, back) || back != text && !strings.HasSuffix(quoted, "…") {
			t.Errorf("%q is quoted as %s, %v", text, quoted, err)
		}
	})
}
