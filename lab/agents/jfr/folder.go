// Package jfr owns the recordings of JDK Flight Recorder: how many calls its method tracing (JEP 520) wrote to the files of a folder.
// It must not know which methods were traced, nor what was expected.
//
// A recording is a row of chunks, each with its own description of events (openjdk/jdk: src/hotspot/share/jfr/recorder/repository
// and jdk.jfr.internal.consumer).
package jfr

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

const (
	protocol  = "jfr-files"
	traced    = "jdk.MethodTrace" // the event of a call
	magic     = "FLR\x00"
	headSize  = 68
	mostEvent = 1 << 28 // bytes of an event
)

// CountFolder counts the traced calls in all recordings (.jfr) of a folder. A chunk is a request. A recording that its JVM did not
// finish is an error.
func CountFolder(ctx context.Context, dir string) (record.Counts, error) {
	total := tally.New(tally.Config{})
	files, err := filepath.Glob(filepath.Join(dir, "*.jfr"))
	if err != nil {
		return total.Counts(), err
	}
	for _, path := range files {
		if err := countFile(ctx, total, path); err != nil {
			return total.Counts(), fmt.Errorf("counting the calls of %s: %w", path, err)
		}
	}
	return total.Counts(), nil
}

func countFile(ctx context.Context, total *tally.Total, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for at := int64(0); at < info.Size(); {
		chunk, err := readHead(file, at, info.Size())
		if err != nil {
			return err
		}
		calls, err := chunk.count(ctx)
		if err != nil {
			return fmt.Errorf("the chunk at byte %d: %w", at, err)
		}
		batch := total.Batch()
		for range calls {
			batch.Span(&tally.Span{Kind: tally.Internal, Loose: true})
		}
		total.Merge(batch, protocol, chunk.size)
		at += chunk.size
	}
	return nil
}

// chunk is a part of a recording that stands by itself.
type chunk struct {
	file     io.ReaderAt
	at, size int64
	metadata int64 // from at
}

var errUnfinished = errors.New("the recording ends in a chunk that was not finished: its JVM has to end by itself")

func readHead(file io.ReaderAt, at, end int64) (chunk, error) {
	var head [headSize]byte
	if end-at < headSize {
		return chunk{}, errUnfinished
	}
	if _, err := file.ReadAt(head[:], at); err != nil {
		return chunk{}, err
	}
	be := binary.BigEndian
	c := chunk{file: file, at: at, size: int64(be.Uint64(head[8:])), metadata: int64(be.Uint64(head[24:]))}
	switch {
	case string(head[:4]) != magic:
		return c, errors.New("it is no recording of JDK Flight Recorder")
	case be.Uint16(head[4:]) != 2:
		return c, fmt.Errorf("it has version %d of the format, and version 2 is known", be.Uint16(head[4:]))
	case head[67]&1 == 0:
		return c, errors.New("its numbers are not compressed, which is not supported (compressed integers are the JVM's default)")
	case c.size < headSize || c.size > end-at || c.metadata < headSize || c.metadata >= c.size:
		return c, errUnfinished
	}
	return c, nil
}

// count returns the number of traced calls.
func (c chunk) count(ctx context.Context) (calls uint64, err error) {
	kind, err := c.kind()
	if err != nil {
		return 0, err
	}
	events := &numbers{r: bufio.NewReaderSize(io.NewSectionReader(c.file, c.at+headSize, c.size-headSize), 1<<20)}
	for left := c.size - headSize; left > 0; {
		if ctx.Err() != nil {
			return calls, context.Cause(ctx)
		}
		size, is, err := events.event()
		if err != nil {
			return calls, err
		}
		if left -= size; left < 0 {
			return calls, errEvent
		}
		if is == kind && kind != 0 {
			calls++
		}
	}
	return calls, nil
}

var errEvent = errors.New("an event is longer than what holds it, or shorter than itself")

// numbers reads compressed numbers.
type numbers struct {
	r    *bufio.Reader
	read int64 // bytes, since it was last set
}

// event reads past an event, and returns its size and its kind.
func (n *numbers) event() (size int64, kind uint64, err error) {
	n.read = 0
	length, err := n.next()
	if err == nil {
		kind, err = n.next()
	}
	if err != nil {
		return 0, 0, err
	}
	if size = int64(length); length > mostEvent || size < n.read {
		return size, kind, errEvent
	}
	if _, err := n.r.Discard(int(size - n.read)); err != nil {
		return size, kind, whole(err)
	}
	return size, kind, nil
}

// next reads a number: seven bits a byte, the lowest first; the ninth byte has eight.
func (n *numbers) next() (value uint64, err error) {
	for i := range 9 {
		b, err := n.r.ReadByte()
		if err != nil {
			return 0, whole(err)
		}
		n.read++
		if i == 8 {
			return value | uint64(b)<<56, nil
		}
		value |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			break
		}
	}
	return value, nil
}

func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return errEvent
	}
	return err
}
