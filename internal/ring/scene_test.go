package ring

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/ring/ringtest"
)

// collector keeps the spans that it takes.
type collector struct {
	spans     []Span
	programs  map[string]*Program
	forgotten []string
	holds     bool  // it settles nothing
	fails     error // what Take returns
	settled   map[string]uint64
}

func (c *collector) Take(p *Program, spans []Span) error {
	if c.fails != nil {
		return c.fails
	}
	if c.programs == nil {
		c.programs, c.settled = map[string]*Program{}, map[string]uint64{}
	}
	c.programs[p.Name] = p
	c.settled[p.Name] += uint64(len(spans))
	c.spans = append(c.spans, spans...)
	return nil
}

func (c *collector) Rest() error { return nil }

func (c *collector) Settled(p *Program) uint64 {
	if c.holds {
		return 0
	}
	return c.settled[p.Name]
}

func (c *collector) Forget(p *Program) { c.forgotten = append(c.forgotten, p.Name) }

// text returns the spans in the order in which they came: name, depth, order.
func (c *collector) text() string {
	var b strings.Builder
	for _, s := range c.spans {
		b.WriteString(s.Method.Name)
		b.WriteByte("0123456789"[s.Depth%10])
		b.WriteByte("0123456789"[s.Order%10])
		if s.Unfinished {
			b.WriteByte('!')
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// scene is a folder of rings, its reader and what came of it.
type scene struct {
	*testing.T
	folder string
	reader *Reader
	got    *collector
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{T: t, folder: filepath.Join(t.TempDir(), "rings"), got: &collector{}}
	s.open()
	t.Cleanup(func() { _ = s.reader.Close() })
	return s
}

func (s *scene) open() {
	s.Helper()
	var err error
	if s.reader, err = Open(s.folder); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) program(number int) *ringtest.Program {
	s.Helper()
	s.reader.scanAt = 0
	return ringtest.New(s, s.folder, number, ringtest.About{Service: "shop"})
}

// pass makes a pass that looks at everything.
func (s *scene) pass() Progress {
	s.Helper()
	s.reader.scanAt = 0
	for _, p := range s.reader.programs {
		p.listAt = 0
	}
	got, err := s.reader.Pass(s.got)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

// end makes passes until no program is left.
func (s *scene) end() {
	s.Helper()
	s.pass()
	for end := time.Now().Add(20 * time.Second); s.reader.Counts().Live > 0; s.pass() {
		if time.Now().After(end) {
			s.Fatal("the reader does not come to the end")
		}
	}
}

func (s *scene) wantSpans(want string) {
	s.Helper()
	if got := s.got.text(); got != want {
		s.Fatalf("spans %q, want %q (refused: %q)", got, want, s.reader.Counts().Refused)
	}
}

// wantCounts compares the counts of spans.
func (s *scene) wantCounts(spans, unfinished, torn, leftOut uint64) {
	s.Helper()
	c := s.reader.Counts()
	if c.Spans != spans || c.Unfinished != unfinished || c.Torn != torn || c.LeftOut != leftOut {
		s.Fatalf("%d spans, %d unfinished, %d torn, %d left out; want %d, %d, %d, %d (refused: %q)",
			c.Spans, c.Unfinished, c.Torn, c.LeftOut, spans, unfinished, torn, leftOut, c.Refused)
	}
}

// wantRefused wants one refusal, that holds all these words.
func (s *scene) wantRefused(words ...string) {
	s.Helper()
	c := s.reader.Counts()
	if len(c.Refused) != 1 {
		s.Fatalf("%d refusals, want 1: %q", len(c.Refused), c.Refused)
	}
	for _, w := range words {
		if !strings.Contains(c.Refused[0], w) {
			s.Fatalf("refused %q, which lacks %q", c.Refused[0], w)
		}
	}
}
