// This file reads bodies with bounds on what they may hold, compressed and
// decompressed.

package wire

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// ErrTooLarge is what a body beyond the limit gets.
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
	buffers sync.Pool // *[]byte
	gzips   sync.Pool // *gzip.Reader
	zlibs   sync.Pool // io.ReadCloser of zlib
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

// Encoding is the content encoding of a request, whose case means nothing.
func Encoding(r *http.Request) string {
	encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if encoding == "x-gzip" { // as RFC 9110 has it
		return "gzip"
	}
	return encoding
}

// KnownEncoding reports whether Decoded understands a content encoding; "" is none.
func KnownEncoding(encoding string) bool {
	switch encoding {
	case "", "identity", "gzip", "deflate":
		return true
	}
	return false
}

// Decoded returns a reader of what from gives in that content encoding, which
// must be known, and a function that takes the decompressor back.
func (b *Bodies) Decoded(from io.Reader, encoding string) (io.Reader, func(), error) {
	switch encoding {
	case "gzip":
		return b.gunzip(from)
	case "deflate":
		return b.inflate(from)
	}
	return from, func() {}, nil
}

func (b *Bodies) gunzip(from io.Reader) (io.Reader, func(), error) {
	z, ok := b.gzips.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	if err := z.Reset(from); err != nil {
		b.gzips.Put(z)
		return nil, nil, err
	}
	return z, func() { b.gzips.Put(z) }, nil
}

// inflate reads what HTTP calls deflate, which is the format of zlib.
func (b *Bodies) inflate(from io.Reader) (io.Reader, func(), error) {
	z, ok := b.zlibs.Get().(io.ReadCloser)
	if !ok {
		z, err := zlib.NewReader(from)
		if err != nil {
			return nil, nil, err
		}
		return z, func() { b.zlibs.Put(z) }, nil
	}
	if err := z.(zlib.Resetter).Reset(from, nil); err != nil {
		b.zlibs.Put(z)
		return nil, nil, err
	}
	return z, func() { b.zlibs.Put(z) }, nil
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
