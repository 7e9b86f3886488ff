package tree

import (
	"math"
	"net/netip"
	"strings"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
)

// patience bounds the time in which a call without an end counts as served.
const patience = time.Minute

// nobody is no call, and no server.
const nobody = -1

// entry is a call as numbers: times in ns.
type entry struct {
	begin, ready, end int64    // when its first byte was asked, its last, and when its answer was there
	trace             [16]byte // zeros without one
	span, of          uint64   // its id, and the id of the call that made it; 0 without one
	from, to          int32    // servers; the client may be none
	method            int32    // of the table of methods
	unended           bool     // it has no end in the capture
	slot              int      // its place among the calls that are served at a time; nobody without one
}

func (e *entry) traced() bool { return e.trace != [16]byte{} }

// server is an address at which calls are served.
type server struct {
	service string
	served  []int32 // calls, in their order
	made    []int32
	opens   bool // it may have made some of the calls that are open
}

// book is a capture as numbers.
type book struct {
	entries   []entry
	servers   []server
	backwards bool // calls end before they begin
}

// newBook reads the calls. Names of methods go into the table of the programs, which gets those that it lacks.
func newBook(calls []packets.Call, opt *Options, known *Programs) *book {
	b := &book{entries: make([]entry, len(calls))}
	numbers, unended := b.addresses(calls, opt), false
	for i := range calls {
		c, e := &calls[i], &b.entries[i]
		e.begin, e.end = c.Asked.UnixNano(), math.MaxInt64
		e.ready = e.begin
		if !c.AskedAll.IsZero() {
			e.ready = c.AskedAll.UnixNano()
		}
		if e.unended = !c.Ended(); !e.unended {
			e.end = c.AnsweredAll.UnixNano()
		}
		unended = unended || e.unended
		b.backwards = b.backwards || e.end < e.begin || e.ready < e.begin || !c.Answered.IsZero() && c.Answered.Before(c.Asked)
		e.to, e.from = numbers[c.To.Addr()], nobody
		if from, serves := numbers[c.From.Addr()]; serves {
			e.from = from
			b.servers[from].made = append(b.servers[from].made, int32(i))
		}
		to := &b.servers[e.to]
		to.served = append(to.served, int32(i))
		e.method = known.number(methodName{to.service, c.Protocol, plain(c.Protocol, c.Method)})
		if opt.Ignore < IDs {
			e.trace, e.span = c.IDs()
		}
		if opt.Ignore < State && e.traced() {
			e.of = c.Caller()
		}
	}
	if unended {
		b.close(calls)
	}
	return b
}

// addresses numbers the servers. One without a name is called as its address.
func (b *book) addresses(calls []packets.Call, opt *Options) map[netip.Addr]int32 {
	numbers := map[netip.Addr]int32{}
	for i := range calls {
		address := calls[i].To.Addr()
		if _, known := numbers[address]; known {
			continue
		}
		numbers[address] = int32(len(b.servers))
		s := server{}
		if opt.Name != nil {
			s.service = opt.Name(address)
		}
		if s.service == "" {
			s.service = address.String()
		}
		b.servers = append(b.servers, s)
	}
	return numbers
}

// close ends the calls that have no end: where a connection carries one call at a time with the next one, else after some time.
func (b *book) close(calls []packets.Call) {
	next := map[[2]netip.AddrPort]int64{}
	for i := len(calls) - 1; i >= 0; i-- {
		e, on := &b.entries[i], [2]netip.AddrPort{calls[i].From, calls[i].To}
		if e.unended {
			e.end = e.begin + int64(patience)
			if begin, has := next[on]; has && calls[i].Protocol != packets.GRPC {
				e.end = min(e.end, begin)
			}
		}
		next[on] = e.begin
	}
}

// plain is a method without what differs from call to call: of a path the query, and parts with digits.
func plain(protocol, method string) string {
	if protocol != packets.HTTP || !strings.ContainsAny(method, "0123456789?") {
		return method
	}
	method, _, _ = strings.Cut(method, "?")
	parts := strings.Split(method, "/")
	for i, part := range parts {
		if i > 0 && strings.ContainsAny(part, "0123456789") {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}
