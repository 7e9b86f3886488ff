// Package sink owns the counting receiver: a process that takes spans in, answers
// as the protocol demands, and counts them. It must not know the workload or what
// was expected. Each protocol has a sub-package; tally does the counting.
//
// Start runs a receiver in this process. Serve runs it as a process of its own,
// driven by lines of JSON on stdin and stdout; Remote is the other end of those.
package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/keep"
	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// Defaults of a Config.
const (
	DefaultMaxSpans       = 2_000_000
	DefaultMaxBody        = 64 << 20
	DefaultMaxConnections = 1024
	DefaultMaxRequests    = 16
	DefaultHeaderTimeout  = 10 * time.Second
	DefaultRequestTimeout = 30 * time.Second
)

// Config says what a sink serves and how much it may hold. The zero value of a
// limit is its default.
type Config struct {
	Listen protocol.Addresses // where to listen, host:port; port 0 is a free one; a protocol without an address is not served

	Checking bool // look at the ids: duplicates, traces, orphans
	MaxSpans int  // spans whose ids are held in checking mode

	Chosen traceparent.Key // of the ids that the load generator chose for traces; 0: it chose none

	Keep string // file for the spans that come over OTLP, which must not be there yet; "": they are counted alone

	MaxBody        int64         // bytes of one body, compressed and decompressed each
	MaxConnections int           // open connections of each protocol; more wait
	MaxRequests    int           // bodies read at a time, all protocols together; more wait
	HeaderTimeout  time.Duration // for a handshake or a request's header
	RequestTimeout time.Duration // for a whole request

	Lose float64       // a fault asked for: share of the valid spans that is answered for and thrown away, counted as Thrown alone
	Late time.Duration // a fault asked for: wait so long before each answer to a request that was accepted
	Gone string        // a fault asked for: Away, Silent or Resetting; "" receives
}

func (c Config) withDefaults() Config {
	c.MaxSpans = orDefault(c.MaxSpans, DefaultMaxSpans)
	c.MaxBody = orDefault(c.MaxBody, DefaultMaxBody)
	c.MaxConnections = orDefault(c.MaxConnections, DefaultMaxConnections)
	c.MaxRequests = orDefault(c.MaxRequests, DefaultMaxRequests)
	c.HeaderTimeout = orDefault(c.HeaderTimeout, DefaultHeaderTimeout)
	c.RequestTimeout = orDefault(c.RequestTimeout, DefaultRequestTimeout)
	return c
}

func orDefault[T int | int64 | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return value
}

// Check reports what Start would refuse without trying.
func (c Config) Check() error {
	return c.withDefaults().check()
}

func (c Config) check() error {
	switch {
	case c.Listen.None():
		return fmt.Errorf("starting a sink: no protocol to serve; give an address for one, such as OTLP over gRPC or HTTP")
	case c.MaxSpans < 1 || c.MaxSpans > math.MaxInt32:
		return fmt.Errorf("starting a sink: %d spans to hold; choose 1 to %d", c.MaxSpans, math.MaxInt32)
	case c.MaxBody < 1 || c.MaxBody > math.MaxInt32:
		return fmt.Errorf("starting a sink: body limit of %d bytes; choose 1 to %d", c.MaxBody, math.MaxInt32)
	case c.MaxConnections < 1 || c.MaxRequests < 1:
		return fmt.Errorf("starting a sink: limits of %d connections and %d requests; both must be at least 1", c.MaxConnections, c.MaxRequests)
	case c.HeaderTimeout < 0 || c.RequestTimeout < 0:
		return fmt.Errorf("starting a sink: a time-out is less than zero")
	}
	for name, address := range c.Listen {
		if err := Receives(name); address != "" && err != nil {
			return fmt.Errorf("starting a sink: %w", err)
		}
		if strings.HasPrefix(address, "unix:") {
			return fmt.Errorf("starting a sink: --%s %s: %w", name, address, ErrUnixSocket)
		}
		if _, _, err := net.SplitHostPort(address); err == nil && isFolder(name) {
			return fmt.Errorf("starting a sink: --%s %s: its senders write into a folder; give its path, such as /dev/shm/rings", name, address)
		}
	}
	return c.checkFaults()
}

// ErrUnixSocket refuses a Unix socket: the sink does not listen there.
var ErrUnixSocket = errors.New("the sink does not listen on Unix sockets; give it HOST:PORT, such as 127.0.0.1:4317")

