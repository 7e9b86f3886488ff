package output

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A line is asked of an expression only if it has a text without which that cannot match.
func TestNeeds(t *testing.T) {
	for text, want := range map[string]string{
		`dropped (?P<n>\d+) spans`:               "dropped  &  spans",
		`(?i)failed to Export|while exporting`:   "failed to export|while exporting",
		`listening|ready in \d+ ms`:              "listening|ready in ",
		`error .* while|exporter.* error:`:       " while|xporter",
		`(refused|unavailable).*(?::|port=)4317`: "refused|unavailable & :4317|port=4317",
		`(?:dropped )+x`:                         "dropped ",
		`(?:dropped ){2}`:                        "dropped ",
		`(?:dropped )*x|y`:                       "",
		`dropped|.*`:                             "",
		`^\d+$`:                                  "",
		`ab`:                                     "",
		``:                                       "",
	} {
		p := MustCompile(text)
		var all []string
		for _, any := range p.needs {
			all = append(all, strings.Join(any, "|"))
		}
		if got := strings.Join(all, " & "); got != want {
			t.Errorf("%q needs %q, want %q", text, got, want)
		}
	}
}

var someExpressions = []string{
	`dropped (?P<n>\d+) spans`, `(?i)failed to Export|while exporting|OTLPExporterError`, `(?i)(?:refused|unavailable).*(?::|port=)(?:4317|9411)\b`,
	`(?:ab(?:cd|ef)){1,3}x?|yyy+`, `^a?bc$|(?i:ſS)`, `[Ee]rror (?:while|on) .*end`,
}

// Whatever the line, the answer is the expression's own.
func FuzzPattern(f *testing.F) {
	for i, line := range []string{"dropped 7 spans", "FAILED TO EXPORT", "Connection Refused: port=4317 ", "abcdx", "ſs", "Error on the end", "FAILED TO EXPORT ſ", "otlpexporterError"} {
		f.Add(line, i)
		f.Add(strings.ToUpper(line), i+1)
	}
	f.Fuzz(func(t *testing.T, line string, which int) {
		p := MustCompile(someExpressions[uint(which)%uint(len(someExpressions))])
		if p.Match(line) != p.MatchString(line) || !slices.Equal(p.Find(line), p.FindStringSubmatch(line)) {
			t.Errorf("%q, %q: %t", p, line, p.MatchString(line))
		}
	})
}

// The end of a context ends the reading of a log, however long that is.
func TestReadingIsCancelled(t *testing.T) {
	l, err := Create(filepath.Join(t.TempDir(), "x.log"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	l.write([]byte(strings.Repeat("line\n", 100_000) + strings.Repeat("more\n", 400_000)))
	enough := errors.New("enough")
	for name, read := range map[string]func(context.Context, func(string) error) error{
		"the log":       l.Lines,
		"behind a part": func(ctx context.Context, do func(string) error) error { _, err := l.AfterCut(ctx, do); return err },
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		lines := 0
		err := read(ctx, func(string) error {
			if lines++; lines == 10 {
				cancel(enough)
			}
			return nil
		})
		if !errors.Is(err, enough) || lines != 10 {
			t.Errorf("%s: %d lines, error %v", name, lines, err)
		}
	}
	if err := errors.Join(l.Close(), os.Remove(l.Path())); err != nil {
		t.Fatal(err)
	}
}
