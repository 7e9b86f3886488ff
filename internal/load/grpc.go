// A gRPC call as the plan holds it, which is in the words of HTTP/1.1, so that
// request data fills both alike; and as HTTP/2 sends it.

package load

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// grpcCall is a call with its headers in the order in which they are sent.
type grpcCall struct {
	fields  []hpack.HeaderField
	message []byte
}

// readCall appends to fields the headers that wire says. The message is part of wire.
func readCall(fields []hpack.HeaderField, wire []byte, secure bool) grpcCall {
	head, message, _ := bytes.Cut(wire, []byte("\r\n\r\n"))
	lines := strings.Split(string(head), "\r\n")
	_, path, _ := strings.Cut(lines[0], " ")
	path, _, _ = strings.Cut(path, " ")
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host, agent := "", ""
	var rest []hpack.HeaderField
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(name), strings.TrimSpace(value)
		switch name {
		case "host":
			host = value
		case "user-agent":
			agent = value
		case "content-length", "content-type", "te", "connection", "keep-alive", "upgrade":
		default:
			rest = append(rest, hpack.HeaderField{Name: name, Value: value})
		}
	}
	fields = append(fields,
		hpack.HeaderField{Name: ":method", Value: "POST"},
		hpack.HeaderField{Name: ":scheme", Value: scheme},
		hpack.HeaderField{Name: ":path", Value: path},
		hpack.HeaderField{Name: ":authority", Value: host},
		hpack.HeaderField{Name: "content-type", Value: "application/grpc"},
		hpack.HeaderField{Name: "user-agent", Value: agent},
		hpack.HeaderField{Name: "te", Value: "trailers"},
	)
	return grpcCall{fields: append(fields, rest...), message: message}
}

// What a gRPC server answers to one unary call: headers, one message with a
// length before it, and a status.

// noStatus is a status that has not come.
const noStatus = -1

// grpcReply reads one answer. reset makes it ready for one.
type grpcReply struct {
	http     int // :status; 0 until it has come
	status   int // grpc-status, or noStatus
	grpc     bool
	messages int
	body     uint64  // bytes of the messages
	prefix   [5]byte // compressed or not, and the length, of the message that comes
	have     int     // bytes of prefix
	left     uint32  // bytes of the message still to come
	bad      badResponse
}

func (r *grpcReply) reset() { *r = grpcReply{status: noStatus} }

// field takes one header field, also of the trailers.
func (r *grpcReply) field(f hpack.HeaderField) {
	switch f.Name {
	case ":status":
		n, err := strconv.Atoi(f.Value)
		if err != nil || n < 100 || n > 999 || r.http >= 200 {
			r.spoil("status")
			return
		}
		r.http = n
	case "content-type":
		r.grpc = strings.HasPrefix(f.Value, "application/grpc")
	case "grpc-status":
		n, err := strconv.ParseUint(f.Value, 10, 31)
		if err != nil {
			r.spoil("grpc-status")
			return
		}
		r.status = int(n)
	}
}

// headersRead is told that a block of headers is complete, which ends the stream if last.
func (r *grpcReply) headersRead(last bool) {
	switch {
	case r.http == 0:
		r.spoil("headers without a status")
	case r.http < 200 && last:
		r.spoil("an interim response that ends")
	}
}

// data takes bytes of the message.
func (r *grpcReply) data(b []byte) {
	if r.http < 200 {
		r.spoil("data before the headers")
	}
	for len(b) > 0 && r.bad == "" {
		if r.left > 0 {
			n := min(r.left, uint32(len(b)))
			r.left -= n
			b = b[n:]
			continue
		}
		n := copy(r.prefix[r.have:], b)
		r.have += n
		b = b[n:]
		if r.have == len(r.prefix) {
			r.message()
		}
	}
}

// message begins one.
func (r *grpcReply) message() {
	if r.prefix[0] != 0 {
		r.spoil("message compressed unasked")
	}
	r.left, r.have = binary.BigEndian.Uint32(r.prefix[1:]), 0
	r.messages++
	r.body += uint64(r.left)
}

func (r *grpcReply) spoil(what badResponse) {
	if r.bad == "" {
		r.bad = what
	}
}

// kind is what the call failed of, "" if it did not; to be asked when the stream
// has ended.
func (r *grpcReply) kind() string {
	switch {
	case r.bad != "":
		return r.bad.Error()
	case r.status > 0:
		return "grpc: " + statusName(r.status)
	case r.http != 200:
		return "grpc: HTTP status " + strconv.Itoa(r.http)
	case !r.grpc:
		return badResponse("not gRPC").Error()
	case r.status == noStatus:
		return badResponse("no grpc-status").Error()
	case r.left > 0 || r.have > 0:
		return badResponse("message cut short").Error()
	case r.messages != 1:
		return badResponse("not one message").Error()
	}
	return ""
}

