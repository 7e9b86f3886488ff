package cli

// This file breaks what is said on a terminal between words, where the terminal
// itself would break it within them.

import (
	"io"
	"os"
	"strings"

	"github.com/tracetax/tracetax/internal/selfcheck"
	"golang.org/x/term"
)

// widthOf is how wide the terminal is that is written to; 0 where it is none.
func widthOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	return terminalWidth(file)
}

// wrapped breaks each line of a text in so many columns; 0 is no limit. A line goes
// on where it began, and one that fits is left as it is.
func wrapped(text string, width int) string {
	if width == 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len([]rune(line)) <= width {
			continue
		}
		body := strings.TrimLeft(line, " ")
		lines[i] = strings.TrimSuffix(selfcheck.Wrap(line[:len(line)-len(body)], body, width), "\n")
	}
	return strings.Join(lines, "\n")
}

// terminalWidth is the width of a terminal, 0 for any other file.
func terminalWidth(file *os.File) int {
	if !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width < 20 {
		return 80
	}
	return width
}
