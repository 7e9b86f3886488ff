// gRPC messages: bytes, and JSON that is the same each time or by row.

package load

import (
	"strings"
	"testing"

	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

const healthCheck = "/grpc.health.v1.Health/Check"

// healthSchema is the descriptor set of the health service.
func healthSchema(t testing.TB) []byte {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(grpc_health_v1.File_grpc_health_v1_health_proto)
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bodies returns what the first n calls of r send.
func bodies(t *testing.T, r Request, n int) ([]string, error) {
	t.Helper()
	r.Address, r.GRPC = "127.0.0.1:80", true
	p, err := newPlan(t.Context(), Task{Operations: []Request{r}, Count: 1})
	if err != nil {
		return nil, err
	}
	var out []string
	for nth := range n {
		if rows := p.ops[0].rows; rows != nil {
			wire, _ := p.ops[0].bytes(uint64(nth), nil)
			_, message, _ := strings.Cut(string(wire), "\r\n\r\n")
			out = append(out, message)
			continue
		}
		out = append(out, string(p.task.Operations[0].Body))
	}
	return out, nil
}

func TestMessages(t *testing.T) {
	schema := healthSchema(t)
	csv := dataFile(t, "x.csv", "name\n\"a\"\"b\"\nc\n")
	for _, c := range []struct {
		name    string
		request Request
		want    []string
		wrong   string
	}{
		{"bytes", Request{Path: healthCheck, Body: []byte("\x0a\x01x")}, []string{"\x0a\x01x", "\x0a\x01x"}, ""},
		{"JSON", Request{Path: healthCheck, Schema: schema, Body: []byte(`{"service":"x"}`)}, []string{"\x0a\x01x", "\x0a\x01x"}, ""},
		{"no JSON", Request{Path: healthCheck, Schema: schema}, nil, "is no grpc.health.v1.HealthCheckRequest in JSON"},
		{"JSON by row", Request{Path: healthCheck, Schema: schema, Data: csv, Body: []byte(`{"service":"{data.name}"}`)}, []string{"\x0a\x03a\"b", "\x0a\x01c"}, ""},
		{"a message with a gap", Request{Path: healthCheck, Data: csv, Body: []byte("\x0a\x05{data.name}")}, nil, "needs the descriptor set"},
		{"wrong field", Request{Path: healthCheck, Schema: schema, Body: []byte(`{"servic":"x"}`)}, nil, `unknown field "servic"`},
		{"wrong field by row", Request{Path: healthCheck, Schema: schema, Data: csv, Body: []byte(`{"{data.name}":"x"}`)}, nil, "x.csv:2: the body is no grpc.health.v1.HealthCheckRequest"},
		{"wrong service", Request{Path: "/a.B/Check", Schema: schema, Body: []byte(`{}`)}, nil, "no service a.B; it has grpc.health.v1.Health"},
		{"wrong method", Request{Path: "/grpc.health.v1.Health/Chec", Schema: schema, Body: []byte(`{}`)}, nil, "no method Chec; it has Check, "},
		{"streaming", Request{Path: "/grpc.health.v1.Health/Watch", Schema: schema, Body: []byte(`{}`)}, nil, "only unary"},
		{"no descriptor set", Request{Path: healthCheck, Schema: []byte("\xff"), Body: []byte(`{}`)}, nil, "reading the descriptor set"},
	} {
		got, err := bodies(t, c.request, 2)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
