// This file reads one ring: its page, and the bytes of its buffer.

package ring

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Places in the page of a ring, as docs/ring.md has them.
const (
	pageSize    = 4096
	atKind      = 8
	atSize      = 16
	atWritten   = 128
	atClosed    = 136
	atLeftOut   = 192
	atWaits     = 200
	atWaited    = 208
	atLongest   = 216
	atRead      = 256
	atReadOwner = 264 // the number of the thread whose events stand at the read position: the reader's own note for its successor
	positions   = atLongest + 8 - atWritten

	ringMagic  = "TTRING01"
	ofPlatform = 1 // kind: of a platform thread
	ofCarrier  = 2 // kind: of a carrier of virtual threads

	leastSize = 4096
	mostSize  = 1 << 30
)

// Bits of an event.
const (
	methodBits  = 19
	stampShift  = methodBits + 1
	eventMask   = 1<<stampShift - 1
	ownerNumber = 1<<methodBits - 1
	ownerEvent  = ownerNumber << 1
)

var le = binary.LittleEndian

// ringFile is one ring of a program.
type ringFile struct {
	name   string
	number uint64
	file   *os.File
	kind   uint32
	size   uint64

	read    uint64 // bytes taken, as published
	written uint64 // as last seen
	closed  bool
	done    bool   // closed, and read
	doneAt  uint64 // spans of the program that had been taken by then
	refused bool
	counted [4]uint64 // what the ring's counters had when they were last added

	thread *thread // whose events come next; nil before an owner
}

// openRing opens a ring and checks its page.
func openRing(dir *os.Root, name string, number uint64) (*ringFile, error) {
	f, err := openRegular(dir, name, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	r := &ringFile{name: name, number: number, file: f}
	if err := r.check(); err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return r, nil
}

func (r *ringFile) check() error {
	var page [pageSize]byte
	if err := readFull(r.file, page[:], 0); err != nil {
		return fmt.Errorf("reading its page: %w", err)
	}
	if !bytes.Equal(page[:8], []byte(ringMagic)) {
		return fmt.Errorf("it begins with %q, and not with %q: it is no ring, or of another version of the agent", page[:8], ringMagic)
	}
	if r.kind = le.Uint32(page[atKind:]); r.kind != ofPlatform && r.kind != ofCarrier {
		return fmt.Errorf("its kind is %d; this reader knows 1 and 2", r.kind)
	}
	r.size = le.Uint64(page[atSize:])
	if r.size < leastSize || r.size > mostSize || r.size&(r.size-1) != 0 {
		return fmt.Errorf("its buffer has %d bytes, which is no power of two from %d to %d", r.size, leastSize, mostSize)
	}
	if err := r.checkLength(); err != nil {
		return err
	}
	r.read = le.Uint64(page[atRead:])
	r.written = r.read
	if r.read%r.step() != 0 {
		return fmt.Errorf("its reader's position, %d, lies within an event", r.read)
	}
	return r.look(page[atWritten:])
}

func (r *ringFile) checkLength() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if want := int64(pageSize + r.size); info.Size() != want {
		return fmt.Errorf("the file has %d bytes, and should have %d: it was cut off, or grew", info.Size(), want)
	}
	return nil
}

// step is the number of bytes that all positions are multiples of.
func (r *ringFile) step() uint64 {
	if r.kind == ofCarrier {
		return 16
	}
	return 8
}

// refresh reads the positions and counters, and adds what is new of the latter to total.
func (r *ringFile) refresh(total *Counts) error {
	var part [positions]byte
	if err := readFull(r.file, part[:], atWritten); err != nil {
		return fmt.Errorf("reading its positions: %w", err)
	}
	wasClosed := r.closed
	if err := r.look(part[:]); err != nil {
		return err
	}
	if r.closed && !wasClosed {
		// What was written before it was closed may have been read too early.
		if err := readFull(r.file, part[:], atWritten); err != nil {
			return fmt.Errorf("reading its positions: %w", err)
		}
		if err := r.look(part[:]); err != nil {
			return err
		}
	}
	r.count(part[:], total)
	return nil
}

// look takes in the positions; part begins at atWritten.
func (r *ringFile) look(part []byte) error {
	written := le.Uint64(part)
	switch {
	case written < r.written:
		return fmt.Errorf("its writer's position went back from %d to %d", r.written, written)
	case written-r.read > r.size:
		return fmt.Errorf("its writer's position, %d, is ahead of the reader's, %d, by more than the size, %d", written, r.read, r.size)
	case written%r.step() != 0:
		return fmt.Errorf("its writer's position, %d, lies within an event", written)
	}
	r.written = written
	switch closed := le.Uint64(part[atClosed-atWritten:]); closed {
	case 0:
	case 1:
		r.closed = true
	default:
		return fmt.Errorf("it is neither in use nor closed, but %d", closed)
	}
	return nil
}

func (r *ringFile) count(part []byte, total *Counts) {
	var grown [4]uint64
	for i, at := range []int{atLeftOut, atWaits, atWaited, atLongest} {
		now := le.Uint64(part[at-atWritten:])
		if now > r.counted[i] {
			grown[i] = now - r.counted[i]
			r.counted[i] = now
		}
	}
	total.LeftOut += grown[0]
	total.Waits += grown[1]
	total.Waited += duration(grown[2])
	total.Longest = max(total.Longest, duration(r.counted[3]))
}

// duration returns nanoseconds that somebody else wrote, at most a year.
func duration(ns uint64) time.Duration {
	return time.Duration(min(ns, uint64(365*24*time.Hour)))
}

// copyOut copies events out, from a position on and up to another, as many as buffer holds and lie in one piece.
func (r *ringFile) copyOut(buffer []byte, from, to uint64) ([]byte, error) {
	at := from & (r.size - 1)
	n := min(to-from, r.size-at, uint64(len(buffer)))
	if err := readFull(r.file, buffer[:n], int64(pageSize+at)); err != nil {
		return nil, fmt.Errorf("reading its events: %w", err)
	}
	return buffer[:n], nil
}

// publish makes room for the writer: all before position was taken.
func (r *ringFile) publish(position uint64) error {
	if position == r.read {
		return nil
	}
	var own [16]byte
	le.PutUint64(own[:], position)
	if r.thread != nil {
		le.PutUint64(own[8:], r.thread.number)
	}
	// The owner first: a successor that finds the position finds it too.
	if _, err := r.file.WriteAt(own[8:], atReadOwner); err != nil {
		return fmt.Errorf("writing the owner of its events: %w", err)
	}
	if _, err := r.file.WriteAt(own[:8], atRead); err != nil {
		return fmt.Errorf("writing the reader's position: %w", err)
	}
	r.read = position
	return nil
}

// formerOwner returns the thread that an earlier reader noted.
func (r *ringFile) formerOwner() (uint64, error) {
	var own [8]byte
	if err := readFull(r.file, own[:], atReadOwner); err != nil {
		return 0, fmt.Errorf("reading the owner of its events: %w", err)
	}
	return le.Uint64(own[:]), nil
}

// readFull fills b, and has words for a file that ends before.
func readFull(f *os.File, b []byte, at int64) error {
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the file ends at byte %d: it was cut off", at+int64(n))
	}
	return err
}

// openRegular opens a file of a folder that is a regular one, and waits for nothing.
func openRegular(dir *os.Root, name string, flags int) (*os.File, error) {
	f, err := dir.OpenFile(name, flags|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
