package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestDocs reads the examples of the user's page: experiments, and among them a
// workload and a tracer.
func TestDocs(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://127.0.0.1/")
	t.Setenv("SHOP_PASSWORD", "me")
	page, err := os.ReadFile("../../docs/experiment-file.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"order.json": "{}", "shop.pb": string(pricesTypes(t)), "products.csv": "id\n1\n", "quote.bin": "\x08\x01"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	experiment := func(text []byte) error { _, err := ParseExperiment("shop.yaml", dir, text, builtIn()); return err }
	parse := []func([]byte) error{
		experiment, // a small one
		experiment, // your own program
		experiment, // a variant on one of two processes
		experiment, // a login first
		func(text []byte) error { _, err := program.ParseWorkload("workload.yaml", "w", text); return err },
		experiment, // request data and gRPC
		func(text []byte) error { _, err := program.ParseTracer("tracer.yaml", "t", text); return err },
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) != len(parse) {
		t.Fatalf("%d examples, want %d", len(examples), len(parse))
	}
	for i, example := range examples {
		if err := parse[i](example[1]); err != nil {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
}

// Tracers that bring processes, as the page of tracers has them, are read.
func TestDocsOfBrought(t *testing.T) {
	page, err := os.ReadFile("../../docs/tracers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Processes that a tracer brings\n")
	section, _, _ = strings.Cut(section, "\n## ")
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples, want 2", len(examples))
	}
	for i, example := range examples {
		made, err := program.ParseTracer("tracer.yaml", "t", []byte(example[1]))
		if err != nil || len(made.Processes) != 1 || !made.Processes[0].Beside {
			t.Errorf("example %d: %v, %+v", i+1, err, made)
		}
	}
}

// pricesTypes is the descriptor set of the service in the example.
func pricesTypes(t *testing.T) []byte {
	t.Helper()
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Package: proto.String("shop.v1"),
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("Prices"), Method: []*descriptorpb.MethodDescriptorProto{{Name: proto.String("Quote")}},
		}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
