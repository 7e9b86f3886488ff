package suggest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	known := []string{"otel-python", "otel-go", "none", "rate"}
	for word, want := range map[string]string{
		"otel-pyton": "otel-python", "otle-go": "otel-go", "otel-": "otel-go", "nnoe": "none", "non": "none", "OTEL-GO": "otel-go",
		"zipkin": "", "": "", "x": "", "rates": "rate", "python": "",
	} {
		if got := Word(word, known); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
}

// What is near is asked for; of a few known words all are named, and of many the nearest.
func TestHint(t *testing.T) {
	few := strings.Fields("ten nine eight seven six five four three two one")
	many := append(strings.Fields("carpet carport card cargo caravan"), few...)
	for _, test := range []struct {
		word  string
		known []string
		want  string
	}{
		{"thre", few, `; did you mean "three"?`},
		{"zipkin", few, "; known are eight, five, four, nine, one, seven, six, ten, three, two"},
		{"zipkin", []string{"b", "a", "b"}, "; known are a, b"},
		{"carbuncle", many, "; nearest of 15: caravan, card, cargo, carpet, carport"},
		{"zipkin", nil, ""},
		{strings.Repeat("x", 1000), few[:1], "; known are ten"},
	} {
		if got := Hint(test.word, test.known); got != test.want {
			t.Errorf("Hint(%.20q, %q)\n got %s\nwant %s", test.word, test.known, got, test.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	for want, words := range map[string][]string{
		"":                         {""},
		`; did you mean "a"?`:      {"a"},
		`; did you mean "a", "b"?`: {"a", "b"},
		`; did you mean "a", "b", "c", "d", "e", …?`: {"a", "b", "c", "d", "e", "f"},
	} {
		if got := DidYouMean(words...); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}