// statusNames are the names of the statuses in gRPC's own documents.
var statusNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// statusName is UNKNOWN for statuses that nobody knows, as gRPC has it.
func statusName(status int) string {
	if status >= len(statusNames) {
		return statusNames[2]
	}
	return statusNames[status]
}

// Protobuf messages of gRPC operations, from JSON by the types of a descriptor set.

// message is a gRPC body in JSON with the type that it has.
type message struct {
	key    string
	body   []piece
	input  protoreflect.MessageDescriptor
	decode protojson.UnmarshalOptions
}

// newMessage reads r.Schema for the type that r.Path takes.
func newMessage(r Request) (*message, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(r.Schema, set); err != nil {
		return nil, fmt.Errorf("reading the descriptor set: %w (want what protoc --descriptor_set_out --include_imports writes)", plainSpaces(err))
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("reading the descriptor set: %w (was it made with protoc --include_imports?)", plainSpaces(err))
	}
	method, err := findMethod(files, r.Path)
	if err != nil {
		return nil, err
	}
	if method.IsStreamingClient() || method.IsStreamingServer() {
		return nil, fmt.Errorf("method %s streams: only unary calls can be made", r.Path)
	}
	m := &message{
		key:    r.Path + "\x00" + string(r.Body) + "\x00" + string(r.Schema),
		input:  method.Input(),
		decode: protojson.UnmarshalOptions{Resolver: dynamicpb.NewTypes(files)},
	}
	if r.Data == "" {
		m.body = []piece{{literal: string(r.Body)}}
		return m, nil
	}
	m.body, err = split(string(r.Body), jsonValue, plain)
	quoteJSON(m.body)
	return m, err
}

// files is what findMethod looks in.
type descriptors interface {
	FindDescriptorByName(protoreflect.FullName) (protoreflect.Descriptor, error)
	RangeFiles(func(protoreflect.FileDescriptor) bool)
}

func findMethod(files descriptors, path string) (protoreflect.MethodDescriptor, error) {
	service, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	found, err := files.FindDescriptorByName(protoreflect.FullName(service))
	s, ok := found.(protoreflect.ServiceDescriptor)
	if err != nil || !ok {
		return nil, fmt.Errorf("the descriptor set has no service %s; it has %s", service, listed(services(files)))
	}
	if m := s.Methods().ByName(protoreflect.Name(name)); m != nil {
		return m, nil
	}
	var names []string
	for i := range s.Methods().Len() {
		names = append(names, string(s.Methods().Get(i).Name()))
	}
	return nil, fmt.Errorf("service %s has no method %s; it has %s", service, name, listed(names))
}

func services(files descriptors) []string {
	var names []string
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			names = append(names, string(f.Services().Get(i).FullName()))
		}
		return true
	})
	if names == nil {
		return []string{"none"}
	}
	return names
}

// append encodes the message for a row.
func (m *message) append(b []byte, value func(column string) (cell, error)) ([]byte, error) {
	var text []byte
	for _, p := range m.body {
		text = append(text, p.literal...)
		if p.gap == nil {
			continue
		}
		var err error
		if text, err = p.gap.append(text, value); err != nil {
			return nil, err
		}
	}
	into := dynamicpb.NewMessage(m.input)
	if err := m.decode.Unmarshal(text, into); err != nil {
		return nil, fmt.Errorf("the body is no %s in JSON: %w", m.input.FullName(), plainSpaces(err))
	}
	b, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(b, into)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s: %w", m.input.FullName(), plainSpaces(err))
	}
	return b, nil
}

// encoded returns r with a Body in protobuf, where it is JSON and the same each time.
func (r Request) encoded() (Request, error) {
	if r.Schema == nil || r.Data != "" {
		return r, nil
	}
	m, err := newMessage(r)
	if err != nil {
		return r, err
	}
	r.Body, err = m.append(nil, nil)
	r.Schema = nil
	return r, err
}

// plainSpaces undoes that the protobuf library strews no-break spaces into its errors.
func plainSpaces(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "\u00a0", " "))
}

// encodeMessages turns bodies in JSON into protobuf, where they are the same each time.
func (p *plan) encodeMessages() error {
	ops := slices.Clone(p.task.Operations)
	for i, r := range ops {
		var err error
		if ops[i], err = r.encoded(); err != nil {
			return fmt.Errorf("operation %q: %w", r.Name, err)
		}
	}
	p.task.Operations = ops
	return nil
}

func (g *gap) append(b []byte, value func(column string) (cell, error)) ([]byte, error) {
	if g.message != nil {
		return g.message.append(b, value)
	}
	c, err := value(g.column)
	if err != nil {
		return nil, err
	}
	b, err = g.form.append(b, c)
	if err != nil {
		return nil, fmt.Errorf("column %s %w", g.column, err)
	}
	return b, nil
}
