package ring

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/ring/ringtest"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// serve reads a folder, until the test's end.
func serve(t *testing.T, total *tally.Total, folder string) {
	t.Helper()
	r, err := Open(total, folder)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Serve() }()
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func wait(t *testing.T, what string, until func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !until(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// Calls of two programs are spans: roots, services, names and ids are counted as of any other protocol.
func TestCounts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "rings")
	total := tally.New(tally.Config{Checking: true, MaxSpans: 10_000})
	serve(t, total, folder)
	for number, about := range []ringtest.About{{Service: "shop"}, {}, {Resource: map[string]string{"service.name": "cart"}}} {
		p := ringtest.New(t, folder, number+1, about)
		add, pay := p.Method("com.acme.Cart", "add"), p.Method("com.acme.Cart", "pay")
		r := p.Ring(ringtest.Platform, 4096)
		r.Owner(1)
		for range 100 {
			r.Room(32)
			r.Enter(add)
			r.Enter(pay)
			r.Exit(pay)
			r.Exit(add)
		}
		p.Die()
	}
	wait(t, "600 spans", func() bool { return total.Counts().Spans >= 600 })
	c := total.Counts()
	if c.Spans != 600 || c.Roots != 300 || c.Traces != 300 || c.Duplicate != 0 || c.Orphans != 0 || c.Bytes != 9600 || c.Requests != 3 {
		t.Errorf("%+v", c)
	}
	if c.Services["shop"] != 200 || c.Services["cart"] != 200 || c.Services["unknown_service:java"] != 200 || c.RootNames["Cart.add"] != 300 {
		t.Errorf("services %v, roots %v", c.Services, c.RootNames)
	}
	if c.Protocols["ring"] != 3 || c.Kinds["internal"] != 600 || total.InFlight() != 0 {
		t.Errorf("protocols %v, kinds %v, %d in flight", c.Protocols, c.Kinds, total.InFlight())
	}
}

// A sink that loses by order loses of rings too.
func TestLoses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "rings")
	total := tally.New(tally.Config{Lose: 0.25})
	serve(t, total, folder)
	p := ringtest.New(t, folder, 1, ringtest.About{})
	method := p.Method("C", "a")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	for range 400 {
		r.Room(16)
		r.Enter(method)
		r.Exit(method)
	}
	wait(t, "all spans", func() bool { c := total.Counts(); return c.Spans+c.Thrown >= 400 })
	if c := total.Counts(); c.Spans != 300 || c.Thrown != 100 {
		t.Errorf("%d spans, %d thrown away", c.Spans, c.Thrown)
	}
}

// A ring that cannot be read is a refused request, once.
func TestRefuses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "rings")
	total := tally.New(tally.Config{})
	serve(t, total, folder)
	p := ringtest.New(t, folder, 1, ringtest.About{})
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	r.Enter(77)
	wait(t, "the refusal", func() bool { return total.Counts().Malformed > 0 })
	other := p.Ring(ringtest.Platform, 4096)
	method := p.Method("C", "a")
	other.Owner(2)
	other.Enter(method)
	other.Exit(method)
	wait(t, "the other ring", func() bool { return total.Counts().Spans > 0 })
	c := total.Counts()
	for why := range c.Refusals {
		if !strings.Contains(why, "ring-1") || !strings.Contains(why, "method 77") {
			t.Errorf("refused: %q", why)
		}
	}
	if c.Malformed != 1 || len(c.Refusals) != 1 {
		t.Errorf("%d refused: %v", c.Malformed, c.Refusals)
	}
}
