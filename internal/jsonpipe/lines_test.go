package jsonpipe

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// both are the two sides of a conversation over pipes, as between processes, and what the other side ends with.
func both(t *testing.T, do func(context.Context, string) (string, error)) (*Client[string, string], *Server[string, string], <-chan error) {
	t.Helper()
	inR, inW := pipe(t)
	outR, outW := pipe(t)
	c, s, ended := NewClient[string, string](inW), NewServer[string, string](inR, outW), make(chan error, 1)
	go c.Listen(outR, nil)
	go func() { ended <- errors.Join(s.Serve(context.Background(), do), outW.Close()) }()
	t.Cleanup(func() { _ = c.Close() })
	return c, s, ended
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// Each request gets its own answer, whichever is answered first.
func TestAnswersAreOfTheirRequests(t *testing.T) {
	first := make(chan struct{})
	c, _, ended := both(t, func(_ context.Context, q string) (string, error) {
		switch q {
		case "late":
			<-first
		case "bad":
			return "half", errors.New("it is bad")
		}
		return "to " + q, nil
	})
	late := make(chan string, 1)
	go func() {
		a, err := c.Ask(t.Context(), "late")
		late <- strings.Join([]string{a, errorText(err)}, "|")
	}()
	for range 3 {
		if a, err := c.Ask(t.Context(), "early"); a != "to early" || err != nil {
			t.Fatalf("%q, %v", a, err)
		}
	}
	var refused *Error
	if a, err := c.Ask(t.Context(), "bad"); a != "half" || !errors.As(err, &refused) || refused.Text != "it is bad" {
		t.Errorf("of what could not be done whole: %q, %v", a, err)
	}
	close(first)
	if got := <-late; got != "to late|" {
		t.Errorf("the late answer: %q", got)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Errorf("closing it twice: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the end of the requests is the error %v", err)
	}
	<-c.Gone()
	if _, err := c.Ask(t.Context(), "more"); err == nil {
		t.Error("after the end there is an answer")
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A request that is given up is answered with what was done until then, where there is patience with that; otherwise its answer
// is passed over.
func TestGivenUp(t *testing.T) {
	for _, patience := range []time.Duration{0, time.Minute} {
		begun, over := make(chan struct{}, 1), make(chan struct{})
		c, _, _ := both(t, func(ctx context.Context, q string) (string, error) {
			if q != "long" {
				return q, nil
			}
			begun <- struct{}{}
			select {
			case <-ctx.Done():
				return "a part", ctx.Err()
			case <-over:
				return "all", nil
			}
		})
		c.Patience = patience
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		want := map[bool]string{false: "", true: "a part"}[patience > 0]
		if a, err := c.Ask(ctx, "long"); a != want || !errors.Is(err, context.Canceled) {
			t.Errorf("patience %v: %q, %v; want %q", patience, a, err, want)
		}
		close(over)
		if a, err := c.Ask(t.Context(), "next"); a != "next" || err != nil {
			t.Errorf("patience %v: the next answer is %q, %v", patience, a, err)
		}
		if len(c.waiting) != 0 {
			t.Errorf("patience %v: %d are still waited for", patience, len(c.waiting))
		}
	}
}

// Where the requests end, what is under way is given up, and its answer thrown away.
func TestEndOfRequests(t *testing.T) {
	begun := make(chan struct{})
	c, _, ended := both(t, func(ctx context.Context, _ string) (string, error) {
		close(begun)
		<-ctx.Done()
		return "too late", nil
	})
	asked := make(chan error, 1)
	go func() { _, err := c.Ask(context.Background(), "long"); asked <- err }()
	<-begun
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the other side ended with %v", err)
	}
	if err := <-asked; !errors.Is(err, ErrGone) {
		t.Errorf("what was under way: %v", err)
	}
}

// Events come in their order, with answers among them; a process that dies, or says nonsense, is gone.
func TestEventsAndDeath(t *testing.T) {
	for last, why := range map[string]string{"": "", "nonsense\n": "reading the line", `{"id":1,"bo`: "reading the line"} {
		inR, inW := pipe(t)
		outR, outW := pipe(t)
		c, s := NewClient[string, string](inW), NewServer[string, string](inR, outW)
		var events []string
		go c.Listen(outR, func(e string) { events = append(events, e) })
		asked := make(chan string, 1)
		go func() {
			a, err := c.Ask(context.Background(), "how are you")
			asked <- a + errorText(err)
		}()
		request, err := s.Next()
		if err != nil || request.Body != "how are you" {
			t.Fatalf("%+v, %v", request, err)
		}
		if err := errors.Join(s.Tell("one"), s.Answer(request, "well", nil), s.Tell("two"), s.Answer(Line[string]{Body: "an order"}, "nobody asked", nil)); err != nil {
			t.Fatal(err)
		}
		if got := <-asked; got != "well" {
			t.Errorf("the answer is %q", got)
		}
		if _, err := io.WriteString(outW, last); err != nil {
			t.Fatal(err)
		}
		outW.Close()
		<-c.Gone()
		if got := strings.Join(events, " "); got != "one two" {
			t.Errorf("events: %q", got)
		}
		_, err = c.Ask(t.Context(), "and now")
		if !errors.Is(err, ErrGone) || why != "" && !strings.Contains(err.Error(), why) {
			t.Errorf("after %q: %v", last, err)
		}
	}
}

// A request that cannot be understood ends the other side, which cannot know what else it missed.
func TestNonsenseEndsTheServer(t *testing.T) {
	for text, want := range map[string]string{"": "", "\n": "reading the line", "{}}\n": "reading the line", `{"id":-1}`: "reading the line"} {
		err := NewServer[string, string](strings.NewReader(text), io.Discard).Serve(t.Context(), func(context.Context, string) (string, error) { return "", nil })
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	silent, w := pipe(t)
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewServer[string, string](silent, io.Discard).Serve(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("where ctx has ended: %v", err)
	}
}
