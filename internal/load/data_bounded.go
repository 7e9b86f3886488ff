// A reader that stops at what one row may take.

package load

import "io"

// bounded reads no more than mostRow bytes for a row, give or take a buffer.
type bounded struct {
	in     io.Reader
	left   int
	buffer int
}

// renew says that a row is done with.
func (b *bounded) renew() { b.left = mostRow + b.buffer }

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongRow
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}
