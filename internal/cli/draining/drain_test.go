package draining

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/ring"
	"github.com/tracetax/tracetax/internal/ring/ringtest"
	"github.com/tracetax/tracetax/internal/sink"
)

// session is a run of the command.
type session struct {
	t        *testing.T
	out, err bytes.Buffer
	end      context.CancelFunc // as Ctrl-C does
	ended    chan error
}

func start(t *testing.T, args ...string) *session {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s := &session{t: t, end: end, ended: make(chan error, 1)}
	command := New(console.Streams{In: strings.NewReader(""), Out: &s.out, Err: &s.err})
	command.SetArgs(args)
	command.SetOut(io.Discard)
	command.SetErr(io.Discard)
	go func() { s.ended <- command.ExecuteContext(ctx) }()
	return s
}

// want waits for the end, and compares the last line, and the error's words.
func (s *session) want(line string, words ...string) {
	s.t.Helper()
	var err error
	select {
	case err = <-s.ended:
	case <-time.After(30 * time.Second):
		s.t.Fatal("the command does not end")
	}
	s.end()
	if (err != nil) != (len(words) > 0) {
		s.t.Fatalf("error %v, want %q", err, words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			s.t.Errorf("error %v lacks %q", err, w)
		}
	}
	if got := strings.TrimSpace(s.out.String()); got != line {
		s.t.Errorf("the last line is\n%s, want\n%s\nstderr: %s", got, line, s.err.String())
	}
}

const noWaits = "0 waits, 0.000 s waited, longest 0.000 s"

// calls writes a tree of ten calls, n times.
func calls(r *ringtest.Ring, method, n int) {
	for range n {
		r.Room(160)
		for range 10 {
			r.Enter(method)
		}
		for range 10 {
			r.Exit(method)
		}
	}
}

func scene(t *testing.T, number int) (folder string, p *ringtest.Program, r *ringtest.Ring, method int) {
	folder = filepath.Join(t.TempDir(), "rings")
	p, r, method = programIn(t, folder, number)
	return folder, p, r, method
}

func programIn(t *testing.T, folder string, number int) (*ringtest.Program, *ringtest.Ring, int) {
	p := ringtest.New(t, folder, number, ringtest.About{Service: fmt.Sprint("shop", number)})
	method := p.Method("com.acme.Cart", "add")
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	return p, r, method
}

// What programs wrote before they were killed is counted; then nothing of them is left.
func TestCountUntilEmpty(t *testing.T) {
	folder, one, first, method := scene(t, 1)
	two, other, otherMethod := programIn(t, folder, 2)
	calls(first, method, 3)
	calls(other, otherMethod, 2)
	other.Enter(otherMethod)
	one.LeftOut(4)
	other.Set(200, 2)
	other.Set(208, 5_000_000)
	other.Set(216, 4_000_000)
	other.Exit(otherMethod)
	other.Exit(otherMethod)
	other.Enter(otherMethod)
	one.Die()
	two.Die()
	start(t, folder, "--count", "--until-empty").want(
		"drained 52 spans of 52, 4 left out, 1 torn, 1 unfinished, 2 waits, 0.005 s waited, longest 0.004 s")
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 || left[0].Name() != "reader" {
		t.Errorf("%v is left, %v", left, err)
	}
	start(t, folder, "--count", "--until-empty").want("drained 0 spans of 0, 0 left out, 0 torn, 0 unfinished, " + noWaits)
}

