// Package ringtest writes folders of rings as an agent does, for tests: docs/ring.md describes them. It must not know how they are read.
package ringtest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// About holds the values of about.json.
type About struct {
	Version  int               `json:"version"`
	PID      int               `json:"pid"`
	Clock    string            `json:"clock"`
	Service  string            `json:"service,omitempty"`
	Resource map[string]string `json:"resource,omitempty"`
	Runtime  string            `json:"runtime,omitempty"`
}

// Program is a traced program.
type Program struct {
	Dir     string
	t       testing.TB
	alive   *os.File
	methods *os.File
	named   int
	rings   int
	stamp   uint64
}

// New starts a program in a folder of rings, which it makes. Its clock is nano where about has none.
func New(t testing.TB, folder string, number int, about About) *Program {
	t.Helper()
	p := &Program{t: t, Dir: filepath.Join(folder, fmt.Sprintf("jvm-%d-%08x", number, number))}
	p.must(os.MkdirAll(p.Dir, 0o700))
	p.must(os.Chmod(folder, 0o700))
	var err error
	p.alive, err = os.OpenFile(filepath.Join(p.Dir, "alive"), os.O_RDWR|os.O_CREATE, 0o600)
	p.must(err)
	page := make([]byte, 4096)
	copy(page, "TTLIVE01")
	p.write(p.alive, page, 0)
	p.must(unix.FcntlFlock(p.alive.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}))
	t.Cleanup(p.Die)
	p.methods, err = os.OpenFile(filepath.Join(p.Dir, "methods"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	p.must(err)
	t.Cleanup(func() { _ = p.methods.Close() })
	if about.Version == 0 {
		about.Version = 1
	}
	if about.PID == 0 {
		about.PID = number
	}
	if about.Clock == "" {
		about.Clock = "nano"
	}
	text, err := json.Marshal(about)
	p.must(err)
	p.must(os.WriteFile(filepath.Join(p.Dir, ".about"), text, 0o600))
	p.must(os.Rename(filepath.Join(p.Dir, ".about"), filepath.Join(p.Dir, "about.json")))
	return p
}

func (p *Program) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *Program) write(f *os.File, b []byte, at int64) {
	p.t.Helper()
	_, err := f.WriteAt(b, at)
	p.must(err)
}

// Line appends text to the file methods, as it is.
func (p *Program) Line(text string) {
	p.t.Helper()
	_, err := p.methods.WriteString(text)
	p.must(err)
}

// Method names the next method, and returns its number.
func (p *Program) Method(class, name string) int {
	p.t.Helper()
	text, err := json.Marshal(map[string]any{"number": p.named, "class": class, "method": name})
	p.must(err)
	p.Line(string(text) + "\n")
	p.named++
	return p.named - 1
}

// LeftOut counts calls of threads that have no ring.
func (p *Program) LeftOut(calls uint64) {
	p.t.Helper()
	p.write(p.alive, binary.LittleEndian.AppendUint64(nil, calls), 64)
}

// Die ends the program, as kill -9 does.
func (p *Program) Die() {
	if p.alive != nil {
		_ = p.alive.Close()
		p.alive = nil
	}
}

// Now returns a stamp of CLOCK_MONOTONIC that differs from those before.
func (p *Program) Now() uint64 {
	var t unix.Timespec
	p.must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &t))
	p.stamp = max(p.stamp+1, uint64(t.Nano()))
	return p.stamp
}

// Ring is a ring that is written.
type Ring struct {
	Path    string
	Number  int
	Written uint64
	program *Program
	file    *os.File
	kind    uint32
	size    uint64
}

// Kinds of rings.
const (
	Platform = 1
	Carrier  = 2
)

// Ring makes the next ring, of a kind, with a buffer of so many bytes.
func (p *Program) Ring(kind uint32, size uint64) *Ring {
	p.t.Helper()
	p.rings++
	r := &Ring{program: p, Number: p.rings, kind: kind, size: size}
	hidden := filepath.Join(p.Dir, fmt.Sprintf(".ring-%d", p.rings))
	r.Path = filepath.Join(p.Dir, fmt.Sprintf("ring-%d", p.rings))
	var err error
	r.file, err = os.OpenFile(hidden, os.O_RDWR|os.O_CREATE, 0o600)
	p.must(err)
	p.t.Cleanup(func() { _ = r.file.Close() })
	page := make([]byte, 4096+size)
	copy(page, "TTRING01")
	binary.LittleEndian.PutUint32(page[8:], kind)
	binary.LittleEndian.PutUint64(page[16:], size)
	p.write(r.file, page, 0)
	p.must(os.Rename(hidden, r.Path))
	return r
}

// Set writes a number into the page.
func (r *Ring) Set(at int64, value uint64) {
	r.program.t.Helper()
	r.program.write(r.file, binary.LittleEndian.AppendUint64(nil, value), at)
}

// Read returns the reader's position.
func (r *Ring) Read() uint64 {
	r.program.t.Helper()
	var b [8]byte
	_, err := r.file.ReadAt(b[:], 256)
	r.program.must(err)
	return binary.LittleEndian.Uint64(b[:])
}

// Put writes words at the writer's position, without publishing them.
func (r *Ring) Put(words ...uint64) {
	r.program.t.Helper()
	for _, w := range words {
		r.program.write(r.file, binary.LittleEndian.AppendUint64(nil, w), int64(4096+r.Written&(r.size-1)))
		r.Written += 8
	}
}

// Publish has the reader see what was put.
func (r *Ring) Publish() { r.Set(128, r.Written) }

// Room waits until the reader has made room for so many bytes.
func (r *Ring) Room(bytes uint64) {
	r.program.t.Helper()
	for end := time.Now().Add(30 * time.Second); r.Written+bytes-r.Read() > r.size; time.Sleep(20 * time.Microsecond) {
		if time.Now().After(end) {
			r.program.t.Fatalf("%s: the reader made no room", r.Path)
		}
	}
}

// Owner has the events that follow be those of a thread.
func (r *Ring) Owner(thread uint64) {
	r.program.t.Helper()
	r.Put((1<<19-1)<<1, thread)
	r.Publish()
}

// Word returns an event.
func Word(stamp uint64, method int, exit bool) uint64 {
	w := stamp<<20 | uint64(method)<<1
	if exit {
		w |= 1
	}
	return w
}

// Enter writes an entry at the present moment; thread is for carriers.
func (r *Ring) Enter(method int, thread ...uint64) {
	r.program.t.Helper()
	r.At(r.program.Now(), method, false, thread...)
}

// Exit writes an exit.
func (r *Ring) Exit(method int, thread ...uint64) {
	r.program.t.Helper()
	r.At(r.program.Now(), method, true, thread...)
}

// At writes an event of a stamp.
func (r *Ring) At(stamp uint64, method int, exit bool, thread ...uint64) {
	r.program.t.Helper()
	r.Put(append([]uint64{Word(stamp, method, exit)}, thread...)...)
	r.Publish()
}

// Close ends the ring.
func (r *Ring) Close() { r.Set(136, 1) }

// Fill writes a whole buffer at once, and publishes it.
func (r *Ring) Fill(words []byte) {
	r.program.t.Helper()
	if uint64(len(words)) > r.size || r.Written&(r.size-1) != 0 {
		r.program.t.Fatal("Fill writes from the begin of the buffer")
	}
	r.program.write(r.file, words, 4096)
	r.Written += uint64(len(words))
	r.Publish()
}
