// The types of a gRPC service: with them a message is written as JSON.

package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxProtoset is how large a descriptor set may be, in bytes: every load
// generator is sent it.
const maxProtoset = 4 << 20

func (s *source) protoset(n *node) string {
	if s.line(n) == "" {
		s.fail(n.at, "protoset names a descriptor set: what protoc --descriptor_set_out=FILE --include_imports writes")
		return ""
	}
	return s.fileName(n, "protoset")
}

// fitsTypes complains of a protoset that does not go with the call, or that does
// not know its method.
func (s *source) fitsTypes(o *Operation, n *node) {
	at := n.get("protoset")
	if at == nil || o.Protoset == "" {
		return
	}
	if !o.GRPC {
		s.fail(at.at, "a protoset holds the types of a gRPC service; leave it out, or write grpc: /package.Service/Method")
		return
	}
	set, err := s.descriptors(o.Protoset)
	if err != nil {
		s.fail(at.at, "protoset: %v (want what protoc --descriptor_set_out=FILE --include_imports writes)", err)
		return
	}
	if known := methods(set); !strings.Contains(o.URL, dataStart) {
		found := false
		for _, method := range known {
			found = found || strings.HasSuffix(o.URL, method)
		}
		if !found {
			s.fail(at.at, "protoset: %s", unknown("method", printable(o.URL), known))
		}
	}
	body := n.get("body")
	switch {
	case len(o.Body) == 0:
		s.fail(at.at, "with a protoset the body is the message in JSON; write body: '{}' for an empty one")
	case o.Data == "" && !json.Valid(bytes.TrimSpace(o.Body)):
		s.fail(body.at, "with a protoset the body is the message in JSON, and this is not")
	}
}

func (s *source) descriptors(name string) (*descriptorpb.FileDescriptorSet, error) {
	f, err := openNamed(s.files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxProtoset+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxProtoset {
		return nil, fmt.Errorf("%q is larger than %d bytes", name, maxProtoset)
	}
	set := &descriptorpb.FileDescriptorSet{}
	return set, proto.Unmarshal(text, set)
}

// methods are the paths of all methods of a descriptor set.
func methods(set *descriptorpb.FileDescriptorSet) []string {
	var out []string
	for _, file := range set.File {
		prefix := "/"
		if file.GetPackage() != "" {
			prefix += file.GetPackage() + "."
		}
		for _, service := range file.Service {
			for _, method := range service.Method {
				out = append(out, prefix+service.GetName()+"/"+method.GetName())
			}
		}
	}
	return out
}
