package ring

import (
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/ring/ringtest"
)

// nothing takes spans and forgets them.
type nothing struct{ spans uint64 }

func (n *nothing) Take(_ *Program, spans []Span) error { n.spans += uint64(len(spans)); return nil }
func (n *nothing) Rest() error                         { return nil }
func (n *nothing) Settled(*Program) uint64             { return n.spans }

func (n *nothing) Forget(*Program) {}

// BenchmarkRead reads rings of 4 MiB, calls of depth ten: an operation is a span.
func BenchmarkRead(b *testing.B) { ringtest.BenchmarkCalls(b, &nothing{}, passOf) }

// passOf opens the folder, and returns what reads it once.
func passOf(folder string, h *nothing) (func() error, func() error, error) {
	r, err := Open(folder)
	if err != nil {
		return nil, nil, err
	}
	return func() error { _, err := r.Pass(h); return err }, r.Close, nil
}

// BenchmarkIdle makes passes in which nothing comes, each with a look for new programs and rings: an operation is a pass.
func BenchmarkIdle(b *testing.B) {
	folder := filepath.Join(b.TempDir(), "rings")
	p := ringtest.New(b, folder, 7, ringtest.About{})
	for thread := range uint64(10) {
		p.Ring(ringtest.Platform, 65536).Owner(thread)
	}
	r, err := Open(folder)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	for b.Loop() {
		r.scanAt = 0
		for _, p := range r.programs {
			p.listAt = 0
		}
		if _, err := r.Pass(&nothing{}); err != nil {
			b.Fatal(err)
		}
	}
}
