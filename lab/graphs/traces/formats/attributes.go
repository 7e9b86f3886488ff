package formats

import (
	"strconv"
	"strings"
)

// Field is what an attribute of a span says, whatever its name was in the conventions of its time.
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
	Whole   // of such a span: whether all that it called is below it
	serviceName
	kindOfSpan
	failure
	statusCode
	httpStatus
	fields
)

// Fields are the attributes of a span, "" where it has none.
type Fields [fields]string

// named are the attributes that are read. Of several with the same field the first of the list wins.
var named = map[string]struct {
	field Field
	rank  uint8
}{
	"rpc.system.name": {RPCSystem, 1}, "rpc.system": {RPCSystem, 2}, "rpc.service": {RPCService, 1}, "rpc.method": {RPCMethod, 1},
	"http.request.method": {HTTPMethod, 1}, "http.method": {HTTPMethod, 2},
	"http.route": {Route, 1}, "url.template": {Route, 2}, "url.path": {Path, 1}, "http.target": {Path, 2}, "http.path": {Path, 3},
	"url.full": {URL, 1}, "http.url": {URL, 2},
	"db.system.name": {DBSystem, 1}, "db.system": {DBSystem, 2}, "db.type": {DBSystem, 3},
	"db.operation.name": {DBOperation, 1}, "db.operation": {DBOperation, 2},
	"db.query.summary": {DBStatement, 1}, "db.query.text": {DBStatement, 2}, "db.statement": {DBStatement, 3},
	"db.namespace": {DBName, 1}, "db.name": {DBName, 2}, "db.instance": {DBName, 3},
	"messaging.system": {Messaging, 1}, "messaging.destination.name": {Destination, 1}, "messaging.destination": {Destination, 2},
	"service.peer.name": {Peer, 1}, "peer.service": {Peer, 2},
	"server.address": {Host, 1}, "net.peer.name": {Host, 2}, "peer.hostname": {Host, 3}, "http.host": {Host, 4}, "peer.address": {Host, 5},
	"http.request.body.size": {Request, 1}, "http.request_content_length": {Request, 2}, "request_size": {Request, 3},
	"http.response.body.size": {Answer, 1}, "http.response_content_length": {Answer, 2}, "response_size": {Answer, 3},
	"tracetax.parent": {KnownBy, 1}, "tracetax.ended": {Ended, 1}, "tracetax.whole": {Whole, 1},
	"service.name": {serviceName, 1}, "span.kind": {kindOfSpan, 1},
	"error": {failure, 1}, "otel.status_code": {statusCode, 1},
	"http.response.status_code": {httpStatus, 1}, "http.status_code": {httpStatus, 2},
}

// isWanted reports whether an attribute is read.
func isWanted(name string) bool {
	_, ok := named[name]
	return ok
}

// set keeps an attribute.
func (s *Span) set(name, value string) {
	if is, ok := named[name]; ok && value != "" && (s.ranks[is.field] == 0 || is.rank <= s.ranks[is.field]) {
		s.Fields[is.field], s.ranks[is.field] = value, is.rank
	}
}

// settle reads from its attributes what Jaeger and Zipkin have no place for.
func (s *Span) settle() {
	if kind := kindNamed(s.Fields[kindOfSpan]); s.Kind == Unknown {
		s.Kind = kind
	}
	if failed := s.Fields[failure]; failed != "" && failed != "false" && failed != "0" {
		s.Failed = true
	}
	if s.Fields[statusCode] == "ERROR" {
		s.Failed = true
	}
	if status, err := strconv.Atoi(s.Fields[httpStatus]); err == nil && status >= 500 {
		s.Failed = true
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
