package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestDocs reads the examples of the user's page: experiments, and among them a
// workload and a tracer.
func TestDocs(t *testing.T) {
	t.Setenv("DATABASE_URL", "postgres://127.0.0.1/")
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
		experiment, // a search
		experiment, // a relative rate
		experiment, // a warm-up that is found
		experiment, // faults
		func(text []byte) error { _, err := ParseWorkload("workload.yaml", "w", text); return err },
		experiment, // request data and gRPC
		func(text []byte) error { _, err := ParseTracer("tracer.yaml", "t", text); return err },
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
		made, err := ParseTracer("tracer.yaml", "t", []byte(example[1]))
		if err != nil || len(made.Processes) != 1 || !made.Processes[0].Beside {
			t.Errorf("example %d: %v, %+v", i+1, err, made)
		}
	}
}

// TestDocsOfElasticSettings holds the table of their defaults against the tracers: it has
// every setting, and of each tracer the default or – where it has none such.
func TestDocsOfElasticSettings(t *testing.T) {
	page, err := os.ReadFile("../../docs/tracers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| setting | Go | Python | Java | Node | what it is |\n|---|---|---|---|---|---|\n")
	if !ok {
		t.Fatal("the page has no such table")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	told := map[string][]string{}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 6 {
			t.Fatalf("row %q", row)
		}
		told[strings.Trim(cells[0], "`")] = cells[1:5]
	}
	for i, language := range []string{"go", "python", "java", "node"} {
		tracer, err := builtIn().Tracer("elastic-" + language)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tracer.settingNames() {
			if told[name] == nil {
				t.Errorf("setting %s of %s is not in the table", name, tracer.Name)
			}
		}
		for name, cells := range told {
			want := "–"
			if set := tracer.Setting(name); set != nil && set.Default == "" {
				want = "none"
			} else if set != nil {
				want = "`" + set.Default + "`"
			}
			if cells[i] != want {
				t.Errorf("%s of %s: %s, want %s", name, tracer.Name, cells[i], want)
			}
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
