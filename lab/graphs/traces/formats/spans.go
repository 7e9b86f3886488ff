package formats

import (
	"cmp"
	"strconv"
	"strings"
)

// group is a trace of Jaeger's, or all spans of a resource in OTLP. It names the services of its spans.
type group struct {
	services map[string]string // by the id of a process; that of a resource is ""
	waiting  []Span            // whose service is not known yet
}

// value reads what may be spans: an object, or a list of such. within is the group around it, nil without one.
func (r *reader) value(within *group) error {
	switch r.in.PeekKind() {
	case '{':
		return r.thing(within)
	case '[':
		return r.array(func() error { return r.value(within) })
	}
	return r.in.SkipValue()
}

// thing reads an object of any of the formats: its members tell whether it is a span, or has some.
func (r *reader) thing(within *group) error {
	var s Span
	own := within
	err := r.object(func(name string) error {
		switch name {
		case "data", "result", "trace", "resourceSpans", "resource_spans", "batches":
			return r.value(nil)
		case "processes", "resource", "spans",
			"scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			if own == nil {
				own = &group{services: map[string]string{}}
			}
			return r.part(own, name)
		}
		return r.member(&s, name)
	})
	if err == nil && s.isSpan {
		s.settle()
		err = r.add(&s, within)
	}
	if own == within || err != nil {
		return err
	}
	for i := range own.waiting {
		one := &own.waiting[i]
		if service := own.services[one.process]; service != "" {
			one.Service = service
		}
		if err := r.emit(one); err != nil {
			return err
		}
	}
	return nil
}

// part reads services or spans of a group.
func (r *reader) part(of *group, name string) error {
	switch name {
	case "processes":
		return r.object(func(process string) error {
			var service string
			err := r.textIn("serviceName", &service)
			of.services[process] = service
			return err
		})
	case "resource":
		var resource Span
		err := r.object(func(name string) error { return r.member(&resource, name) })
		of.services[""] = resource.Fields[serviceName]
		return err
	}
	return r.value(of)
}

// add passes a span on, or lets it wait for the name of its service.
func (r *reader) add(s *Span, of *group) error {
	if of == nil {
		return r.emit(s)
	}
	switch service, known := of.services[s.process]; {
	case known:
		s.Service = service
		return r.emit(s)
	case len(of.waiting) > MostSpans: // the one beyond says that there were more
		r.found.Spans++
		r.found.Beyond++
	default:
		of.waiting = append(of.waiting, *s)
	}
	return nil
}

// emit passes a span on.
func (r *reader) emit(s *Span) error {
	r.found.Spans++
	if s.Trace == [2]uint64{} || s.ID == 0 {
		r.found.Without++
		return nil
	}
	return r.take(s)
}

// member reads a member of a span: a name means the same in each format that has it.
func (r *reader) member(s *Span, name string) error {
	const µs = 1000
	switch name {
	case "traceID", "traceId", "trace_id":
		return r.id(&s.Trace)
	case "spanID", "spanId", "span_id", "id":
		s.isSpan = true
		return r.spanID(&s.ID)
	case "parentId", "parentSpanID", "parentSpanId", "parent_span_id":
		return r.spanID(&s.Parent)
	case "references":
		return r.array(func() error { return r.reference(s) })
	case "operationName", "name":
		return r.text(&s.Name)
	case "kind":
		return r.text(&s.Fields[ownKind])
	case "shared":
		return r.text(&s.Fields[ownShared])
	case "status":
		return r.textIn("code", &s.Fields[ownStatus])
	case "startTime", "timestamp":
		return r.integer(&s.Start, µs)
	case "startTimeUnixNano", "start_time_unix_nano":
		return r.integer(&s.Start, 1)
	case "endTimeUnixNano", "end_time_unix_nano":
		return r.integer(&s.End, 1)
	case "duration":
		return r.integer(&s.lasts, µs)
	case "processID":
		return r.text(&s.process)
	case "process", "localEndpoint":
		return r.textIn("serviceName", &s.Service)
	case "remoteEndpoint":
		var peer string
		err := r.textIn("serviceName", &peer)
		s.set("peer.service", peer)
		return err
	case "tags", "attributes":
		return r.attributes(s)
	}
	return r.in.SkipValue()
}

// reference reads one of Jaeger's references. It may repeat the whole span that it names, and that its own references: they are
// passed over.
func (r *reader) reference(s *Span) error {
	var one reference
	var relation string
	err := r.object(func(name string) error {
		switch name {
		case "refType":
			return r.text(&relation)
		case "traceID":
			return r.id(&one.trace)
		case "spanID":
			return r.spanID(&one.id)
		}
		return r.in.SkipValue()
	})
	of := &s.childOf
	if relation == "FOLLOWS_FROM" {
		of = &s.follows
	}
	if of.id == 0 {
		*of = one
	}
	return err
}