// Spans of programs that write while they are read arrive at a sink, all of them, by either transport.
func TestDeliver(t *testing.T) {
	for _, way := range []struct {
		flag string
		name protocol.Name
	}{{"--otlp-http", protocol.OTLPHTTP}, {"--otlp-grpc", protocol.OTLPGRPC}} {
		t.Run(way.flag, func(t *testing.T) {
			server, err := sink.Start(sink.Config{Listen: protocol.Addresses{way.name: "127.0.0.1:0"}, Checking: true})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close() // it was asked for all
			folder, one, first, method := scene(t, 1)
			two, other, otherMethod := programIn(t, folder, 2)
			s := start(t, folder, way.flag, "http://"+server.Addresses()[way.name], "--until-empty")
			var writing sync.WaitGroup
			writing.Go(func() { calls(first, method, 500); one.Die() })
			writing.Go(func() { calls(other, otherMethod, 300); two.Die() })
			writing.Wait()
			s.want("drained 8000 spans of 8000, 0 left out, 0 torn, 0 unfinished, " + noWaits)
			c := server.Snapshot().Counts
			if c.Spans != 8000 || c.Roots != 800 || c.Duplicate != 0 || c.Orphans != 0 || c.Traces != 800 {
				t.Errorf("%+v", c)
			}
			if c.Services["shop1"] != 5000 || c.Services["shop2"] != 3000 || c.RootNames["Cart.add"] != 800 {
				t.Errorf("services %v, roots %v", c.Services, c.RootNames)
			}
		})
	}
}

// Asked to end, the command reads once more, and leaves what lives.
func TestEnds(t *testing.T) {
	folder, p, to, method := scene(t, 1)
	s := start(t, folder, "--count")
	calls(to, method, 100)
	to.Enter(method)
	for to.Read() == 0 {
		time.Sleep(time.Millisecond)
	}
	s.end()
	s.want("drained 1000 spans of 1000, 0 left out, 0 torn, 0 unfinished, " + noWaits)
	if _, err := os.Stat(filepath.Join(p.Dir, "about.json")); err != nil {
		t.Errorf("the folder of a program that lives: %v", err)
	}
}

// While nobody takes spans, rings stay full; what is not delivered is said by the exit status, and nothing of it is deleted.
func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // nobody listens there now
	folder, p, to, method := scene(t, 1)
	calls(to, method, 2)
	p.Die()
	s := start(t, folder, "--otlp-http", address, "--patience", "100ms")
	for to.Read() == 0 {
		time.Sleep(time.Millisecond)
	}
	s.end()
	s.want("drained 0 spans of 20, 0 left out, 0 torn, 0 unfinished, "+noWaits, "20 spans were not delivered", "refused")
	if _, err := os.Stat(to.Path); err != nil {
		t.Errorf("a ring whose spans were not delivered: %v", err)
	}
}

// What cannot be read is named, and is why the command fails.
func TestRefuses(t *testing.T) {
	folder, p, to, method := scene(t, 1)
	calls(to, method, 1)
	p.Ring(ringtest.Platform, 4096).Set(0, 7)
	p.Die()
	start(t, folder, "--count", "--until-empty").want(
		"drained 10 spans of 10, 0 left out, 0 torn, 0 unfinished, "+noWaits, "jvm-1-00000001/ring-2", "no ring")
}

// Wrong usage says what is right.
func TestUsage(t *testing.T) {
	for _, name := range []string{"ENDPOINT", "TRACES_ENDPOINT"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
	}
	folder := filepath.Join(t.TempDir(), "rings")
	start(t, folder).want("", "--otlp-http", "OTEL_EXPORTER_OTLP_ENDPOINT", "--count")
	start(t, folder, "--count", "--otlp-http", "x:1").want("", "--count sends spans nowhere")
	start(t, folder, "more", "--count").want("", "accepts at most 1 arg")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	start(t, folder, "--count").want("", "others may write there", "chmod 700")
}

// late is an outlet that is asked to end while it takes the first spans, when more are written.
type late struct {
	*counter
	first func()
}

func (l *late) Take(p *ring.Program, spans []ring.Span) error {
	if l.first != nil {
		l.first()
		l.first = nil
	}
	return l.counter.Take(p, spans)
}

// What was written before the end was asked for is read, also where a pass was under way then.
func TestLastPass(t *testing.T) {
	folder, _, to, method := scene(t, 1)
	calls(to, method, 1)
	r, err := ring.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() // it was only read
	ctx, end := context.WithCancel(t.Context())
	out := &late{&counter{settled: map[*ring.Program]uint64{}}, func() { calls(to, method, 2); end() }}
	if err := drain(ctx, r, out, func(ring.Progress) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if out.spans != 30 {
		t.Errorf("%d spans were read, want 30", out.spans)
	}
}
