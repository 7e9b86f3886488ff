package packets

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
)

// Options of reading.
type Options struct {
	// Serves reports whether a process is known to listen there. It decides which end of a connection is the server's where
	// the capture does not have its beginning.
	Serves func(netip.AddrPort) bool
	// Tick is called about once a second of the capture's time. An error ends the reading.
	Tick func(Progress) error
	// An open call keeps Progress.Oldest back for so long; 0 is for ever.
	Patience time.Duration
}

// Progress reports how far a reading has come.
type Progress struct {
	Now    time.Time // of the last packet
	Oldest time.Time // all calls that began before it have been given, but the stale ones; Now where none is open
	Stale  int       // calls that are open for longer than Options.Patience
	Counts *Counts   // so far, without what files say of themselves
}

// Counts count packets, connections and calls, and all that could not be read.
type Counts struct {
	capture.Counts
	Missing int64 `json:"missing"` // bytes of TCP that the capture lacks
	Resent  int64 `json:"resent"`  // segments that came again, and were dropped

	Connections int `json:"connections"` // with data
	Before      int `json:"before"`      // connections that began before the capture
	Encrypted   int `json:"encrypted"`   // connections with TLS: they have no calls
	Unknown     int `json:"unknown"`     // connections with a protocol that is not known: their calls are by turns
	NoTables    int `json:"no_tables"`   // connections with HTTP/2 that are left out: the tables of their headers are not in the capture
	Upgraded    int `json:"upgraded"`    // connections that went on to another protocol after HTTP: those calls are left out
	Garbled     int `json:"garbled"`     // times that no message began where one should: calls are left out there
	GivenUp     int `json:"given_up"`    // connections that nothing could be made of

	Calls   map[string]int64 `json:"calls"`   // by protocol
	Unended int64            `json:"unended"` // calls without an answer's end

	Unread map[netip.Addr]bool `json:"-"` // addresses that were called on connections that could not be read
}

// Gaps reports whether calls may be missing among those that were given.
func (c *Counts) Gaps() bool {
	return c.Missing > 0 || c.Dropped > 0 || c.Encrypted+c.NoTables+c.Upgraded+c.Garbled+c.GivenUp > 0
}

const (
	sweepEvery      = time.Second
	sweepPackets    = 1 << 16 // there may be no time between packets
	forgetClosed    = 5 * time.Second
	mostConnections = 20_000
)

// reading is one pass over captures.
type reading struct {
	opt    Options
	each   func(Call) error
	err    error // of each
	counts Counts
	conns  map[ends]*conn
	now    time.Time
	swept  time.Time
	since  int // packets since then
}

// ends name a connection, the lower end first.
type ends struct{ low, high netip.AddrPort }

// Read puts the calls of captures together, and gives each when it has ended, or when its connection or the capture has. Several
// files are read as one; a packet that two of them have counts once. Memory does not grow with the captures. The error is of
// reading, of each or of opt.Tick; the counts hold until then.
func Read(files []*capture.Reader, opt Options, each func(Call) error) (Counts, error) {
	r := &reading{opt: opt, each: each, conns: map[ends]*conn{}, counts: Counts{Calls: map[string]int64{}}}
	err := r.all(capture.Merge(files...))
	for _, f := range files {
		r.counts.add(&f.Counts)
	}
	return r.counts, err
}

func (c *Counts) add(of *capture.Counts) {
	c.Packets += of.Packets
	c.NoTCP += of.NoTCP
	c.Fragments += of.Fragments
	c.Cut += of.Cut
	c.Dropped += of.Dropped
	c.CutOff += of.CutOff
}

func (r *reading) all(from capture.Source) error {
	for r.err == nil {
		s, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		r.segment(&s)
		if r.since++; r.since >= sweepPackets || s.At.Sub(r.swept) >= sweepEvery {
			if err := r.sweep(); err != nil {
				return err
			}
		}
	}
	for _, c := range r.conns {
		c.close()
	}
	return r.err
}

func (r *reading) serves(at netip.AddrPort) bool { return r.opt.Serves != nil && r.opt.Serves(at) }

// segment gives a segment to its connection.
func (r *reading) segment(s *capture.Segment) {
	if s.At.After(r.now) {
		r.now = s.At
	}
	key := ends{s.From, s.To}
	if s.To.Compare(s.From) < 0 {
		key = ends{s.To, s.From}
	}
	c := r.conns[key]
	if c != nil && c.begunAgain(s) {
		c.close()
		c = nil
	}
	if c == nil {
		if !s.Flags.Has(capture.SYN) && s.Length == 0 {
			return // the rest of a connection that is over, or an idle one
		}
		c = r.newConn(s)
		r.conns[key] = c
	}
	c.segment(s)
}

// sweep forgets connections that are over, and says how far the reading has come.
func (r *reading) sweep() error {
	r.swept, r.since = r.now, 0
	p := Progress{Now: r.now, Oldest: r.now, Counts: &r.counts}
	for key, c := range r.conns {
		c.rest()
		if c.closed && r.now.Sub(c.at) > forgetClosed {
			delete(r.conns, key)
			continue
		}
		for _, x := range c.open {
			switch {
			case r.opt.Patience > 0 && r.now.Sub(x.Asked) > r.opt.Patience:
				p.Stale++
			case x.Asked.Before(p.Oldest):
				p.Oldest = x.Asked
			}
		}
	}
	r.forget()
	if r.opt.Tick == nil || r.err != nil {
		return r.err
	}
	return r.opt.Tick(p)
}

// forget drops what was longest idle of too many connections.
func (r *reading) forget() {
	for patience := time.Minute; len(r.conns) > mostConnections; patience /= 4 {
		for key, c := range r.conns {
			if r.now.Sub(c.at) >= patience {
				c.close()
				delete(r.conns, key)
			}
		}
	}
}

// give hands out a call.
func (r *reading) give(c *Call) {
	if r.err != nil {
		return
	}
	r.counts.Calls[c.Protocol]++
	if !c.Ended() {
		r.counts.Unended++
	}
	if err := r.each(*c); err != nil {
		r.err = fmt.Errorf("taking a call of %s to %s: %w", c.From, c.To, err)
	}
}
