// Protobuf messages of gRPC operations, from JSON by the types of a descriptor set.

package feed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// message is a gRPC body in JSON with its type.
type message struct {
	key    string
	body   []piece
	input  protoreflect.MessageDescriptor
	decode protojson.UnmarshalOptions
}

// newMessage finds the input type of r.Path in r.Schema.
func newMessage(r load.Request) (*message, error) {
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

// descriptors is the part of a file registry that findMethod uses.
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

// Encoded returns operations with their bodies in JSON turned into protobuf, if they are the same each time.
func Encoded(operations []load.Request) ([]load.Request, error) {
	out := slices.Clone(operations)
	for i, r := range operations {
		var err error
		if out[i], err = encoded(r); err != nil {
			return nil, fmt.Errorf("operation %q: %w", r.Name, err)
		}
	}
	return out, nil
}

// encoded returns r with a Body in protobuf, if it is JSON and the same each time.
func encoded(r load.Request) (load.Request, error) {
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

// plainSpaces removes the no-break spaces that the protobuf library puts into its errors.
func plainSpaces(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "\u00a0", " "))
}
