package rebuild

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
)

// Kinds of spans, as OTLP numbers them.
const (
	kindServer = 2
	kindClient = 3
)

const mostSpans = 1000 // of a line

// spanWriter writes spans as lines of JSON, each a request of OTLP.
type spanWriter struct {
	to    io.Writer
	names *Names
	lines map[string][]byte // the spans of each service, with commas
	run   int               // of several in one file
	n     int
}

func newSpanWriter(to io.Writer, names *Names, run int) *spanWriter {
	return &spanWriter{to: to, names: names, run: run, lines: map[string][]byte{}}
}

// add writes the spans of a call: the client's where a process is known that called, and the server's where it is no store.
func (w *spanWriter) add(c *call) error {
	if w.to == nil {
		return nil
	}
	to := w.names.server(c.To)
	from := w.names.alone[c.From.Addr()]
	if from == "" {
		from = c.by
	}
	if from == "" && c.how != tree.Root {
		from = c.From.Addr().String()
	}
	store := to.store != "" || to.stub || c.Protocol == packets.Redis || c.Protocol == packets.Memcached || c.Protocol == packets.MongoDB
	var above [8]byte
	if c.parent != 0 {
		above = spanOf(c.parent, kindServer)
	}
	if from != "" {
		w.span(w.names.service(from), c, to, kindClient, above, store)
		above = spanOf(c.number, kindClient)
	}
	if !store || from == "" {
		w.span(w.names.service(to.name), c, to, kindServer, above, false)
	}
	if w.n >= mostSpans {
		return w.flush()
	}
	return nil
}

// span adds a span to those of a service.
func (w *spanWriter) span(service string, c *call, to process, kind int, above [8]byte, store bool) {
	b := w.lines[service]
	if len(b) > 0 {
		b = append(b, ',')
	}
	// Runs of one block have the same traces: those of further runs are changed.
	id, own := c.trace, spanOf(c.number, kind)
	binary.BigEndian.PutUint64(id[:], binary.BigEndian.Uint64(id[:])^uint64(w.run)*0x9e3779b97f4a7c15)
	b = hex.AppendEncode(append(b, `{"traceId":"`...), id[:])
	b = hex.AppendEncode(append(b, `","spanId":"`...), own[:])
	if above != [8]byte{} {
		b = hex.AppendEncode(append(b, `","parentSpanId":"`...), above[:])
	}
	b = text(append(b, `","name":`...), w.nameOf(c, to, store))
	b = strconv.AppendInt(append(b, `,"kind":`...), int64(kind), 10)
	b = strconv.AppendInt(append(b, `,"startTimeUnixNano":"`...), c.Asked.UnixNano(), 10)
	b = strconv.AppendInt(append(b, `","endTimeUnixNano":"`...), endOf(c).UnixNano(), 10)
	b = w.attributes(append(b, `","attributes":[`...), c, to, kind, store)
	b = append(b, ']')
	if failed(c, kind) {
		b = append(b, `,"status":{"code":2}`...)
	}
	w.lines[service] = append(b, '}')
	w.n++
}

// nameOf is the name of a span by OpenTelemetry's conventions.
func (w *spanWriter) nameOf(c *call, to process, store bool) string {
	switch {
	case store:
		return strings.TrimSpace(operationOf(c) + " " + w.names.service(to.name))
	case c.Protocol == packets.GRPC:
		return strings.TrimPrefix(c.Method, "/")
	case c.Method == "":
		return c.Protocol
	}
	return c.Method
}

// operationOf names the operation of a store. A node that stands for one is called by HTTP: POST /get.
func operationOf(c *call) string {
	if c.Protocol != packets.HTTP {
		return c.Method
	}
	return strings.TrimPrefix(c.Method[strings.IndexByte(c.Method, ' ')+1:], "/")
}