// attributes reads Zipkin's mapping, or the list of Jaeger or OTLP.
func (r *reader) attributes(s *Span) error {
	if r.in.PeekKind() == '{' {
		return r.object(func(name string) error {
			var value string
			err := r.attribute(name, &value)
			if name == "error" && value == "" { // of Zipkin's an empty one is an error, too
				value = "true"
			}
			s.set(name, value)
			return err
		})
	}
	return r.array(func() error {
		var key, value string
		err := r.object(func(name string) error {
			switch name {
			case "key":
				return r.text(&key)
			case "value":
				return r.attribute(key, &value)
			}
			return r.in.SkipValue()
		})
		s.set(key, value)
		return err
	})
}

// attribute reads the value of an attribute that has a field, or whose name comes later: a scalar, or of OTLP an object with one.
func (r *reader) attribute(name string, value *string) error {
	if _, wanted := places[name]; !wanted && name != "" {
		return r.in.SkipValue()
	}
	if r.in.PeekKind() == '{' {
		return r.object(func(string) error { return r.text(value) })
	}
	return r.text(value)
}

// Field is an attribute of a span. Conventions of different ages have different names for it.
type Field int

// Fields of a Span.
const (
	RPCSystem Field = iota
	RPCService
	RPCMethod
	HTTPMethod
	Route
	Path
	URL
	DBSystem
	DBOperation
	DBStatement
	DBName
	Messaging
	Destination
	Peer // a name of the other side
	Host // its address
	Request
	Answer
	KnownBy // of a span that was rebuilt from packets: how its parent is known
	Ended   // of such a span: whether its answer was seen
	Whole   // of such a span: whether it made no other calls than those below it
	serviceName
	kindTag
	failure
	statusTag
	httpStatus
	ownKind // this one and those below are members of the span, and no attributes
	ownStatus
	ownShared
	fields
)

// Fields are the attributes of a span, "" where it has none.
type Fields [fields]string

// attributes are the names of each field. Where a span has several of them, the first one wins.
var attributes = [fields][]string{
	RPCSystem:   {"rpc.system.name", "rpc.system"},
	RPCService:  {"rpc.service"},
	RPCMethod:   {"rpc.method"},
	HTTPMethod:  {"http.request.method", "http.method"},
	Route:       {"http.route", "url.template"},
	Path:        {"url.path", "http.target", "http.path"},
	URL:         {"url.full", "http.url"},
	DBSystem:    {"db.system.name", "db.system", "db.type"},
	DBOperation: {"db.operation.name", "db.operation"},
	DBStatement: {"db.query.summary", "db.query.text", "db.statement"},
	DBName:      {"db.namespace", "db.name", "db.instance"},
	Messaging:   {"messaging.system"},
	Destination: {"messaging.destination.name", "messaging.destination"},
	Peer:        {"service.peer.name", "peer.service"},
	Host:        {"server.address", "net.peer.name", "peer.hostname", "http.host", "peer.address"},
	Request:     {"http.request.body.size", "http.request_content_length", "request_size"},
	Answer:      {"http.response.body.size", "http.response_content_length", "response_size"},
	KnownBy:     {"tracetax.parent"},
	Ended:       {"tracetax.ended"},
	Whole:       {"tracetax.whole"},
	serviceName: {"service.name"},
	kindTag:     {"span.kind"},
	failure:     {"error"},
	statusTag:   {"otel.status_code"},
	httpStatus:  {"http.response.status_code", "http.status_code"},
}

// place is that of an attribute among the names of its field, counted from 1.
type place struct {
	field Field
	rank  uint8
}

var places = func() map[string]place {
	out := map[string]place{}
	for field, names := range attributes {
		for i, name := range names {
			out[name] = place{Field(field), uint8(i + 1)}
		}
	}
	return out
}()

// set keeps an attribute that has a field.
func (s *Span) set(name, value string) {
	if is, ok := places[name]; ok && value != "" && (s.ranks[is.field] == 0 || is.rank <= s.ranks[is.field]) {
		s.Fields[is.field], s.ranks[is.field] = value, is.rank
	}
}

// kinds are those of OTLP by their number, and of all formats by name.
var kinds = map[string]Kind{
	"1": Internal, "2": Server, "3": Client, "4": Producer, "5": Consumer,
	"internal": Internal, "server": Server, "client": Client, "producer": Producer, "consumer": Consumer,
}

func kindNamed(text string) Kind {
	return kinds[strings.TrimPrefix(strings.ToLower(text), "span_kind_")]
}

// settle completes a span once all its members are read. Each format has its own place for parent, end, kind and failure.
func (s *Span) settle() {
	for _, ref := range []reference{s.childOf, s.follows} {
		if sameTrace := ref.trace == s.Trace || ref.trace == [2]uint64{}; s.Parent == 0 && sameTrace {
			s.Parent = ref.id
		}
	}
	if s.Start != 0 && s.End == 0 {
		s.End = s.Start + s.lasts
	}
	f := &s.Fields
	s.Kind = cmp.Or(kindNamed(f[ownKind]), kindNamed(f[kindTag]))
	s.Shared = f[ownShared] == "true"
	code, err := strconv.Atoi(f[httpStatus])
	s.Failed = f[failure] != "" && f[failure] != "false" && f[failure] != "0" || f[statusTag] == "ERROR" ||
		f[ownStatus] == "2" || f[ownStatus] == "STATUS_CODE_ERROR" || err == nil && code >= 500
}
