package artifact

import (
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
