// This file owns the folder: its lock, its owner, and the programs that stand there.

package ring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"golang.org/x/sys/unix"
)

const (
	readerMagic  = "TTREAD01"
	atReaderPID  = 64
	atReaderTime = 128

	lockPatience = 2 * time.Second // agents hold the lock for a moment, to ask whether a reader lives
	bareFor      = time.Minute     // a folder without about.json is a program's that starts, or that died while it did
	scanEvery    = 10_000_000      // nanoseconds between two looks for new programs
	mostRefused  = 1000            // that are named
)

// Reader reads a folder of rings. One goroutine calls its methods, but for Counts.
type Reader struct {
	path     string
	dir      *os.Root
	listing  *listing
	lock     *os.File // the file reader
	clocks   map[Clock]*clock
	now      func() uint64 // CLOCK_MONOTONIC
	ids      ids
	programs []*program
	done     map[string]bool // folders that are read no further
	scanAt   uint64
	counts   Counts
	buffer   []byte
	page     *clockPage // while a program reads the time there

	mu    sync.Mutex
	shown Counts
}

// Default returns the folder of the user's rings, which agents write to where they are given none.
func Default() string { return fmt.Sprintf("/dev/shm/tracetax-%d", os.Getuid()) }

// Open makes the folder where it is missing, and takes it: one reader reads a folder. It is an error where others may write there, or own
// it. Close gives it free.
func Open(path string) (*Reader, error) {
	r := &Reader{path: path, ids: newIDs(), done: map[string]bool{}, buffer: make([]byte, chunk)}
	if err := r.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the rings in %s: %w", path, err), r.Close())
	}
	return r, nil
}

func (r *Reader) open() error {
	if err := os.Mkdir(r.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the folder: %w", err)
	}
	var err error
	if r.dir, err = os.OpenRoot(r.path); err != nil {
		return err
	}
	if err := private(r.path, r.dir); err != nil {
		return err
	}
	if r.listing, err = newListing(r.dir); err != nil {
		return err
	}
	if r.lock, err = openRegular(r.dir, "reader", os.O_RDWR|os.O_CREATE); err != nil {
		return fmt.Errorf("opening the file reader: %w", err)
	}
	if err := r.take(); err != nil {
		return err
	}
	if r.now, err = monotonic(); err != nil {
		return err
	}
	mono := newClock(r.now, 1)
	r.clocks = map[Clock]*clock{Nano: mono, Page: mono}
	if hasTicks {
		r.clocks[TSC] = newClock(ticks, 0)
	}
	return nil
}

// private is an error where somebody else owns the folder, or may write there, or where its name is a symbolic link.
func private(path string, dir *os.Root) error {
	link, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if link.Mode()&fs.ModeSymlink != 0 {
		return errors.New("it is a symbolic link: name the folder itself")
	}
	info, err := dir.Stat(".")
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	switch {
	case int(owner) != os.Geteuid():
		return fmt.Errorf("user %d owns it, and this process runs as user %d: choose another folder, or run as its owner", owner, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write there (mode %#o): chmod 700 %s, or choose another folder", info.Mode().Perm(), path)
	}
	return nil
}

// take locks the folder for this reader, and writes its page.
func (r *Reader) take() error {
	whole := unix.Flock_t{Type: unix.F_WRLCK}
	for end := time.Now().Add(lockPatience); ; time.Sleep(jitter.Around(10 * time.Millisecond)) {
		err := unix.FcntlFlock(r.lock.Fd(), unix.F_OFD_SETLK, &whole)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EACCES) {
			return fmt.Errorf("locking the file reader: %w", err)
		}
		if time.Now().After(end) {
			return fmt.Errorf("another reader%s reads it: stop that one, or choose another folder", r.other())
		}
	}
	page := make([]byte, pageSize)
	copy(page, readerMagic)
	le.PutUint64(page[atReaderPID:], uint64(os.Getpid()))
	if _, err := r.lock.WriteAt(page, 0); err != nil {
		return fmt.Errorf("writing the file reader: %w", err)
	}
	return nil
}

// other names the process of another reader, as it says; "" where it does not.
func (r *Reader) other() string {
	var number [8]byte
	if err := readFull(r.lock, number[:], atReaderPID); err != nil || le.Uint64(number[:]) == 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", le.Uint64(number[:]))
}

// locked reports whether another process holds a lock on a file.
func locked(f *os.File) (bool, error) {
	whole := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &whole); err != nil {
		return false, fmt.Errorf("asking who holds %s: %w", f.Name(), err)
	}
	return whole.Type != unix.F_UNLCK, nil
}

// Close gives the folder free. What was not read stays.
func (r *Reader) Close() error {
	var errs []error
	errs = append(errs, r.stopPage())
	for _, p := range r.programs {
		errs = append(errs, p.shut())
	}
	r.programs = nil
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
		r.lock = nil
	}
	if r.listing != nil {
		errs = append(errs, r.listing.close())
		r.listing = nil
	}
	if r.dir != nil {
		errs = append(errs, r.dir.Close())
		r.dir = nil
	}
	return errors.Join(errs...)
}

// Counts returns what was read so far. Any goroutine may call it.
func (r *Reader) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.shown
	c.Refused, c.Untraced = slices.Clone(c.Refused), slices.Clone(c.Untraced)
	return c
}

// Refused returns the rings and programs that are read no further, as Counts does. A handler may call it while it is called.
func (r *Reader) Refused() []string { return r.counts.Refused }

// LeftOut returns how many calls programs left out so far, as Counts does. A handler may call it while it is called.
func (r *Reader) LeftOut() uint64 { return r.counts.LeftOut }

