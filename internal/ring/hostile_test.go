package ring

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/ring/ringtest"
	"golang.org/x/sys/unix"
)

// What is wrong with a ring ends its reading, by name; all others are read on, and the folder stays for whoever looks.
func TestRefusedRings(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *scene, r *ringtest.Ring)
		words []string
	}{
		"another version":     {func(_ *scene, r *ringtest.Ring) { r.Set(0, 0x3230474e49525454) }, []string{"TTRING02", "version"}},
		"garbage":             {func(_ *scene, r *ringtest.Ring) { r.Set(0, 1<<63|5) }, []string{"no ring"}},
		"kind":                {func(_ *scene, r *ringtest.Ring) { r.Set(8, 3) }, []string{"kind is 3"}},
		"size not a power":    {func(_ *scene, r *ringtest.Ring) { r.Set(16, 4097) }, []string{"4097 bytes"}},
		"size of all":         {func(_ *scene, r *ringtest.Ring) { r.Set(16, 1<<63) }, []string{"no power of two"}},
		"size not the file's": {func(_ *scene, r *ringtest.Ring) { r.Set(16, 8192) }, []string{"should have 12288"}},
		"ahead":               {func(_ *scene, r *ringtest.Ring) { r.Set(128, 4096+8) }, []string{"ahead", "4104"}},
		"within an event":     {func(_ *scene, r *ringtest.Ring) { r.Set(128, 20) }, []string{"within an event"}},
		"back":                {func(s *scene, r *ringtest.Ring) { s.pass(); r.Set(128, 8) }, []string{"went back from 16 to 8"}},
		"reader ahead":        {func(_ *scene, r *ringtest.Ring) { r.Set(256, 1<<40) }, []string{"went back"}},
		"reader within":       {func(_ *scene, r *ringtest.Ring) { r.Set(256, 3) }, []string{"reader's position"}},
		"closed twice":        {func(_ *scene, r *ringtest.Ring) { r.Set(136, 2) }, []string{"neither in use nor closed"}},
		"no name":             {func(_ *scene, r *ringtest.Ring) { r.Enter(17) }, []string{"method 17", "methods"}},
		"no owner":            {func(_ *scene, r *ringtest.Ring) { r.Written = 0; r.Enter(0); r.Set(128, 16) }, []string{"names no thread"}},
		"half an owner":       {func(_ *scene, r *ringtest.Ring) { r.Put((1<<19 - 1) << 1); r.Publish() }, []string{"lacks the number"}},
		"cut off": {func(s *scene, r *ringtest.Ring) {
			s.pass()
			if err := os.Truncate(r.Path, 4096+8); err != nil {
				s.Fatal(err)
			}
			r.Publish()
			r.Set(128, r.Written+16)
		}, []string{"cut off"}},
		"cut off in its page": {func(s *scene, r *ringtest.Ring) {
			s.pass()
			if err := os.Truncate(r.Path, 100); err != nil {
				s.Fatal(err)
			}
		}, []string{"cut off"}},
		"empty": {func(s *scene, r *ringtest.Ring) {
			if err := os.Truncate(r.Path, 0); err != nil {
				s.Fatal(err)
			}
		}, []string{"cut off"}},
		"a folder": {func(s *scene, r *ringtest.Ring) {
			if err := errors.Join(os.Remove(r.Path), os.Mkdir(r.Path, 0o700)); err != nil {
				s.Fatal(err)
			}
		}, []string{"directory"}},
		"a pipe": {func(s *scene, r *ringtest.Ring) {
			if err := errors.Join(os.Remove(r.Path), unix.Mkfifo(r.Path, 0o600)); err != nil {
				s.Fatal(err)
			}
		}, []string{"no regular file"}},
		"a link": {func(s *scene, r *ringtest.Ring) {
			if err := errors.Join(os.Remove(r.Path), os.Symlink("/etc/passwd", r.Path)); err != nil {
				s.Fatal(err)
			}
		}, []string{"ring-1"}},
		"a bad name": {func(s *scene, r *ringtest.Ring) {
			if err := os.Rename(r.Path, strings.TrimSuffix(r.Path, "1")+"01"); err != nil {
				s.Fatal(err)
			}
		}, []string{"ring-01", "no number"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			p := s.program(7)
			a := p.Method("C", "a")
			bad, good := p.Ring(ringtest.Platform, 4096), p.Ring(ringtest.Platform, 4096)
			bad.Owner(1)
			good.Owner(2)
			c.spoil(s, bad)
			good.Enter(a)
			good.Exit(a)
			s.pass()
			s.wantRefused(append(c.words, "jvm-7-00000007/ring-")...)
			good.Enter(a)
			good.Exit(a)
			s.pass()
			s.wantSpans("a00 a00")
			p.Die()
			s.end()
			s.wantRefused()
			if _, err := os.Stat(p.Dir); err != nil {
				t.Errorf("the folder with what was not read: %v", err)
			}
		})
	}
}

// An owner among a carrier's events is no event.
func TestCarrierWithOwner(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	r := p.Ring(ringtest.Carrier, 4096)
	r.Owner(1)
	s.pass()
	s.wantRefused("ring-1", "platform threads")
}

