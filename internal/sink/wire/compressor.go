// This file has gRPC understand the compressors of a Collector: zstd, and snappy in frames. gRPC brings gzip.

package wire

import (
	"io"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // so compressed messages are understood
)

// gRPC looks compressors up by name in a table of its own, which is filled in before anything else runs.
func init() {
	encoding.RegisterCompressor(&compressor{
		name: "zstd",
		open: func() decoder { return newZstd() },
		pack: func() packer {
			w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
			if err != nil {
				panic("making an encoder of zstd: " + err.Error()) // wrong options alone
			}
			return w
		},
	})
	encoding.RegisterCompressor(&compressor{
		name: "snappy",
		open: func() decoder { return &snappyFrames{snappy.NewReader(nil)} },
		pack: func() packer { return snappy.NewBufferedWriter(nil) },
	})
}

// packer compresses one message after another.
type packer interface {
	io.WriteCloser
	Reset(to io.Writer)
}

// compressor is one of gRPC, which keeps what it works with. It is safe for concurrent use.
type compressor struct {
	name            string
	open            func() decoder
	pack            func() packer
	reading, writes sync.Pool // *unpacking, *packing
}

// Name is the encoding's.
func (c *compressor) Name() string { return c.name }

// unpacking is the reading of one message. gRPC bounds what it reads of it, and closes it.
type unpacking struct {
	decoder
	pool *sync.Pool
}

// Close takes the decoder back.
func (u *unpacking) Close() error {
	u.pool.Put(u)
	return nil
}

// Decompress returns a reader of a message.
func (c *compressor) Decompress(from io.Reader) (io.Reader, error) {
	u, ok := c.reading.Get().(*unpacking)
	if !ok {
		u = &unpacking{c.open(), &c.reading}
	}
	if err := u.Reset(from); err != nil {
		c.reading.Put(u)
		return nil, err
	}
	return u, nil
}

// packing is the writing of one message.
type packing struct {
	packer
	pool *sync.Pool
}

// Close writes the end of the message.
func (p *packing) Close() error {
	err := p.packer.Close()
	p.pool.Put(p)
	return err
}

// Compress returns a writer of a message, such as an answer.
func (c *compressor) Compress(to io.Writer) (io.WriteCloser, error) {
	p, ok := c.writes.Get().(*packing)
	if !ok {
		p = &packing{c.pack(), &c.writes}
	}
	p.Reset(to)
	return p, nil
}