// endOf is the last time that is known of a call.
func endOf(c *call) time.Time {
	return slices.MaxFunc([]time.Time{c.Asked, c.AskedAll, c.Answered, c.AnsweredAll}, time.Time.Compare)
}

// failed reports whether a call failed, as its span has it: a refusal is no failure of a server.
func failed(c *call, kind int) bool {
	switch c.Protocol {
	case packets.HTTP:
		return c.Status >= "500" || kind == kindClient && c.Status >= "400"
	case packets.GRPC:
		return c.Status != "0" && c.Status != ""
	case packets.Turns:
		return false
	}
	return c.Status != "OK" && c.Status != ""
}

// attributes appends those of a call's span.
func (w *spanWriter) attributes(b []byte, c *call, to process, kind int, store bool) []byte {
	b = attribute(b, "tracetax.parent", string(c.how))
	if c.doubted {
		b = append(b, `,{"key":"tracetax.whole","value":{"boolValue":false}}`...)
	}
	if !c.Ended() {
		b = append(b, `,{"key":"tracetax.ended","value":{"boolValue":false}}`...)
	}
	b = number(b, "tracetax.request.bytes", c.Request)
	b = number(b, "tracetax.answer.bytes", c.Answer)
	if kind == kindClient {
		b = more(b, "service.peer.name", w.names.service(to.name))
		b = more(b, "peer.service", w.names.service(to.name))
		b = more(b, "server.address", c.To.Addr().String())
		b = number(b, "server.port", int64(c.To.Port()))
	}
	if store {
		b = more(b, "db.system.name", cmp.Or(to.store, c.Protocol))
		return more(b, "db.operation.name", operationOf(c))
	}
	switch c.Protocol {
	case packets.HTTP:
		verb, path, _ := strings.Cut(c.Method, " ")
		b = more(b, "http.request.method", verb)
		b = more(b, "url.path", path)
		if code, err := strconv.Atoi(c.Status); err == nil {
			b = number(b, "http.response.status_code", int64(code))
		}
	case packets.GRPC:
		b = more(b, "rpc.system.name", "grpc")
		b = more(b, "rpc.method", strings.TrimPrefix(c.Method, "/"))
		b = more(b, "rpc.response.status_code", c.Status)
	case packets.Thrift:
		b = more(b, "rpc.system.name", "thrift")
		b = more(b, "rpc.method", c.Method)
	}
	return b
}

func attribute(b []byte, key, value string) []byte {
	b = append(b, `{"key":"`...)
	b = append(append(b, key...), `","value":{"stringValue":`...)
	return append(text(b, value), `}}`...)
}

// more appends a further attribute, unless it is empty.
func more(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	return attribute(append(b, ','), key, value)
}

// number appends a further attribute.
func number(b []byte, key string, value int64) []byte {
	b = append(append(append(b, `,{"key":"`...), key...), `","value":{"intValue":"`...)
	return append(strconv.AppendInt(b, value, 10), `"}}`...)
}

// text appends a string as JSON has it.
func text(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\ufffd"))
	if err != nil { // only text that is no UTF-8 has one
		return append(b, `""`...)
	}
	return out
}

// flush writes the spans as one line.
func (w *spanWriter) flush() error {
	if w.to == nil || w.n == 0 {
		return nil
	}
	line := []byte(`{"resourceSpans":[`)
	for i, service := range slices.Sorted(maps.Keys(w.lines)) {
		if i > 0 {
			line = append(line, ',')
		}
		line = attribute(append(line, `{"resource":{"attributes":[`...), "service.name", service)
		line = append(line, `]},"scopeSpans":[{"scope":{"name":"tracetax graph rebuild"},"spans":[`...)
		line = append(append(line, w.lines[service]...), `]}]}`...)
	}
	clear(w.lines)
	w.n = 0
	if _, err := w.to.Write(append(line, "]}\n"...)); err != nil {
		return fmt.Errorf("writing spans: %w", err)
	}
	return nil
}