func (c Config) checkFaults() error {
	switch {
	case !tally.Losable(c.Lose):
		return fmt.Errorf("starting a sink: cannot lose a share of %v of the spans; choose 0 to 1, with nine decimals at most", c.Lose)
	case c.Late < 0 || c.Late > max(MaxLate, c.RequestTimeout):
		return fmt.Errorf("starting a sink: cannot answer %v late; choose 0 to %v", c.Late, max(MaxLate, c.RequestTimeout))
	case c.Late > 0 && c.serves(unanswered) != "":
		return fmt.Errorf("starting a sink: it cannot be late to %s, which waits for no answer; choose another protocol", c.serves(unanswered))
	case !slices.Contains([]string{"", Away, Silent, Resetting}, c.Gone):
		return fmt.Errorf("starting a sink: it cannot be %q; choose %s, %s or %s", c.Gone, Away, Silent, Resetting)
	case c.Gone != "" && c.serves(packets) != "":
		return fmt.Errorf("starting a sink: it cannot be %s to %s, whose datagrams need no connection; choose another protocol",
			c.Gone, c.serves(packets))
	case c.Gone != "" && c.serves(inFolder) != "":
		return fmt.Errorf("starting a sink: it cannot be %s to %s, which need no connection; choose another protocol", c.Gone, c.serves(inFolder))
	}
	return nil
}

// MaxLate is how late the sink can answer, with whatever time for a request: as late as an experiment may ask for.
const MaxLate = time.Minute

func unanswered(r protocol.Row) bool { return r.Unanswered }

func packets(r protocol.Row) bool { return r.Packets }

func inFolder(r protocol.Row) bool { return r.Folder }

func isFolder(name protocol.Name) bool {
	row, _ := protocol.Of(name)
	return row.Folder
}

// serves is a protocol of that kind that is received; "" where none is.
func (c Config) serves(kind func(protocol.Row) bool) string {
	for _, row := range protocol.Table {
		if kind(row) && c.Listen[row.Name] != "" {
			return row.Title
		}
	}
	return ""
}

func (c Config) tally() tally.Config {
	return tally.Config{Checking: c.Checking, Chosen: c.Chosen, MaxSpans: c.MaxSpans, Lose: c.Lose}
}

func (c Config) limits() wire.Limits {
	return wire.Limits{Body: c.MaxBody, Requests: c.MaxRequests, Header: c.HeaderTimeout, Request: c.RequestTimeout}
}

// Snapshot has the counts of a sink since its start, and the time since the last change.
type Snapshot struct {
	Counts   record.Counts `json:"counts"`
	Since    time.Duration `json:"since_ns"`  // since a request last arrived or finished; since the start if none has
	InFlight int           `json:"in_flight"` // requests that have arrived and not finished

	Connections uint64 `json:"connections"` // accepted since the start, whatever came over them

	Kept *keep.Counts `json:"kept,omitempty"` // of the file of spans; nil where there is none
}

// A sink in a process of its own, over package lines: the conductor's side, and the sink's.

// request is a question of the conductor: for the addresses of the sink, or for its counts.
type request struct {
	Addresses bool `json:"addresses,omitempty"`
}

// answer is the answer of the sink.
type answer struct {
	Addresses protocol.Addresses `json:"addresses,omitempty"`
	Snapshot
}

// Remote drives a sink process. It is safe for concurrent use.
type Remote struct {
	addresses protocol.Addresses
	client    *jsonpipe.Client[request, answer]
}

// NewRemote greets a sink process, whose stdin and stdout are in and out. It fails if the process says that it cannot start, or
// ends.
func NewRemote(in io.WriteCloser, out io.Reader) (*Remote, error) {
	r := &Remote{client: jsonpipe.NewClient[request, answer](in)}
	go r.client.Listen(out, nil)
	a, err := r.client.Ask(context.Background(), request{Addresses: true})
	if err != nil {
		_ = r.client.Close() // the error of its start is more use
		return nil, fmt.Errorf("starting the sink: %w", err)
	}
	r.addresses = a.Addresses
	return r, nil
}

// Addresses returns where the sink listens.
func (r *Remote) Addresses() protocol.Addresses { return r.addresses }

// Snapshot asks for what was counted so far.
func (r *Remote) Snapshot(ctx context.Context) (Snapshot, error) {
	a, err := r.client.Ask(ctx, request{})
	if err != nil {
		return Snapshot{}, fmt.Errorf("asking the sink what it counted: %w", err)
	}
	return a.Snapshot, nil
}

// Close ends the sink by closing its stdin; the process then ends by itself. It
// does not wait for that, and is no error if the process has ended before.
func (r *Remote) Close() error {
	if err := r.client.Close(); err != nil {
		return fmt.Errorf("closing the sink: %w", err)
	}
	return nil
}

// Serve runs a sink until in ends, or ctx does. One that cannot start says so to whoever asks.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) (err error) {
	server, cannot := Start(cfg)
	if cannot == nil {
		defer func() {
			if closeErr := server.Close(); err == nil {
				err = closeErr
			}
		}()
	}
	err = jsonpipe.NewServer[request, answer](in, out).Serve(ctx, func(_ context.Context, r request) (answer, error) {
		switch {
		case cannot != nil:
			return answer{}, cannot
		case r.Addresses:
			return answer{Addresses: server.Addresses()}, nil
		}
		return answer{Snapshot: server.Snapshot()}, nil
	})
	switch {
	case cannot != nil:
		return cannot
	case ctx.Err() != nil:
		return nil // it was asked to end
	}
	return err
}