// A program of another version, or that is none, is refused by name; others are read.
func TestRefusedPrograms(t *testing.T) {
	for name, about := range map[string]string{
		"version 2": `{"version": 2, "clock": "nano"}`, "JSON": `{`, `"sundial"`: `{"version": 1, "clock": "sundial"}`, "array": `[]`,
		"more than": strings.Repeat(" ", mostAbout+1),
	} {
		s := newScene(t)
		p := s.program(7)
		if err := os.WriteFile(filepath.Join(p.Dir, "about.json"), []byte(about), 0o600); err != nil {
			t.Fatal(err)
		}
		s.pass()
		s.wantRefused("jvm-7-00000007", name)
		other := s.program(8)
		r := other.Ring(ringtest.Platform, 4096)
		r.Owner(1)
		r.Enter(other.Method("C", "a"))
		r.Exit(0)
		s.pass()
		s.wantSpans("a00")
	}
}

// What is no program's folder is left alone.
func TestOtherNames(t *testing.T) {
	s := newScene(t)
	for _, name := range []string{"jvm-7", "jvm-7-0000000", "x", "..jvm-7-00000000", "jvm-7-00000000.old"} {
		if err := os.MkdirAll(filepath.Join(s.folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.pass()
	if c := s.reader.Counts(); c.Programs != 0 || len(c.Refused) != 0 {
		t.Errorf("%+v", c)
	}
}

// The folder of a program that died before it had a name goes after a while; one that just starts stays.
func TestBareFolder(t *testing.T) {
	s := newScene(t)
	old, young := filepath.Join(s.folder, "jvm-1-00000001"), filepath.Join(s.folder, "jvm-2-00000002")
	for _, dir := range []string{old, young} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * bareFor)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	s.pass()
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old folder is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young folder: %v", err)
	}
}

// A folder that others may write, or that a link leads to, is refused.
func TestRefusedFolders(t *testing.T) {
	dir := t.TempDir()
	open, link := filepath.Join(dir, "open"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o730), os.Symlink(open, link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		open: "others may write there (mode 0730)", link: "symbolic link", filepath.Join(dir, "a", "b"): "no such file",
	} {
		if r, err := Open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
			_ = r.Close()
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "open")); err != nil || info.Mode().Perm() != 0o730 {
		t.Errorf("the folder is now %v, %v", info, err)
	}
	fresh, err := Open(filepath.Join(dir, "fresh"))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if info, err := os.Stat(filepath.Join(dir, "fresh")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder that was made is %v, %v", info, err)
	}
}

// Somebody else's folder is refused; only root can make one.
func TestForeignFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rings")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 4242, 4242); err != nil {
		t.Skip("not root:", err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "user 4242 owns it") {
		t.Errorf("%v", err)
	}
}

// A line that is not finished waits; wrong lines are named; names are made showable.
func TestMethodLines(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	p.Line(`{"number": 0, "class": "C", "method": "a"}` + "\n" + `{"number": 1, "class": "C", "met`)
	r.Enter(0)
	s.pass()
	p.Line(`hod": "b"}` + "\n" + `{"untraced": "C.huge", "why": "its code would be larger than 64 KB"}` + "\n")
	r.Enter(1)
	r.Exit(1)
	r.Exit(0)
	s.pass()
	s.wantSpans("b11 a00")
	if c := s.reader.Counts(); len(c.Untraced) != 1 || c.Untraced[0].Method != "C.huge" || !strings.Contains(c.Untraced[0].Why, "64 KB") {
		t.Errorf("untraced: %v", c.Untraced)
	}
	p.Line(`{"number": 0, "class": "C", "method": "again"}` + "\n")
	p.Line(`{"number": 2, "class": "\u0000\ud800` + strings.Repeat("ü", 5000) + `", "method": "\n\u001b[31m"}` + "\n")
	r.Enter(2)
	r.Exit(2)
	r.Enter(0)
	r.Exit(0)
	s.pass()
	hostile := s.got.spans[2].Method
	if len(hostile.Class) > mostName || !utf8.ValidString(hostile.SpanName()) || hostile.Name != "\n\x1b[31m" ||
		s.got.spans[3].Method.Name != "a" {
		t.Errorf("%d bytes, %q, %+v", len(hostile.Class), hostile.Name, s.got.spans[3].Method)
	}
	for i, line := range []string{"{", "{}", `{"number": -1}`, `{"number": 524287}`, `{"number": "x"}`} {
		p.Line(line + "\n")
		s.pass()
		if c := s.reader.Counts(); len(c.Refused) != i+1 || !strings.HasPrefix(c.Refused[i], "jvm-7-00000007/methods: ") {
			t.Errorf("%q: refused %q", line, c.Refused)
		}
	}
}

// More open calls than any program has end the reading.
func TestOpenCallsAreBounded(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	r.Enter(a)
	s.pass()
	s.reader.programs[0].open = mostOpen
	r.Enter(a)
	s.pass()
	s.wantRefused("calls are open at once")
}

// Threads that have no open call are forgotten.
func TestThreadsAreForgotten(t *testing.T) {
	s := newScene(t)
	p := s.program(7)
	a := p.Method("C", "a")
	r := p.Ring(ringtest.Carrier, 1<<20)
	r.Enter(a, 1)
	for thread := range uint64(2 * keptThreads) {
		r.Put(ringtest.Word(p.Now(), a, false), thread+2, ringtest.Word(p.Now(), a, true), thread+2)
	}
	r.Publish()
	s.pass()
	if got := len(s.reader.programs[0].threads); got != 1 {
		t.Errorf("%d threads are kept, want 1", got)
	}
	r.Exit(a, 1)
	s.pass()
	s.wantCounts(2*keptThreads+1, 0, 0, 0)
}
