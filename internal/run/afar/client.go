package afar

// The side of the experiment: it has runs made, and pods for them.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// Pods makes pods for a conductor. Its methods return at once; what becomes of pods is told to the client.
type Pods interface {
	Make(Pod)
	End(End)
}

// Client has runs made by a conductor elsewhere, as run.Conductor makes them here.
type Client struct {
	talk   *jsonpipe.Client[Order, Said]
	folder string
	pods   Pods

	brought map[string]bool // folders that the conductor has, by name; blocks are made one after the other

	mu     sync.Mutex
	failed error // to keep what a run left
}

// patience is for the end of runs that were given up: their programs get their time to stop.
const patience = 90 * time.Second

// NewClient talks with a conductor: in takes what it reads, out is what it writes. The files that runs leave go to the results
// folder. Signs of life are given until ctx ends.
func NewClient(ctx context.Context, in io.WriteCloser, out io.Reader, folder string, pods Pods) *Client {
	c := &Client{talk: jsonpipe.NewClient[Order, Said](in), folder: folder, pods: pods, brought: map[string]bool{}}
	c.talk.Patience = patience
	go c.talk.Listen(out, c.hear)
	go c.live(ctx)
	return c
}

// live gives signs of life.
func (c *Client) live(ctx context.Context) {
	again := time.NewTicker(beat)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			if c.talk.Tell(Order{Beat: true}) != nil {
				return // whoever waits for an answer hears that the conductor is gone
			}
		case <-c.talk.Gone():
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *Client) hear(s Said) {
	switch {
	case s.Make != nil:
		c.pods.Make(*s.Make)
	case s.End != nil:
		c.pods.End(*s.End)
	case s.File != nil:
		if err := keep(c.folder, *s.File); err != nil {
			c.mu.Lock()
			c.failed = errors.Join(c.failed, fmt.Errorf("keeping what a run left: %w", err))
			c.mu.Unlock()
		}
	}
}

// keep adds a piece to a file of the results folder.
func keep(folder string, f File) error {
	root, err := os.OpenRoot(folder) // no path leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	path := filepath.FromSlash(f.Path)
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	how := os.O_APPEND
	if f.First {
		how = os.O_TRUNC
	}
	file, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|how, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Text)
	return errors.Join(err, file.Close())
}

// Setup tells the conductor what it has to know, and returns where it runs.
func (c *Client) Setup(ctx context.Context, s Setup) (Host, error) {
	said, err := c.talk.Ask(ctx, Order{Setup: &s})
	if err != nil {
		return Host{}, fmt.Errorf("setting up the conductor: %w", err)
	}
	if said.Host == nil {
		return Host{}, errors.New("setting up the conductor: it says nothing of where it runs")
	}
	return *said.Host, nil
}

// Tell tells what has become of a pod, or what it wrote.
func (c *Client) Tell(o Order) error { return c.talk.Tell(o) }

// Gone is closed when the conductor can't be talked with any more.
func (c *Client) Gone() <-chan struct{} { return c.talk.Gone() }

// Run makes one run, as run.Conductor does.
func (c *Client) Run(ctx context.Context, q run.Request) (record.Record, error) {
	all, err := c.Block(ctx, []run.Request{q})
	if err != nil {
		return record.Record{}, err
	}
	return all[0], nil
}

// Block makes the runs of a block together, as run.Conductor does.
func (c *Client) Block(ctx context.Context, requests []run.Request) ([]record.Record, error) {
	sent := make([]run.Request, len(requests))
	for i, q := range requests {
		q.Causes = nil // nothing is profiled
		if c.pods != nil && q.Folders.Tracer != "" {
			name := nameOf(q.Folders.Tracer)
			if err := c.bring(ctx, name, q.Folders.Tracer); err != nil {
				return nil, err
			}
			q.Folders.Tracer = mounted + name
		}
		sent[i] = q
	}
	said, err := c.talk.Ask(ctx, Order{Block: sent})
	c.mu.Lock()
	failed := c.failed
	c.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), failed)
	case err != nil:
		return nil, errors.Join(fmt.Errorf("having runs made by the conductor: %w", err), failed)
	case failed != nil:
		return nil, failed
	case len(said.Records) != len(requests):
		return nil, fmt.Errorf("having runs made by the conductor: %d were asked for, and it made %d", len(requests), len(said.Records))
	}
	return said.Records, nil
}

// bring sends a folder to the conductor, once.
func (c *Client) bring(ctx context.Context, name, folder string) error {
	if c.brought[name] {
		return nil
	}
	r, w := io.Pipe()
	defer r.Close()
	go func() { w.CloseWithError(Pack(w, folder)) }()
	text := make([]byte, pieces)
	for {
		n, err := io.ReadFull(r, text)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return fmt.Errorf("packing the files of a tracer, %s: %w", folder, err)
		}
		piece := Order{Piece: &Piece{Folder: name, Text: text[:n], Last: last}}
		if last {
			_, err = c.talk.Ask(ctx, piece)
			c.brought[name] = err == nil
		} else {
			err = c.talk.Tell(piece)
		}
		if err != nil {
			return fmt.Errorf("sending the files of a tracer, %s, to the conductor: %w", folder, err)
		}
		if last {
			return nil
		}
	}
}

// Close ends the conductor.
func (c *Client) Close() error { return c.talk.Close() }
