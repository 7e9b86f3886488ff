// Package node owns the meter of a node: it reads the cgroups of containers that others started, for a conductor that asks over
// TCP and knows a token. It must not know pods, nor who asks and what for.
package node

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/usage"
)

// question asks for the reading of a container; the first one on a connection has the token.
type question struct {
	Token     string `json:"token,omitempty"`
	Container string `json:"container,omitempty"` // ID; "": nothing is read
}

// Reading is what a container has used until a moment.
type Reading struct {
	At        time.Time     `json:"at"`
	Since     time.Time     `json:"since"` // its cgroup was made then, shortly before its program began
	CPU       time.Duration `json:"cpu"`
	System    time.Duration `json:"system"`
	Throttled time.Duration `json:"throttled"`
	Memory    uint64        `json:"memory"` // bytes, as a sample has it
	Source    string        `json:"source"` // of the CPU time; see record.Usage
	Gone      bool          `json:"gone,omitempty"`
}

// Counters returns the reading as a meter has it.
func (r Reading) Counters() readings.Counters {
	return readings.Counters{
		At: r.At, CPU: r.CPU, System: r.System, Throttled: r.Throttled, Source: r.Source, Unread: []string{"context_switches"},
	}
}

// Meter reads containers. Its methods may be called from several goroutines.
type Meter struct {
	root   string // the folder of the node's cgroups
	beside bool   // its containers share this process's namespace of processes

	mu    sync.Mutex
	found map[string]group // by container
}

type group struct {
	at    map[string]string
	since time.Time
}

// New returns a meter of the cgroups below a folder, such as /sys/fs/cgroup.
func New(root string) *Meter { return &Meter{root: root, found: map[string]group{}} }

// Read reads a container.
func (m *Meter) Read(container string) (Reading, error) {
	if !containerID.MatchString(container) {
		return Reading{}, fmt.Errorf("reading container %.20q: that is no ID of a container", container)
	}
	if m.beside {
		return m.readBeside(container)
	}
	of, err := m.groupOf(container)
	if err != nil {
		return Reading{}, err
	}
	r, memory, err := usage.OfGroup(of.at)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) { // it may go between the opening of a file and its reading
		return Reading{}, &GoneError{container}
	}
	if err != nil {
		return Reading{}, fmt.Errorf("reading container %.12s: %w", container, err)
	}
	return readingOf(r, memory, of.since), nil
}

func readingOf(r readings.Counters, memory uint64, since time.Time) Reading {
	return Reading{At: r.At, Since: since, CPU: r.CPU, System: r.System, Throttled: r.Throttled, Memory: memory, Source: r.Source}
}

func (m *Meter) groupOf(container string) (group, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of, known := m.found[container]; known {
		return of, nil
	}
	at, err := find(m.root, container)
	if err != nil {
		return group{}, err
	}
	dir := at["unified"]
	if dir == "" {
		dir = at["cpuacct"]
	}
	info, err := os.Stat(dir)
	if err != nil {
		return group{}, &GoneError{container}
	}
	m.found[container] = group{at, info.ModTime()}
	return m.found[container], nil
}

// Serve answers on l until ctx ends. A connection whose first question lacks the token is closed.
func (m *Meter) Serve(ctx context.Context, l net.Listener, token string) error {
	return jsonpipe.Accept(ctx, l, func(_ context.Context, c net.Conn) { m.answer(c, token) })
}

// answer answers one conductor until it goes away, or says what is not understood.
func (m *Meter) answer(c net.Conn, token string) {
	s := jsonpipe.NewServer[question, Reading](c, c)
	admitted := false
	for {
		q, err := s.Next()
		if err != nil {
			return
		}
		admitted = admitted || subtle.ConstantTimeCompare([]byte(q.Body.Token), []byte(token)) == 1
		if !admitted {
			return
		}
		r := Reading{}
		if !m.beside {
			r.Source = version(m.root)
		}
		if q.Body.Container != "" {
			r, err = m.Read(q.Body.Container)
			if gone := (*GoneError)(nil); errors.As(err, &gone) {
				r.Gone = true
			}
		}
		if s.Answer(q, r, err) != nil {
			return
		}
	}
}

// Client asks the meter of a node. Its methods may be called from several goroutines.
type Client struct {
	Source string // of the CPU time that it reads; see record.Usage

	talk *jsonpipe.Client[question, Reading]
}

// patience bounds a reading: the meter is in the same cluster.
const patience = 10 * time.Second

// Dial connects with the meter at an address.
func Dial(ctx context.Context, address, token string) (*Client, error) {
	c, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting with the meter of the node: %w", err)
	}
	m := &Client{talk: jsonpipe.NewClient[question, Reading](c)}
	go m.talk.Listen(c, nil)
	r, err := m.ask(ctx, question{Token: token})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connecting with the meter of the node: %w", err), m.Close())
	}
	m.Source = r.Source
	return m, nil
}

func (m *Client) ask(ctx context.Context, q question) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return m.talk.Ask(ctx, q)
}

// Read reads a container. It fails with a *GoneError when that has ended.
func (m *Client) Read(ctx context.Context, container string) (Reading, error) {
	r, err := m.ask(ctx, question{Container: container})
	if r.Gone {
		return r, &GoneError{container}
	}
	if err != nil {
		return r, fmt.Errorf("asking the meter of the node: %w", err)
	}
	return r, nil
}

// Close ends the connection.
func (m *Client) Close() error { return m.talk.Close() }
