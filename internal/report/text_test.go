// Text by its width on the screen.

package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"otel", 4, "otel"},
		{"otel-python", 7, "ote…hon"},
		{"日本語の名前", 7, "日本…前"},
		{"e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301…e\u0301"},
		{"otel", 1, "…"},
		{"otel", 0, ""},
	} {
		got := shorten(c.text, c.width)
		if got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
		if widthOf(got) > c.width {
			t.Errorf("shorten(%q, %d) takes %d columns", c.text, c.width, widthOf(got))
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 0, []string{"one two three"}},
		{"a 日本語 b", 6, []string{"a", "日本語", "b"}},
		{"unbreakable", 4, []string{"unbreakable"}},
		{"  ", 4, nil},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	if got := visible("a\x1b[31m\r\nb\u202ec\u2066\x9bd\x1b"); got != "a  bc�d�" {
		t.Errorf("visible leaves %q", got)
	}
}

// TestTerminalFits holds the table to its width, names of any kind included.
// Commands and folders are left whole, to be copied.
func TestTerminalFits(t *testing.T) {
	for name, doc := range fixtures() {
		for _, width := range []int{60, 80, 120} {
			var b strings.Builder
			if err := Terminal(&b, doc, TerminalOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			body, _, _ := strings.Cut(b.String(), "\nresults  ")
			for _, line := range strings.Split(body, "\n") {
				if widthOf(line) > width && strings.ContainsRune(strings.TrimSpace(line), ' ') {
					t.Errorf("%s: %d columns of %d: %s", name, widthOf(line), width, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s: a line ends in blanks: %q", name, line)
				}
			}
			if strings.ContainsRune(b.String(), '\x1b') {
				t.Errorf("%s: an escape sequence without colour", name)
			}
		}
	}
}

func TestRunsText(t *testing.T) {
	of := func(blocks int) []finding.VariantRuns { return []finding.VariantRuns{{Blocks: blocks}, {}} }
	for want, runs := range map[string]finding.Runs{
		"8 blocks, 24 runs":                                      {Blocks: 8, Good: 24, Variants: of(8)},
		"1 block, 2 runs and 1 that failed":                      {Blocks: 1, Good: 2, Failed: 1, Variants: of(1)},
		"2 blocks, none of them whole, 4 runs and 4 that failed": {Good: 4, Failed: 4, Variants: of(2)},
		"0 blocks, 1 run":                                        {Good: 1},
	} {
		if got := runsText(runs); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