func (r *Reader) show() {
	r.counts.Live = len(r.programs)
	for _, c := range r.clocks {
		r.counts.ClockError = max(r.counts.ClockError, c.error)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = r.counts
}

func (r *Reader) refuse(name string, why error) {
	if len(r.counts.Refused) < mostRefused {
		r.counts.Refused = append(r.counts.Refused, fmt.Sprintf("%s: %v", name, why))
	}
}

var programName = regexp.MustCompile(`^[a-z]+-[0-9]+-[0-9a-f]{8}$`)

// scan opens the programs that are new.
func (r *Reader) scan() error {
	names, err := r.listing.names(false)
	if err != nil {
		return fmt.Errorf("reading the rings in %s: %w", r.path, err)
	}
	for _, name := range names {
		read := func(p *program) bool { return p.program.Name == name }
		if !programName.MatchString(name) || r.done[name] || slices.ContainsFunc(r.programs, read) {
			continue
		}
		if err := r.add(name); err != nil {
			r.done[name] = true
			r.refuse(name, err)
		}
	}
	return nil
}

// add opens a program; none that has not written about.json.
func (r *Reader) add(name string) error {
	dir, err := r.dir.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := openProgram(dir, name, r.clocks)
	if errors.Is(err, fs.ErrNotExist) {
		r.listing.again()
		return errors.Join(r.clearBare(dir, name), dir.Close())
	}
	if err != nil {
		return errors.Join(err, dir.Close())
	}
	p.ids, p.counts, p.refuse = &r.ids, &r.counts, r.refuse
	r.programs = append(r.programs, p)
	r.counts.Programs++
	return nil
}

// clearBare removes the folder of a program that died before it had a name.
func (r *Reader) clearBare(dir *os.Root, name string) error {
	info, err := dir.Stat(".")
	if err != nil || time.Since(info.ModTime()) < bareFor {
		return err
	}
	if alive, err := openRegular(dir, "alive", os.O_RDONLY); err == nil {
		held, err := locked(alive)
		if err = errors.Join(err, alive.Close()); err != nil || held {
			return err
		}
	}
	return r.dir.RemoveAll(name)
}

// Progress describes the findings of a pass.
type Progress struct {
	Bytes uint64  // of events
	Full  float64 // of the ring that was fullest: 0 to 1
}

// Pass reads all rings once, and deletes what is read and settled. Its errors are those of the handler and of the folder; what is wrong
// with a ring or a program is among the counts, and ends the reading of that alone.
func (r *Reader) Pass(h Handler) (Progress, error) {
	defer r.show()
	now := r.now()
	for _, c := range r.clocks {
		if c != nil && c.line.rate > 0 {
			c.follow(c.now())
		}
	}
	if now >= r.scanAt {
		r.scanAt = now + scanEvery
		if err := r.scan(); err != nil {
			return Progress{}, err
		}
		if err := r.servePage(); err != nil {
			return Progress{}, err
		}
	}
	var all Progress
	for _, p := range r.programs {
		if p.ended {
			continue
		}
		p.handler = h
		bytes, full, err := p.pass(r.buffer, now)
		all.Bytes += bytes
		all.Full = max(all.Full, full)
		switch {
		case errors.As(err, new(handoverError)):
			return all, err
		case err != nil:
			r.giveUp(p, err)
		}
	}
	if err := h.Rest(); err != nil {
		return all, err
	}
	return all, r.Tidy(h)
}

// giveUp reads a program no further. Its folder stays.
func (r *Reader) giveUp(p *program, why error) {
	p.kept, p.ended, p.endedAt = true, true, p.taken
	r.refuse(p.program.Name, why)
}

// Tidy deletes what is read and settled, as each pass does.
func (r *Reader) Tidy(h Handler) error {
	defer r.show()
	var errs []error
	r.programs = slices.DeleteFunc(r.programs, func(p *program) bool {
		over, err := p.tidy(h.Settled(p.program))
		errs = append(errs, err)
		if !over {
			return false
		}
		h.Forget(p.program)
		errs = append(errs, p.shut())
		if p.kept {
			r.done[p.program.Name] = true
		} else {
			errs = append(errs, r.dir.RemoveAll(p.program.Name))
		}
		return true
	})
	return errors.Join(errs...)
}

const (
	shortest = 50 * time.Microsecond  // between two passes
	usual    = 20 * time.Millisecond  // the same, on average, soon after nothing comes; from here on it grows slowly
	longest  = 100 * time.Millisecond // the same, some seconds later: a wake costs some 200 µs of CPU
	aim      = 0.25                   // how full the fullest ring is to be at the next pass
	timers   = 2 * time.Millisecond   // below, the runtime's timers are too late
)

// Run makes passes until ctx is done, or over, asked after each pass, says so. It rests longer the less comes.
func (r *Reader) Run(ctx context.Context, h Handler, over func(Progress) bool) error {
	rest := shortest
	last := time.Now()
	for {
		p, err := r.Pass(h)
		if err != nil || ctx.Err() != nil || over != nil && over(p) {
			return err
		}
		now := time.Now()
		rest = pause(rest, now.Sub(last), p.Full)
		last = now
		wait(ctx, jitter.Around(rest))
	}
}

// pause returns how long to rest after a pass that came a time after the one before it, and found the fullest ring so full.
func pause(before, since time.Duration, full float64) time.Duration {
	next := longest
	if full > 0 {
		next = min(longest, time.Duration(float64(since)*aim/full))
	}
	growth := before / 2
	if before >= usual {
		growth = before / 20
	}
	return max(shortest, min(next, before+growth))
}

// wait waits for d, or for the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	if d < timers {
		t := unix.NsecToTimespec(int64(d))
		_ = unix.Nanosleep(&t, nil) // a signal may end it early
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
