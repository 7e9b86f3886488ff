// This file reads the body of an HTTP request with bounds on what it may hold,
// compressed and decompressed.
package otlp

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// errTooLarge is what a body beyond the limit gets.
var errTooLarge = errors.New("body is too large")

// meter counts what is read from it, and refuses to read more than limit bytes.
type meter struct {
	from  io.Reader
	read  int64
	limit int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if m.read += int64(n); m.read > m.limit {
		return 0, fmt.Errorf("%w: the limit is %d bytes", errTooLarge, m.limit)
	}
	return n, err
}

// bodies keeps buffers and decompressors from one request to the next. It is safe
// for concurrent use.
type bodies struct {
	buffers sync.Pool // *[]byte
	gzips   sync.Pool // *gzip.Reader
}

const (
	firstRead  = 64 << 10 // bytes of room for a body whose length is not known
	trustRead  = 1 << 20  // bytes of room at most for a length that is only claimed
	keepBuffer = 4 << 20  // larger buffers are not kept
)

func (b *bodies) buffer() *[]byte {
	if p, ok := b.buffers.Get().(*[]byte); ok {
		return p
	}
	p := make([]byte, 0, firstRead)
	return &p
}

func (b *bodies) release(p *[]byte) {
	if cap(*p) <= keepBuffer {
		*p = (*p)[:0]
		b.buffers.Put(p)
	}
}

// Get and Put make the buffers a mem.BufferPool of gRPC. Its own pool clears each
// buffer, which costs a tenth of receiving.

// Get returns a buffer of that length with anything in it.
func (b *bodies) Get(length int) *[]byte {
	p := b.buffer()
	*p = slices.Grow(*p, length)[:length]
	return p
}

// Put takes back what Get gave.
func (b *bodies) Put(p *[]byte) { b.release(p) }

// readAll appends everything that from gives to the empty buffer p. claimed is
// the length that the sender says, or less than zero.
func readAll(p *[]byte, from io.Reader, claimed int64) error {
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

// unzip appends the decompressed from to the empty buffer p.
func (b *bodies) unzip(p *[]byte, from io.Reader, limit int64) error {
	z, ok := b.gzips.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer b.gzips.Put(z)
	if err := z.Reset(from); err != nil {
		return err
	}
	return readAll(p, &meter{from: z, limit: limit}, -1)
}
