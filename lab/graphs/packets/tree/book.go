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

// entry is a call as numbers: times in ns, ids in halves.
type entry struct {
	begin, ready, end int64     // when its first byte was asked, its last, and when its answer was there
	trace             [2]uint64 // 0, 0 without one
	span, of          uint64    // its id, and the id of the call that made it; 0 without one
	from, to          int32     // servers; the client may be none
	method            int32     // of the table of methods
	open              bool      // it has no end in the capture
}

func (e *entry) traced() bool { return e.trace != [2]uint64{} }

// server is an address at which calls are served.
type server struct {
	service string
	served  []int32 // calls, in their order
	made    []int32
}

// book is a capture as numbers.
type book struct {
	entries   []entry
	servers   []server
	unended   int
	backwards int
}

// newBook reads the calls. Names of methods go into the table of the programs, which gets those that it lacks.
func newBook(calls []packets.Call, opt *Options, known *Programs) *book {
	b := &book{entries: make([]entry, len(calls))}
	numbers := b.addresses(calls, opt)
	for i := range calls {
		c, e := &calls[i], &b.entries[i]
		e.begin, e.end = c.Asked.UnixNano(), math.MaxInt64
		e.ready = e.begin
		if !c.AskedAll.IsZero() {
			e.ready = c.AskedAll.UnixNano()
		}
		if c.Ended() {
			e.end = c.AnsweredAll.UnixNano()
		} else {
			e.open = true
			b.unended++
		}
		if e.end < e.begin || e.ready < e.begin || !c.Answered.IsZero() && c.Answered.Before(c.Asked) {
			b.backwards++
		}
		e.to = numbers[c.To.Addr()]
		e.from = nobody
		if from, serves := numbers[c.From.Addr()]; serves {
			e.from = from
			b.servers[from].made = append(b.servers[from].made, int32(i))
		}
		to := &b.servers[e.to]
		to.served = append(to.served, int32(i))
		e.method = known.number(methodName{to.service, c.Protocol, plain(c.Protocol, c.Method)})
		if opt.Ignore < IDs {
			e.trace, e.span = idsOf(c.Trace)
		}
		if opt.Ignore < State && e.traced() {
			e.of = callerOf(c.State)
		}
	}
	if b.unended > 0 {
		b.close(calls)
	}
	return b
}

// addresses numbers the servers. One without a name is called as its address.
func (b *book) addresses(calls []packets.Call, opt *Options) map[netip.Addr]int32 {
	numbers, names := map[netip.Addr]int32{}, map[string]bool{}
	for i := range calls {
		address := calls[i].To.Addr()
		if _, known := numbers[address]; known {
			continue
		}
		name := ""
		if opt.Name != nil {
			name = opt.Name(address)
		}
		if name == "" {
			name = address.String()
		}
		numbers[address], names[name] = int32(len(b.servers)), true
		b.servers = append(b.servers, server{service: name})
	}
	for i := range b.servers {
		if base := strings.TrimRight(b.servers[i].service, "0123456789"); strings.HasSuffix(base, "-") && names[base[:len(base)-1]] {
			b.servers[i].service = base[:len(base)-1] // a replica
		}
	}
	return numbers
}

// close ends the calls that have no end: where a connection carries one call at a time with the next one, else after some time.
func (b *book) close(calls []packets.Call) {
	type connection struct{ from, to netip.AddrPort }
	next := map[connection]int64{}
	for i := len(calls) - 1; i >= 0; i-- {
		e, on := &b.entries[i], connection{calls[i].From, calls[i].To}
		if e.open {
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

// Places in a traceparent, 00-TRACE-ID-FLAGS.
const (
	parentLength      = 55
	traceAt, traceMid = 3, 19
	dashAt, idAt      = 35, 36
	hexDigits         = 16 // of 64 bits
)

// idsOf are the ids of a traceparent, zeros where it is none.
func idsOf(parent string) (trace [2]uint64, span uint64) {
	if len(parent) < parentLength || parent[2] != '-' || parent[dashAt] != '-' {
		return trace, 0
	}
	left, ok1 := number(parent[traceAt:traceMid])
	right, ok2 := number(parent[traceMid:dashAt])
	span, ok3 := number(parent[idAt : idAt+hexDigits])
	if !ok1 || !ok2 || !ok3 || span == 0 {
		return trace, 0
	}
	return [2]uint64{left, right}, span
}

// callerOf is the id of the call that was served, as a tracestate names it; 0 without one.
func callerOf(state string) uint64 {
	const key = "tt="
	for len(state) >= len(key)+hexDigits {
		entry, others, _ := strings.Cut(state, ",")
		if value, is := strings.CutPrefix(strings.Trim(entry, " \t"), key); is && len(value) == hexDigits {
			if id, ok := number(value); ok {
				return id
			}
		}
		state = others
	}
	return 0
}

// number reads 16 digits, in lower or upper case.
func number(text string) (n uint64, ok bool) {
	for i := range len(text) {
		digit := text[i]
		switch {
		case digit >= '0' && digit <= '9':
			digit -= '0'
		case digit >= 'a' && digit <= 'f':
			digit -= 'a' - 10
		case digit >= 'A' && digit <= 'F':
			digit -= 'A' - 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(digit)
	}
	return n, true
}
