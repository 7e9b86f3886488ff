package afar

// The conductor's side: runs are made as orders come.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/usage/node"
)

// Options are what a conductor has of its own machine.
type Options struct {
	Build   string   // of this tracetax
	Self    []string // command that runs it, for its agents
	Folder  string   // for what runs leave; it is emptied as they come over
	Address string   // at which pods reach this machine
	Silence time.Duration
}

// harness is a conductor that is driven over a stream.
type harness struct {
	options   Options
	talk      *jsonpipe.Server[Order, Said]
	conductor *run.Conductor
	meter     *node.Client // of the node; nil: programs are processes of this machine, or each pod has its own
	beside    string       // port of the meter in each pod
	token     string       // by which that knows the conductor
	gone      chan struct{}
	shelf     shelf

	mu   sync.Mutex
	pods map[uint64]*pod
	last uint64 // ID of a pod
}

// Serve makes runs as orders come, until in ends, which is no error; or nothing comes any more for a minute; or ctx ends. What is
// under way is then given up.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) (err error) {
	if o.Silence == 0 {
		o.Silence = silence
	}
	ctx, stop := context.WithCancelCause(ctx)
	h := &harness{
		options: o, talk: jsonpipe.NewServer[Order, Said](in, out), gone: make(chan struct{}), pods: map[uint64]*pod{},
		conductor: &run.Conductor{Self: o.Self, Results: o.Folder, Logs: filepath.Join(o.Folder, record.LogsFolder), Accounting: process.AccountingAuto},
	}
	h.conductor.Unplaced()
	defer func() { err = errors.Join(err, h.shelf.close()) }()
	var working sync.WaitGroup
	defer working.Wait()
	defer close(h.gone) // no pod is waited for any more
	defer stop(nil)
	orders, ended := make(chan jsonpipe.Line[Order]), make(chan error, 1)
	go func() { ended <- h.pass(ctx, orders) }()
	alive := time.NewTimer(o.Silence)
	defer alive.Stop()
	cancels := map[uint64]context.CancelFunc{}
	for {
		select {
		case l := <-orders:
			alive.Reset(o.Silence)
			switch cancel := cancels[l.ID]; {
			case l.ID == 0:
				h.hear(l.Body)
			case l.Cancel && cancel != nil:
				cancel()
			case !l.Cancel:
				within, cancel := context.WithCancel(ctx)
				cancels[l.ID] = cancel
				working.Go(func() {
					defer cancel()
					said, err := h.do(within, l.Body)
					if err := h.talk.Answer(l, said, err); err != nil {
						stop(err)
					}
				})
			}
		case err := <-ended:
			return err
		case <-alive.C:
			return errSilent
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pass passes orders on until in ends, which is no error, or ctx does.
func (h *harness) pass(ctx context.Context, to chan<- jsonpipe.Line[Order]) error {
	for {
		l, err := h.talk.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case to <- l:
		case <-ctx.Done():
			return nil
		}
	}
}

// hear takes in what is not answered.
func (h *harness) hear(o Order) {
	switch {
	case o.Pod != nil:
		if p := h.pod(o.Pod.ID); p != nil {
			p.hear(*o.Pod)
		}
	case o.Output != nil:
		if p := h.pod(o.Output.ID); p != nil {
			p.wrote(o.Output.Text)
		}
	case o.Piece != nil:
		_ = h.shelf.take(*o.Piece, h.options.Address) // the last piece tells
	}
}

func (h *harness) do(ctx context.Context, o Order) (said Said, err error) {
	switch {
	case o.Setup != nil:
		said.Host, err = h.setUp(ctx, *o.Setup)
	case o.Piece != nil:
		err = h.shelf.take(*o.Piece, h.options.Address)
	case len(o.Block) > 0:
		said.Records, err = h.make(ctx, o.Block)
		err = errors.Join(err, h.send())
	default:
		err = errors.New("the order asks for nothing that this tracetax knows")
	}
	return said, err
}

func (h *harness) setUp(ctx context.Context, s Setup) (*Host, error) {
	if s.Build != h.options.Build {
		return nil, fmt.Errorf("the conductor is tracetax %s, and this is %s: both have to be one build", h.options.Build, s.Build)
	}
	if s.Meter != "" {
		host, port, err := net.SplitHostPort(s.Meter)
		if err != nil {
			return nil, fmt.Errorf("setting up the meter: %w", err)
		}
		if h.token = s.Token; host == "" {
			h.beside = port
		} else if h.meter, err = dial(ctx, s.Meter, s.Token); err != nil {
			return nil, err
		}
		h.conductor.Target = func(l *process.Launcher, q run.Request) run.Target {
			return &target{harness: h, launcher: l, plan: q.Plan, folders: q.Folders}
		}
	}
	if err := h.generate(ctx, s); err != nil {
		return nil, err
	}
	return &Host{Build: h.options.Build, Facts: machine.Read()}, nil
}

// generate has the load of runs made by generators in pods of their own, if there are some: each run has its own connections with them.
func (h *harness) generate(ctx context.Context, s Setup) error {
	if len(s.Generators) == 0 {
		return nil
	}
	h.conductor.Generators = func(ctx context.Context) (load.Spread, error) { return connect(ctx, s.Generators, s.Token) }
	tried, err := h.conductor.Generators(ctx)
	if err != nil {
		return err
	}
	return tried.Close()
}

// connect connects a run with all generators, in their order, or with none.
func connect(ctx context.Context, to []Generator, token string) (all load.Spread, err error) {
	found, errs := make([]*load.Remote, len(to)), make([]error, len(to))
	var connecting sync.WaitGroup
	for i, g := range to {
		connecting.Go(func() {
			name := fmt.Sprintf("load generator of pod %s on node %s", g.Pod, g.Node)
			found[i], errs[i] = patiently(ctx, func() (*load.Remote, error) { return load.Connect(ctx, name, g.Address, token) })
		})
	}
	connecting.Wait()
	for i, one := range found {
		if errs[i] == nil {
			all = append(all, one)
		}
	}
	if err := cmp.Or(errs...); err != nil { // of many the first: they are alike
		return nil, errors.Join(err, all.Close())
	}
	return all, nil
}

// dial connects with the meter at an address.
func dial(ctx context.Context, address, token string) (*node.Client, error) {
	return patiently(ctx, func() (*node.Client, error) { return node.Dial(ctx, address, token) })
}

// listenPatience is for an agent to listen, once its container runs.
const listenPatience = 20 * time.Second

// patiently connects with an agent, which may still begin to listen.
func patiently[A any](ctx context.Context, connect func() (A, error)) (agent A, err error) {
	ctx, cancel := context.WithTimeout(ctx, listenPatience)
	defer cancel()
	again := jitter.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		if agent, err = connect(); err == nil {
			return agent, nil
		}
		select {
		case <-again.C:
			again.Next()
		case <-ctx.Done():
			return agent, err
		}
	}
}

// make makes runs: one by itself, or several together.
func (h *harness) make(ctx context.Context, requests []run.Request) ([]record.Record, error) {
	if len(requests) > 1 {
		return h.conductor.Block(ctx, requests)
	}
	one, err := h.conductor.Run(ctx, requests[0])
	return []record.Record{one}, err
}

// send sends all files that runs left, and removes them.
func (h *harness) send() error {
	return filepath.WalkDir(h.options.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(h.options.Folder, path)
		if err != nil {
			return err
		}
		if err := h.sendFile(path, filepath.ToSlash(name)); err != nil {
			return fmt.Errorf("sending what a run left: %w", err)
		}
		return os.Remove(path)
	})
}

func (h *harness) sendFile(path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	piece := make([]byte, pieces)
	for first := true; ; first = false {
		n, err := io.ReadFull(f, piece)
		if n > 0 || first {
			if err := h.talk.Tell(Said{File: &File{Path: name, Text: piece[:n], First: first}}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
