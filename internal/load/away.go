// Generators on other machines: they listen for conductors that know a token, compare clocks, and get the files that tasks name.

package load

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
)

// Admit takes connections until ctx ends, and serves those that begin with the token and a line feed, each by itself, from what comes
// next. A connection that begins with something else is closed.
func Admit(ctx context.Context, l net.Listener, token string, serve func(context.Context, *net.TCPConn)) error {
	return jsonpipe.Accept(ctx, l, func(ctx context.Context, c net.Conn) {
		if tcp, is := c.(*net.TCPConn); is && admitted(tcp, token) {
			serve(ctx, tcp)
		}
	})
}

// admitted reads the token off a connection, and not a byte more.
func admitted(c net.Conn, token string) bool {
	said := make([]byte, len(token)+1)
	if err := c.SetReadDeadline(time.Now().Add(patienceWithRemote)); err != nil {
		return false
	}
	if _, err := io.ReadFull(c, said); err != nil {
		return false
	}
	return subtle.ConstantTimeCompare(said, []byte(token+"\n")) == 1 && c.SetReadDeadline(time.Time{}) == nil
}

// alive finds a generator whose machine has gone without a word.
var alive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 5 * time.Second, Count: 3}

// once closes a connection, once.
type once struct {
	net.Conn
	close func() error
}

func (o once) Close() error { return o.close() }

// Connect connects with a generator that listens at an address; name is for errors, such as "load generator of pod x".
func Connect(ctx context.Context, name, address, token string) (*Remote, error) {
	c, err := (&net.Dialer{Timeout: patienceWithRemote, KeepAliveConfig: alive}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting with the %s: %w", name, err)
	}
	if _, err := c.Write([]byte(token + "\n")); err != nil {
		return nil, errors.Join(fmt.Errorf("connecting with the %s: %w", name, err), c.Close())
	}
	r, err := newRemote(name, once{c, sync.OnceValue(c.Close)}, c)
	if err != nil {
		return nil, err
	}
	r.away, r.sent = true, map[string]file{}
	return r, nil
}

var _ Member = (*Remote)(nil)

// clockReadings is how often a clock is read: the reading with the shortest way there and back is off the least.
const clockReadings = 5

// Ahead implements Member: the generator reads its clock half-way through a round trip, give or take half of it (Cristian:
// Probabilistic clock synchronization, 1989).
func (r *Remote) Ahead(ctx context.Context) (ahead, within time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, patienceWithRemote)
	defer cancel()
	for i := range clockReadings {
		asked := time.Now()
		m, err := r.client.Ask(ctx, request{})
		if err != nil {
			return 0, 0, fmt.Errorf("reading the clock of the %s: %w", r.name, err)
		}
		if half := time.Since(asked) / 2; i == 0 || half < within {
			ahead, within = time.Duration(m.Clock-asked.Add(half).UnixNano()), half
		}
	}
	return ahead, within, nil
}

// file tells a version of a file from others.
type file struct {
	size     int64
	modified time.Time
}

// mostCarried bounds the files that go to a generator with one task, in bytes.
const mostCarried = 64 << 20

// files reads the data files of a task that a generator lacks, or has as they were before, and how they are now.
func (r *Remote) files(t Task) (out map[string][]byte, as map[string]file, err error) {
	if !r.away {
		return nil, nil, nil
	}
	out, as = map[string][]byte{}, map[string]file{}
	size := int64(0)
	for _, o := range t.Operations {
		if o.Data == "" || out[o.Data] != nil {
			continue
		}
		info, err := os.Stat(o.Data)
		if err != nil {
			return nil, nil, fmt.Errorf("sending request data to the %s: %w", r.name, err)
		}
		now := file{info.Size(), info.ModTime()}
		if was, known := r.sent[o.Data]; known && was.size == now.size && was.modified.Equal(now.modified) {
			continue
		}
		if size += now.size; size > mostCarried {
			return nil, nil, fmt.Errorf("sending request data to the %s: with %s it is more than %d MiB: take fewer rows",
				r.name, o.Data, mostCarried>>20)
		}
		if out[o.Data], err = os.ReadFile(o.Data); err != nil {
			return nil, nil, fmt.Errorf("sending request data to the %s: %w", r.name, err)
		}
		as[o.Data] = now
	}
	return out, as, nil
}

// desk is where a generator puts the files that come with tasks. The zero value is empty.
type desk struct {
	dir string
	at  map[string]string // by their paths on the conductor's machine
}

// take puts files down, and returns a task that names them as they lie here.
func (d *desk) take(t Task, files map[string][]byte) (Task, error) {
	for path, text := range files {
		if err := d.put(path, text); err != nil {
			return t, fmt.Errorf("keeping request data: %w", err)
		}
	}
	t.Operations = slices.Clone(t.Operations)
	for i := range t.Operations {
		if here, known := d.at[t.Operations[i].Data]; known {
			t.Operations[i].Data = here
		}
	}
	return t, nil
}

func (d *desk) put(path string, text []byte) (err error) {
	if d.dir == "" {
		if d.dir, err = os.MkdirTemp("", "tracetax-load-"); err != nil {
			return err
		}
		d.at = map[string]string{}
	}
	if d.at[path] == "" {
		dir, err := os.MkdirTemp(d.dir, "")
		if err != nil {
			return err
		}
		d.at[path] = filepath.Join(dir, filepath.Base(path)) // its extension says what it is
	}
	return os.WriteFile(d.at[path], text, 0o600)
}

// clear removes all files.
func (d *desk) clear() error {
	if d.dir == "" {
		return nil
	}
	return os.RemoveAll(d.dir)
}
