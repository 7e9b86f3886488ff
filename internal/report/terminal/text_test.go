package terminal

import (
	"slices"
	"testing"
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
		{"adds 5 to 95 % CPU", 12, []string{"adds 5 to", "95 % CPU"}},
		{"it lasts 20 ms; 3 µs", 13, []string{"it lasts", "20 ms; 3 µs"}},
		{"of 3 s or B", 6, []string{"of 3 s", "or B"}},
		{"  ", 4, nil},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
