// The two sides of the protocol against each other, over pipes as between processes.

package load_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/engine"
)

// pair starts Serve and returns the conductor's end and what Serve returns.
func pair(t *testing.T) (*load.Remote, <-chan error) {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		err := serve(context.Background(), inR, outW)
		ended <- errors.Join(err, outW.Close(), inR.Close())
	}()
	r, err := load.NewRemote(inW, outR)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { outR.Close() })
	return r, ended
}

// serve is Serve with a generator of its own.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	g, err := engine.NewGenerator()
	if err != nil {
		return err
	}
	defer g.Close()
	return load.Serve(ctx, in, out, g)
}

func httpServer(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestRemote(t *testing.T) {
	addr := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	r, ended := pair(t)
	task := load.Task{Operations: []load.Request{{Address: addr, Body: []byte("\x00\xff")}}, Count: 25, Connections: 2}
	for range 2 {
		if l, err := r.Do(t.Context(), task); err != nil || l.Completed != 25 || l.Intended != 25 {
			t.Fatalf("%+v, %v", l, err)
		}
	}
	if _, err := r.Do(t.Context(), load.Task{}); err == nil || !strings.Contains(err.Error(), "no operations") {
		t.Errorf("a task without operations: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := r.Do(t.Context(), task); err == nil {
		t.Error("a task after Close is no error")
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestRemoteCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	r, _ := pair(t)
	defer r.Close()
	l, err := r.Do(ctx, load.Task{Operations: []load.Request{{Address: addr}}, Duration: time.Hour})
	if !errors.Is(err, context.Canceled) || l.Errors["cancelled"] != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	ok := httpServer(t, func(http.ResponseWriter, *http.Request) {})
	if l, err := r.Do(context.Background(), load.Task{Operations: []load.Request{{Address: ok}}, Count: 2}); err != nil || l.Completed != 2 {
		t.Errorf("after a cancelled task: %+v, %v", l, err)
	}
}

// The conductor's end closes while a task is under way: the generator gives up.
func TestServeEndsWithItsInput(t *testing.T) {
	seen := make(chan struct{})
	addr := httpServer(t, func(_ http.ResponseWriter, r *http.Request) {
		close(seen)
		<-r.Context().Done()
	})
	r, ended := pair(t)
	failed := make(chan error, 1)
	go func() {
		_, err := r.Do(context.Background(), load.Task{Operations: []load.Request{{Address: addr}}, Count: 1, Timeout: load.MaxTimeout})
		failed <- err
	}()
	<-seen
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, jsonpipe.ErrGone) {
		t.Errorf("the task under way: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// What is no request ends the generator; that nothing is asked any more ends it too.
func TestServeOfNonsense(t *testing.T) {
	for in, want := range map[string]string{"GET / HTTP/1.1\n": "reading the line", "": ""} {
		var out strings.Builder
		err := serve(t.Context(), strings.NewReader(in), &out)
		if out.String() != "" || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want %q", in, out.String(), err, want)
		}
	}
}

func TestRemoteOfWhatIsNoGenerator(t *testing.T) {
	for _, text := range []string{"", "hello\n", `{"id":1,"body":{"version":99}}` + "\n"} {
		if _, err := load.NewRemote(discard{}, strings.NewReader(text)); err == nil {
			t.Errorf("%q passes for a generator", text)
		}
	}
}

// discard is a stdin that nobody reads.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func (discard) Close() error { return nil }
