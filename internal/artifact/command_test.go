package artifact

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Colours that a program writes whatever it is told do not reach a file or a log.
func TestProgressIsPlain(t *testing.T) {
	log := open(t).newLog("build", "x")
	const script = `printf '\033[0m'; printf '\033[1mfetching\033[m agent\n'`
	c := command{at: site{log: log}, args: []string{"sh", "-c", script}}
	err := errors.Join(c.run(t.Context()), log.Close())
	text, readErr := os.ReadFile(log.path)
	if want := "$ sh -c " + colour.ReplaceAllString(script, "") + "\nfetching agent\n"; err != nil || readErr != nil || string(text) != want {
		t.Errorf("%q, %v, %v; want %q", text, err, readErr, want)
	}
}

// The error of a command that failed has its last lines, and names the log that has them all.
func TestCommandErrorNamesItsLog(t *testing.T) {
	log := open(t).newLog("build", "x")
	c := command{at: site{log: log}, args: []string{"sh", "-c", "for i in $(seq 100); do echo line $i; done; exit 3"}}
	err := errors.Join(c.run(t.Context()), log.Close())
	if err == nil {
		t.Fatal("no error")
	}
	text := err.Error()
	if strings.Contains(text, "line 80\n") || !strings.Contains(text, "\nline 81\n") || !strings.HasSuffix(text, "\nline 100\nall that it said: "+log.path) {
		t.Error(text)
	}
	if all, err := os.ReadFile(log.path); err != nil || !strings.Contains(string(all), "\nline 1\n") || !strings.HasSuffix(string(all), "\nline 100\n") {
		t.Errorf("%q, %v", all, err)
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
