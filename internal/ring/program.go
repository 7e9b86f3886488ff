// This file reads one traced program: its rings, in the order in which their threads wrote.

package ring

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	atAliveLeftOut = 64
	chunk          = 64 << 10 // bytes that are copied out at a time
)

// program is the reading of one program.
type program struct {
	*assembler
	dir     *os.Root
	names   methodFile
	rings   []*ringFile // by number
	listing *listing
	lock    *os.File // the file alive; nil: not open
	known   map[string]bool
	listAt  uint64 // monotonic: when the folder is to be looked at again
	gone    bool   // its process has ended
	ended   bool   // gone, and read to the end
	endedAt uint64 // spans that had been taken by then
	kept    bool   // a ring was refused: the folder stays
	leftOut uint64 // by threads without a ring, as last seen
	refuse  func(name string, err error)
}

func openProgram(dir *os.Root, name string, clocks map[Clock]*clock) (*program, error) {
	about, err := readAbout(dir, name)
	if err != nil {
		return nil, err
	}
	files, err := newListing(dir)
	if err != nil {
		return nil, err
	}
	p := &program{
		assembler: &assembler{
			program: about, clock: clocks[about.Clock], threads: map[uint64]*thread{}, sweepAt: keptThreads, spans: make([]Span, 0, batchSpans),
		},
		dir: dir, listing: files, names: methodFile{dir: dir}, known: map[string]bool{},
	}
	p.learn = p.readMethods
	p.clock.ready()
	return p, nil
}

func (p *program) readMethods() error {
	return p.names.read(func(text []byte) {
		line, err := parseMethod(text)
		switch {
		case err != nil:
			p.refuse(p.program.Name+"/methods", err)
			return
		case line.Number == nil:
			if len(p.counts.Untraced) < mostUntraced {
				p.counts.Untraced = append(p.counts.Untraced, Untraced{line.Untraced, line.Why})
			}
			return
		}
		if missing := *line.Number + 1 - len(p.methods); missing > 0 {
			p.methods = append(p.methods, make([]*Method, missing)...)
		}
		if p.methods[*line.Number] == nil {
			p.methods[*line.Number] = &Method{*line.Number, line.Class, line.Method}
		}
	})
}

// alive reports whether the process of the program lives: it holds a lock for as long. It also adds the calls left out without a ring.
func (p *program) alive() (bool, error) {
	if p.lock == nil {
		f, err := openRegular(p.dir, "alive", os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		p.lock = f
	}
	held, err := locked(p.lock)
	if err != nil {
		return false, err
	}
	var count [8]byte
	if n, err := p.lock.ReadAt(count[:], atAliveLeftOut); n < len(count) && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the file alive: %w", err)
	}
	if now := le.Uint64(count[:]); now > p.leftOut {
		p.counts.LeftOut += now - p.leftOut
		p.leftOut = now
	}
	return held, nil
}

var ringName = regexp.MustCompile(`^ring-([1-9][0-9]{0,17})$`)

// list opens the rings that are new.
func (p *program) list() error {
	names, err := p.listing.names(p.gone || p.carriers())
	if err != nil || names == nil {
		return err
	}
	for _, name := range names {
		if p.known[name] || !strings.HasPrefix(name, "ring-") {
			continue
		}
		p.known[name] = true
		match := ringName.FindStringSubmatch(name)
		if match == nil {
			p.refuseRing(&ringFile{name: name}, errors.New("its name has no number"))
			continue
		}
		number, _ := strconv.ParseUint(match[1], 10, 64) // it fits
		r, err := openRing(p.dir, name, number)
		if err != nil {
			p.refuseRing(&ringFile{name: name}, err)
			continue
		}
		p.counts.Rings++
		if err := p.resume(r); err != nil {
			p.refuseRing(r, err)
			continue
		}
		p.rings = append(p.rings, r)
	}
	slices.SortFunc(p.rings, func(a, b *ringFile) int { return int(a.number) - int(b.number) })
	return nil
}

// resume has a ring of kind 1 go on with the thread at which an earlier reader left it.
func (p *program) resume(r *ringFile) error {
	if r.kind != ofPlatform || r.read == 0 {
		return nil
	}
	number, err := r.formerOwner()
	if err == nil {
		p.owns(r, number)
	}
	return err
}

// refuseRing ends the reading of one ring.
func (p *program) refuseRing(r *ringFile, why error) {
	r.refused, p.kept = true, true
	p.close(r)
	p.refuse(p.program.Name+"/"+r.name, why)
}

func (p *program) close(r *ringFile) {
	if r.file != nil {
		_ = r.file.Close() // its positions were written before
		r.file = nil
	}
	if r.thread != nil && r.thread.ring == r {
		r.thread.ring = nil
	}
}

// pass reads all rings once. It returns the bytes read, and the largest share of a ring that was full.
func (p *program) pass(buffer []byte, now uint64) (bytes uint64, full float64, err error) {
	// The order of these three makes sure that a virtual thread's events are read in order: what a carrier wrote before the cut is seen.
	cut := p.clock.now()
	p.clock.follow(cut)
	if p.dueToList(now) {
		live, err := p.alive()
		if err != nil {
			return 0, 0, err
		}
		p.gone = !live
		if err := p.readMethods(); err != nil {
			return 0, 0, err
		}
		if err := p.list(); err != nil {
			return 0, 0, err
		}
	}
	var carriers []*ringFile
	for _, r := range p.rings {
		if r.done || r.refused {
			continue
		}
		if err := r.refresh(p.counts); err != nil {
			p.refuseRing(r, err)
			continue
		}
		bytes += r.written - r.read
		full = max(full, float64(r.written-r.read)/float64(r.size))
		if r.kind == ofCarrier {
			carriers = append(carriers, r)
			continue
		}
		if err := p.platform(r, buffer); err != nil {
			if errors.As(err, new(handoverError)) {
				return bytes, full, err
			}
			p.refuseRing(r, err)
		}
	}
	if err := p.merge(carriers, cut); err != nil {
		return bytes, full, err
	}
	if err := p.flush(); err != nil {
		return bytes, full, err
	}
	p.sweep()
	return bytes, full, p.conclude()
}

