// The terminal by its width on the screen.

package report

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

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
				if displaywidth.String(line) > width && strings.ContainsRune(strings.TrimSpace(line), ' ') {
					t.Errorf("%s: %d columns of %d: %s", name, displaywidth.String(line), width, line)
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
