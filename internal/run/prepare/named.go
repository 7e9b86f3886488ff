package prepare

import (
	"fmt"
	"io"
)

// named is progress whose lines begin with whose it is; nil where progress is.
func named(whose string, progress io.Writer) io.Writer {
	if progress == nil {
		return nil
	}
	return prefixed{whose, progress}
}

// prefixed puts a prefix before each line; each is written at once.
type prefixed struct {
	prefix string
	to     io.Writer
}

func (p prefixed) Write(line []byte) (int, error) {
	if _, err := fmt.Fprintf(p.to, "%s: %s", p.prefix, line); err != nil {
		return 0, err
	}
	return len(line), nil
}
