// Operations with files: request data, and the types of a gRPC service.

package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// TestFilesOfTheFolder: a workload's operation names files of the workload's
// folder, and the copy that the run has of it is where they are found. The
// service is a sink, which counts what it is sent: JSON that became protobuf.
func TestFilesOfTheFolder(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range []protoreflect.FileDescriptor{
		common.File_opentelemetry_proto_common_v1_common_proto, resource.File_opentelemetry_proto_resource_v1_resource_proto,
		traces.File_opentelemetry_proto_trace_v1_trace_proto, collector.File_opentelemetry_proto_collector_trace_v1_trace_service_proto,
	} {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	types, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"types.pb": types, "rows.csv": []byte("trace,span\nAAAAAAAAAAAAAAAAAAAAAQ==,AAAAAAAAAAE=\nAAAAAAAAAAAAAAAAAAAAAg==,AAAAAAAAAAI=\n")} {
		if err := os.WriteFile(filepath.Join(source, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	conductor, q := request(t, record.Measured, "/work")
	conductor.Self = []string{self}
	export := program.Operation{
		Name: "export", Method: "POST", GRPC: true, URL: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
		Data: "rows.csv", Order: program.OrderRandom, Protoset: "types.pb",
		Body: program.Content{Bytes: []byte(`{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "{data.trace}", "spanId": "{data.span}", "name": "x"}]}]}]}`)},
	}
	q.Plan.Silent, q.Plan.Says = true, nil
	q.Plan.Processes[0].Run = []string{self, "sink", "--json", "--otlp-http", "", "--otlp-grpc", "127.0.0.1:{port}"}
	q.Folders.Source, q.First = source, export
	q.Phases[0].Operation = export
	made, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if made.Failed() {
		t.Fatalf("%+v", made.Failure)
	}
	l, warmup := made.Phases[0].Load, made.Phases[0].Warmup
	if l.Completed == 0 || l.Completed != l.Intended {
		t.Fatalf("of %d calls %d were right: %v", l.Intended, l.Completed, l.Errors)
	}
	var counted struct {
		Spans uint64 `json:"spans"`
	}
	logs, err := filepath.Glob(filepath.Join(conductor.Logs, "*", "app*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(string(text), "{\n"); at >= 0 {
			if err := json.NewDecoder(strings.NewReader(string(text[at:]))).Decode(&counted); err != nil {
				t.Fatalf("%s: %v\n%s", log, err, text)
			}
		}
	}
	if want := 1 + warmup.Completed + l.Completed; counted.Spans != want {
		t.Errorf("the service counted %d spans, want %d", counted.Spans, want)
	}
}
