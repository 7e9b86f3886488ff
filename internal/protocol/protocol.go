// Package protocol owns the table of the wire protocols that spans can come in: one row each, which flags, placeholders,
// and the sink read. It is a leaf. It must not know how a protocol is received.
package protocol

import (
	"net"
	"slices"
)

// Name is the name of a protocol, as in the flag --NAME of the sink.
type Name string

// The protocols.
const (
	OTLPGRPC   Name = "otlp-grpc"
	OTLPHTTP   Name = "otlp-http"
	Zipkin     Name = "zipkin"
	Elastic    Name = "elastic"
	Datadog    Name = "datadog"
	Kieker     Name = "kieker"
	SkyWalking Name = "skywalking"
	Pinpoint   Name = "pinpoint"
	Scouter    Name = "scouter"
	Glowroot   Name = "glowroot"
	Ring       Name = "ring"
)

// Row is one protocol.
type Row struct {
	Name   Name
	Word   string // its placeholder is {sink.WORD}
	Title  string // for people
	Always bool   // the sink of every run serves it
	Whole  bool   // {sink.WORD} stands for host:port
	Split  bool   // {sink.WORD.host} and {sink.WORD.port} stand for its parts

	Unanswered bool // its senders wait for no answer, so none can be late
	Packets    bool // its senders send datagrams too, to the port of the same number
	Folder     bool // its senders write into a folder in memory: that is its address
}

// Table lists all protocols.
var Table = []Row{
	{Name: OTLPGRPC, Word: "otlp.grpc", Title: "OTLP over gRPC", Always: true, Whole: true},
	{Name: OTLPHTTP, Word: "otlp.http", Title: "OTLP over HTTP", Always: true, Whole: true},
	{Name: Zipkin, Word: "zipkin", Title: "Zipkin v2", Whole: true},
	{Name: Elastic, Word: "elastic", Title: "Elastic APM's intake", Whole: true},
	{Name: Datadog, Word: "datadog", Title: "Datadog's trace API", Whole: true},
	{Name: Kieker, Word: "kieker", Title: "Kieker's records over TCP", Whole: true, Split: true, Unanswered: true},
	{Name: SkyWalking, Word: "skywalking", Title: "SkyWalking over gRPC", Whole: true},
	{Name: Pinpoint, Word: "pinpoint", Title: "Pinpoint over gRPC", Split: true},
	{Name: Scouter, Word: "scouter", Title: "Scouter over UDP and TCP", Split: true, Unanswered: true, Packets: true},
	{Name: Glowroot, Word: "glowroot", Title: "Glowroot over gRPC", Whole: true},
	{Name: Ring, Word: "ring", Title: "rings of the JVM tracer", Whole: true, Unanswered: true, Folder: true},
}

// CopyHeader is the header, or metadata, of a request whose spans come to the sink by another request too: it takes them in, and
// does not count them. CopiesGRPC and CopiesHTTP are the placeholders of where a hop sends such: to the sink, whatever is between.
const (
	CopyHeader = "tracetax-copy"
	CopiesGRPC = "copies.grpc"
	CopiesHTTP = "copies.http"
)

// Receivers are the default ports of receivers of spans, with their protocols.
var Receivers = map[uint16]string{
	4317: "OTLP over gRPC", 4318: "OTLP over HTTP", 9411: "Zipkin", 14250: "Jaeger over gRPC", 14268: "Jaeger over HTTP",
	8126: "Datadog", 8200: "Elastic APM", 11800: "SkyWalking",
}

// Prefix begins the placeholders that stand for where the sink is.
const Prefix = "sink."

// Of returns the row of a protocol, false where there is none of that name.
func Of(name Name) (Row, bool) {
	i := slices.IndexFunc(Table, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return Table[i], true
}

// words are the placeholders of a protocol, without braces: for its address, for its host, and for its port; "" for one
// that it does not have.
func (r Row) words() (whole, host, port string) {
	if r.Whole {
		whole = Prefix + r.Word
	}
	if r.Split {
		host, port = Prefix+r.Word+".host", Prefix+r.Word+".port"
	}
	return whole, host, port
}

// Placeholders lists the placeholders of all protocols, without braces.
func Placeholders() []string {
	var out []string
	for _, r := range Table {
		whole, host, port := r.words()
		out = append(out, whole, host, port)
	}
	return slices.DeleteFunc(out, func(word string) bool { return word == "" })
}

// Named returns the protocols that placeholders, without braces, name, in the order of the table.
func Named(placeholders []string) []Row {
	var out []Row
	for _, r := range Table {
		whole, host, port := r.words()
		if slices.ContainsFunc(placeholders, func(word string) bool {
			return word != "" && (word == whole || word == host || word == port)
		}) {
			out = append(out, r)
		}
	}
	return out
}

// Addresses are the addresses of served protocols, host:port, or the path of a folder; those of others are absent, or "".
type Addresses map[Name]string

// Values are the values of the placeholders of served protocols.
func (a Addresses) Values() map[string]string {
	values := map[string]string{}
	for _, r := range Table {
		address := a[r.Name]
		if address == "" {
			continue
		}
		whole, host, port := r.words()
		values[whole] = address
		if h, p, err := net.SplitHostPort(address); err == nil {
			values[host], values[port] = h, p
		}
	}
	delete(values, "")
	return values
}

// None reports whether no protocol is served.
func (a Addresses) None() bool {
	for _, address := range a {
		if address != "" {
			return false
		}
	}
	return true
}
