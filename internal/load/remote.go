// A generator in a process of its own, over package lines: the conductor's side, and the generator's.

package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/record"
)

// protocolVersion must be equal on both sides.
const protocolVersion = 2

// request is the conductor's question: a task, answered with the load when it is done; without one, for the version and the time.
type request struct {
	Task  *Task             `json:"task,omitempty"`
	Files map[string][]byte `json:"files,omitempty"` // by path: what the task names and a generator on another machine lacks
}

// reply is the generator's answer. With an error, Load is the load until then.
type reply struct {
	Version int          `json:"version,omitempty"`
	Clock   int64        `json:"clock,omitempty"` // with Version: ns since 1970
	Load    *record.Load `json:"load,omitempty"`
}

// patienceWithRemote limits a generator's time for immediate answers, and to end.
const patienceWithRemote = 10 * time.Second

// Remote is a generator in a process of its own, which runs Serve.
type Remote struct {
	mu     sync.Mutex // a task at a time
	client *jsonpipe.Client[request, reply]
	name   string          // for errors
	away   bool            // it has no files of this machine
	sent   map[string]file // to one that is away, by path
}

// NewRemote takes over a generator by its stdin and stdout, and checks that it answers.
func NewRemote(in io.WriteCloser, out io.Reader) (*Remote, error) {
	return newRemote("load generator", in, out)
}

func newRemote(name string, in io.WriteCloser, out io.Reader) (*Remote, error) {
	r := &Remote{client: jsonpipe.NewClient[request, reply](in), name: name}
	r.client.Patience = patienceWithRemote
	go r.client.Listen(out, nil)
	if err := r.greet(); err != nil {
		return nil, errors.Join(fmt.Errorf("greeting the %s: %w", name, err), r.Close())
	}
	return r, nil
}

func (r *Remote) greet() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patienceWithRemote, fmt.Errorf("it has not answered for %v", patienceWithRemote))
	defer cancel()
	m, err := r.client.Ask(ctx, request{})
	if err != nil {
		return err
	}
	if m.Version != protocolVersion {
		return fmt.Errorf("it speaks version %d, not %d: both must be the same build of tracetax", m.Version, protocolVersion)
	}
	return nil
}

// Do carries out t. If ctx ends first, it returns the load until then with the error.
func (r *Remote) Do(ctx context.Context, t Task) (record.Load, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	files, as, err := r.files(t)
	if err != nil {
		return record.Load{}, err
	}
	m, err := r.client.Ask(ctx, request{Task: &t, Files: files})
	var l record.Load
	if m.Load != nil {
		l = *m.Load
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return l, fmt.Errorf("the load was given up: %w", err)
	case err != nil:
		return l, fmt.Errorf("%s: %w", r.name, err)
	}
	maps.Copy(r.sent, as)
	return l, nil
}

// Close ends the generator by closing its stdin, and waits until it has closed its stdout. A task under way is given up.
func (r *Remote) Close() error {
	err := r.client.Close()
	select {
	case <-r.client.Gone():
	case <-time.After(patienceWithRemote):
		err = errors.Join(err, fmt.Errorf("it has not ended within %v", patienceWithRemote))
	}
	if err != nil {
		return fmt.Errorf("ending the %s: %w", r.name, err)
	}
	return nil
}

// Doer carries out one task at a time: a generator.
type Doer interface {
	Do(ctx context.Context, t Task) (record.Load, error)
}

// Serve carries out incoming tasks with g, one at a time, by lines.Server.
func Serve(ctx context.Context, in io.Reader, out io.Writer, g Doer) (err error) {
	var working sync.Mutex
	var there desk
	defer func() { err = errors.Join(err, there.clear()) }()
	return jsonpipe.NewServer[request, reply](in, out).Serve(ctx, func(ctx context.Context, r request) (reply, error) {
		if r.Task == nil {
			return reply{Version: protocolVersion, Clock: time.Now().UnixNano()}, nil
		}
		if !working.TryLock() {
			return reply{}, errors.New("a task is under way: cancel it first, or wait")
		}
		defer working.Unlock()
		t, err := there.take(*r.Task, r.Files)
		if err != nil {
			return reply{}, err
		}
		l, err := g.Do(ctx, t)
		return reply{Load: &l}, err
	})
}