// listEvery is the number of nanoseconds between two looks at the folder of a program whose threads are platform ones.
const listEvery = 2_000_000

// dueToList reports whether the folder is to be looked at. Carriers must all be known before their events are sorted.
func (p *program) dueToList(now uint64) bool {
	due := now >= p.listAt
	for _, r := range p.rings {
		due = due || r.closed && !r.done
	}
	due = due || p.carriers()
	if due {
		p.listAt = now + listEvery
	}
	return due
}

// carriers reports whether a ring is one of virtual threads.
func (p *program) carriers() bool {
	return slices.ContainsFunc(p.rings, func(r *ringFile) bool { return r.kind == ofCarrier && !r.done && !r.refused })
}

// conclude marks rings that were read to their end, and the program where all were and it is gone.
func (p *program) conclude() error {
	all := p.gone
	for _, r := range p.rings {
		if r.refused || r.done {
			continue
		}
		if r.closed && r.read == r.written {
			r.done, r.doneAt = true, p.taken
			continue
		}
		all = all && r.read == r.written
	}
	if !all || p.ended {
		return nil
	}
	if err := p.finish(); err != nil {
		return err
	}
	p.ended, p.endedAt = true, p.taken
	return nil
}

// tidy deletes the rings, and in the end the folder's content, whose spans are settled. It reports whether the program is done with.
func (p *program) tidy(settled uint64) (bool, error) {
	var errs []error
	p.rings = slices.DeleteFunc(p.rings, func(r *ringFile) bool {
		if !r.done || r.doneAt > settled {
			return false
		}
		p.close(r)
		if err := p.dir.Remove(r.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("deleting a ring that was read: %w", err))
		}
		return true
	})
	return p.ended && p.endedAt <= settled, errors.Join(errs...)
}

// shut closes what is open.
func (p *program) shut() error {
	for _, r := range p.rings {
		p.close(r)
	}
	if p.lock != nil {
		_ = p.lock.Close() // it was only read
	}
	return errors.Join(p.names.close(), p.listing.close(), p.dir.Close())
}

// platform reads a ring of kind 1.
func (p *program) platform(r *ringFile, buffer []byte) error {
	for r.read < r.written {
		piece, err := r.copyOut(buffer[:chunk], r.read, r.written)
		if err != nil {
			return err
		}
		used, owners, err := p.events(r, piece)
		p.counts.Events += used/8 - 2*owners
		if err != nil {
			return err
		}
		if err := p.flush(); err != nil {
			return err
		}
		if used == 0 { // an owner whose second half lies beyond the piece
			if used, err = p.splitOwner(r, buffer); err != nil {
				return err
			}
		}
		if err := r.publish(r.read + used); err != nil {
			return err
		}
	}
	return nil
}

// events takes the events of a piece. It returns how many bytes they are, and how many owners are among them. It is the hot loop: the
// usual event is handled here.
func (p *program) events(r *ringFile, piece []byte) (used uint64, owners uint64, err error) {
	latest := p.clock.now() + ahead
	line := p.clock.line
	t, methods := r.thread, p.methods
	for i := 0; i+8 <= len(piece); i += 8 {
		word := le.Uint64(piece[i:])
		if word&eventMask == ownerEvent {
			if i+16 > len(piece) {
				return uint64(i), owners, nil
			}
			p.owns(r, le.Uint64(piece[i+8:]))
			t = r.thread
			owners++
			i += 8
			continue
		}
		if t == nil {
			return uint64(i), owners, errors.New("its first event names no thread")
		}
		var at int64
		if tick := latest - (latest-word>>stampShift)&stampMask; tick >= line.base {
			at = line.after(tick)
		} else {
			at = p.clock.before(tick)
		}
		at = max(at, t.last)
		t.last = at
		number := uint32(word&eventMask) >> 1
		top := len(t.frames) - 1
		if word&1 == 0 && top >= 0 && int(number) < len(methods) && methods[number] != nil && p.open < mostOpen {
			t.frames = append(t.frames, frame{p.ids.next(), at, number, t.order})
			t.order++
			p.open++
			continue
		}
		if word&1 == 1 && top >= 0 && t.frames[top].method == number {
			err = p.leave(t, top, at, false)
		} else {
			err = p.event(t, word, at)
			methods = p.methods
		}
		if err != nil {
			return uint64(i), owners, err
		}
	}
	return uint64(len(piece)), owners, nil
}

// splitOwner reads an owner that stands at the read position and goes on at the begin of the buffer.
func (p *program) splitOwner(r *ringFile, buffer []byte) (uint64, error) {
	if r.written-r.read < 16 {
		return 0, errors.New("its last event names a thread and lacks the number")
	}
	second, err := r.copyOut(buffer[:8], r.read+8, r.written)
	if err != nil {
		return 0, err
	}
	p.owns(r, le.Uint64(second))
	return 16, nil
}
