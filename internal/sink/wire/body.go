// This file reads bodies with bounds on what they may hold, compressed and
// decompressed.

package wire

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// ErrTooLarge refuses a body beyond the limit.
var ErrTooLarge = errors.New("body is too large")

// Meter counts what is read from it, and refuses to read more than Limit bytes.
type Meter struct {
	From  io.Reader
	Limit int64
	Bytes int64 // read so far
}

// Read reads from From. Beyond Limit its error is ErrTooLarge.
func (m *Meter) Read(p []byte) (int, error) {
	n, err := m.From.Read(p)
	if m.Bytes += int64(n); m.Bytes > m.Limit {
		return 0, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, m.Limit)
	}
	return n, err
}

// Bodies keeps buffers and decompressors from one request to the next. It is safe
// for concurrent use.
type Bodies struct {
	buffers  sync.Pool   // *[]byte
	decoders []sync.Pool // of decoder, in the order of encodings
	made     sync.Once
}

const (
	firstRead  = 64 << 10 // bytes of room for a body whose length is not known
	trustRead  = 1 << 20  // bytes of room at most for a length that is only claimed
	keepBuffer = 4 << 20  // larger buffers are not kept
)

// Buffer returns an empty buffer with some room.
func (b *Bodies) Buffer() *[]byte {
	if p, ok := b.buffers.Get().(*[]byte); ok {
		return p
	}
	p := make([]byte, 0, firstRead)
	return &p
}

// Release takes a buffer back.
func (b *Bodies) Release(p *[]byte) {
	if cap(*p) <= keepBuffer {
		*p = (*p)[:0]
		b.buffers.Put(p)
	}
}

// Get and Put make the buffers a mem.BufferPool of gRPC. Its own pool clears each
// buffer, which costs a tenth of receiving.

// Get returns a buffer of that length with anything in it.
func (b *Bodies) Get(length int) *[]byte {
	p := b.Buffer()
	*p = slices.Grow(*p, length)[:length]
	return p
}

// Put takes back what Get gave.
func (b *Bodies) Put(p *[]byte) { b.Release(p) }

// ReadAll appends everything that from gives to the empty buffer p. claimed is
// the length that the sender says, or less than zero.
func ReadAll(p *[]byte, from io.Reader, claimed int64) error {
	buffer := slices.Grow(*p, int(min(max(claimed, 0), trustRead))+1)
	defer func() { *p = buffer }()
	for {
		if len(buffer) == cap(buffer) {
			buffer = slices.Grow(buffer, len(buffer))
		}
		n, err := from.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// read appends a whole body, decoded, to the empty buffer p.
func (b *Bodies) read(p *[]byte, wire *Meter, encoding string, claimed int64) error {
	from, done, err := b.Decoded(wire, encoding)
	if err != nil {
		return err
	}
	defer done()
	if from == io.Reader(wire) {
		return ReadAll(p, wire, claimed)
	}
	return ReadAll(p, &Meter{From: from, Limit: wire.Limit}, -1)
}
