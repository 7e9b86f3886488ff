// This file decodes bodies in the encodings that exporters and Collectors send.

package wire

import (
	"bufio"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/tracetax/tracetax/internal/quote"
)

// decoder decompresses one body after another.
type decoder interface {
	io.Reader
	// Reset begins a body.
	Reset(from io.Reader) error
}

// encodings are the content encodings over HTTP, beside none, with what decodes them. They are those of a Collector's
// receivers, with its framing: deflate is the format of zlib, lz4 its frames, and snappy either blocks or frames.
var encodings = []struct {
	name string
	open func(limit int64) decoder
}{
	{"gzip", func(int64) decoder { return new(gzip.Reader) }},
	{"zstd", func(int64) decoder { return newZstd() }},
	{"zlib", func(int64) decoder { return new(zlibBody) }},
	{"deflate", func(int64) decoder { return new(zlibBody) }},
	{"snappy", func(limit int64) decoder { return &snappyBody{limit: limit} }},
	{"x-snappy-framed", func(int64) decoder { return &snappyFrames{snappy.NewReader(nil)} }},
	{"lz4", func(int64) decoder { return &lz4Frames{lz4.NewReader(nil)} }},
}

// place returns where an encoding stands in the table, and -1 where it does not.
func place(encoding string) int {
	for i := range encodings {
		if encodings[i].name == encoding {
			return i
		}
	}
	return -1
}

// Encoding is the content encoding of a request, whose case means nothing.
func Encoding(r *http.Request) string {
	encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding")))
	if encoding == "x-gzip" { // as RFC 9110 has it
		return "gzip"
	}
	return encoding
}

// UnknownEncoding refuses a content encoding that Decoded does not understand; nil for one that it does, and for none.
func UnknownEncoding(encoding string) *Refusal {
	if encoding == "" || encoding == identity || place(encoding) >= 0 {
		return nil
	}
	names := make([]string, len(encodings))
	for i := range encodings {
		names[i] = encodings[i].name
	}
	return &Refusal{http.StatusUnsupportedMediaType, fmt.Sprintf("content-encoding is %s; it must be %s or %s",
		quote.Quoted(encoding), strings.Join(names, ", "), identity)}
}

// identity is the content encoding of a body as it is.
const identity = "identity"

// Decoded returns a reader of what from gives in that content encoding, which
// must be known, and a function that takes the decompressor back. The limit of from is the
// caller's to set on what is decoded.
func (b *Bodies) Decoded(from *Meter, encoding string) (io.Reader, func(), error) {
	at := place(encoding)
	if at < 0 {
		return from, func() {}, nil
	}
	pool := b.decoder(at)
	d, ok := pool.Get().(decoder)
	if !ok {
		d = encodings[at].open(from.Limit)
	}
	if err := d.Reset(from); err != nil {
		pool.Put(d)
		return nil, nil, err
	}
	return d, func() { pool.Put(d) }, nil
}

// decoder returns the pool of an encoding's decompressors.
func (b *Bodies) decoder(at int) *sync.Pool {
	b.made.Do(func() { b.decoders = make([]sync.Pool, len(encodings)) })
	return &b.decoders[at]
}

// zstdWindow is the most that a frame of zstd may have its receiver keep, in bytes: what its encoders use without being asked for
// more than they are made for.
const zstdWindow = 32 << 20

// newZstd returns a decoder that works in the goroutine of its reader, and needs not be closed.
func newZstd() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		panic(fmt.Sprintf("making a decoder of zstd: %v", err)) // wrong options alone
	}
	return d
}

// zlibBody decodes the format of zlib, whose reader cannot be had before there is a body.
type zlibBody struct{ io.ReadCloser }

// Reset begins a body.
func (z *zlibBody) Reset(from io.Reader) (err error) {
	if z.ReadCloser == nil {
		z.ReadCloser, err = zlib.NewReader(from)
		return err
	}
	return z.ReadCloser.(zlib.Resetter).Reset(from, nil)
}

// lz4Frames decodes frames of LZ4.
type lz4Frames struct{ *lz4.Reader }

// Reset begins a body.
func (l *lz4Frames) Reset(from io.Reader) error {
	l.Reader.Reset(from)
	return nil
}

// snappyFrames decodes frames of Snappy.
type snappyFrames struct{ *snappy.Reader }

// Reset begins a body.
func (s *snappyFrames) Reset(from io.Reader) error {
	s.Reader.Reset(from)
	return nil
}

// snappyMark begins a body in frames of Snappy.
const snappyMark = "\xff\x06\x00\x00sNaPpY"

// snappyMost is more than what a byte of a block of Snappy decodes to: 3 bytes copy 64.
const snappyMost = 64

// snappyBody decodes what exporters call snappy: a block, or frames, as older Collectors send it.
type snappyBody struct {
	limit         int64
	in            *bufio.Reader
	frames        *snappy.Reader
	packed, plain []byte
	rest          []byte // of plain, to be read
	framed        bool
}

// Reset begins a body. Of a block it reads all, as there is no other way to decode it.
func (s *snappyBody) Reset(from io.Reader) error {
	if s.in == nil {
		s.in, s.frames = bufio.NewReader(nil), snappy.NewReader(nil)
	}
	s.in.Reset(from)
	begin, err := s.in.Peek(len(snappyMark))
	if err != nil && err != io.EOF {
		return err
	}
	if s.framed = string(begin) == snappyMark; s.framed {
		s.frames.Reset(s.in)
		return nil
	}
	if cap(s.packed)+cap(s.plain) > keepBuffer {
		s.packed, s.plain = nil, nil
	}
	s.packed = s.packed[:0]
	if err := ReadAll(&s.packed, s.in, -1); err != nil {
		return err
	}
	size, err := snappy.DecodedLen(s.packed)
	switch {
	case err != nil:
		return fmt.Errorf("snappy: %w", err)
	case int64(size) > s.limit:
		return fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, s.limit)
	case size > snappyMost*len(s.packed): // no room is made for what cannot come
		return fmt.Errorf("snappy: %w", snappy.ErrCorrupt)
	}
	if s.plain, err = snappy.DecodeStrict(s.plain[:cap(s.plain)], s.packed); err != nil {
		return fmt.Errorf("snappy: %w", err)
	}
	s.rest = s.plain
	return nil
}

// Read reads what is decoded.
func (s *snappyBody) Read(p []byte) (int, error) {
	if s.framed {
		return s.frames.Read(p)
	}
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
