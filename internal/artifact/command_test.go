package artifact

import (
	"strconv"
	"strings"
	"testing"
)

// Colours that a program writes whatever it is told do not reach a file or a log.
func TestProgressIsPlain(t *testing.T) {
	var shown strings.Builder
	c := command{args: []string{"sh", "-c", `printf '\033[0m'; printf '\033[1mfetching\033[m agent\n'`}, progress: &shown}
	if err := c.run(t.Context()); err != nil || shown.String() != "fetching agent\n" {
		t.Errorf("%q, %v", shown.String(), err)
	}
}

// What a failing command writes reaches neither a terminal nor a log as control characters,
// and not without end.
func TestCommandErrorIsPlain(t *testing.T) {
	const script = `head -c 100000 /dev/zero | tr '\0' x >&2; printf 'a.c:1\r\n\033[2J\007\033]0;title\007end\n' >&2; exit 3`
	c := command{args: []string{"sh", "-c", script}}
	_, asked := c.output(t.Context())
	for _, err := range []error{c.run(t.Context()), asked} {
		if err == nil {
			t.Fatal("no error")
		}
		text := err.Error()
		if len(text) > outputLimit+1000 || !strings.HasSuffix(text, `end`) ||
			strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }) {
			t.Errorf("an error of %d bytes that ends with %q", len(text), text[max(0, len(text)-100):])
		}
	}
}
