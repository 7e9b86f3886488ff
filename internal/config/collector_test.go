package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
)

// collectorHop is the hop that a configuration of a Collector makes, in a file of its own beside the experiment.
func collectorHop(t *testing.T, config, more string) (program.Process, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := ParseExperiment("x.yaml", dir, []byte("workload: hello/go\nvariants: {none: , x: {tracer: otel, via: {collector: {config: mine.yaml"+more+"}}}}\n"), builtIn())
	if err != nil {
		return program.Process{}, err
	}
	hop := es[0].Variants[1].Via[0]
	hop.Copy.File = "the configuration of collector" // as it is called where it stands in the experiment
	again(t, builtIn(), es[0])
	return hop, nil
}

// at is the value at a way of keys in a text of YAML.
func at(t *testing.T, text string, way ...string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for _, key := range way {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// configuration is one with an OTLP receiver, an exporter, and these parts besides.
func configuration(processors, exporters, traces, more string) string {
	return `receivers: {otlp: {protocols: {grpc: , http: {endpoint: "0.0.0.0:4318"}}}}
processors: {` + processors + `}
exporters: {otlp: {endpoint: "there:4317", tls: {ca_file: x}}` + exporters + `}
service:
  pipelines:
    traces: {receivers: [otlp], ` + traces + `}
` + more
}

// foreign is a host with a port, or a URL, that is not the run's.
var foreign = regexp.MustCompile(`(?m)(?:https?://|[a-z0-9.\]}-]:)[0-9]{2,5}\b|https?://[a-z]`)

// Configurations as people have them: a copy is made of each, in which nothing names a host that is not the run's.
func TestCopiesOfCollectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "e2e", "testdata", "collectors", "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		hop, err := collectorHop(t, string(text), "")
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, line := range strings.Split(hop.Config, "\n") {
			if foreign.MatchString(line) && !strings.Contains(line, "${env:SINK") && !strings.Contains(line, "allowed") && !strings.Contains(line, `"http`) {
				t.Errorf("%s: the copy has %q", file, line)
			}
		}
		if hop.Copy.Given != string(text) || len(hop.Copy.Changes) < 4 || len(hop.Copy.Routes.Counted) != 1 {
			t.Errorf("%s: %+v", file, hop.Copy)
		}
		at(t, hop.Config)
	}
}

func TestCopyOfACollector(t *testing.T) {
	hop, err := collectorHop(t, configuration(`batch: {timeout: 2s}, batch/metrics: {timeout: 60s}`,
		`, otlphttp/x: {traces_endpoint: "https://a/v1/traces", auth: {authenticator: basicauth}, headers: {k: "0123", j: 0123}}, datadog: {sending_queue: {queue_size: 5}}, logging: `,
		`processors: [batch], exporters: [otlp, logging]`, `    metrics: {receivers: [otlp], processors: [batch/metrics], exporters: [otlphttp/x, datadog]}
  extensions: [health_check/a, file_storage, opamp]
  telemetry: {logs: {level: "info"}, traces: {level: none}, metrics: {level: detailed, address: ":8888"}}
extensions: {health_check/a: , file_storage: {directory: /var/x, compaction: {directory: /y}}, opamp: }
`), "")
	if err != nil {
		t.Fatal(err)
	}
	for way, want := range map[string]any{
		"receivers.otlp.protocols.grpc.endpoint":    "${env:OTLP_GRPC}",
		"receivers.otlp.protocols.http.endpoint":    "${env:OTLP_HTTP}",
		"exporters.otlp.endpoint":                   "${env:SINK}",
		"exporters.otlp.tls":                        map[string]any{"insecure": true},
		"exporters.otlphttp/x.endpoint":             "http://${env:SINK_HTTP}",
		"exporters.otlphttp/x.traces_endpoint":      nil,
		"exporters.otlphttp/x.auth":                 nil,
		"exporters.otlphttp/x.headers.k":            "0123",
		"exporters.datadog":                         nil,
		"exporters.otlp_grpc/datadog.endpoint":      "${env:SINK}",
		"exporters.otlp_grpc/datadog.sending_queue": map[string]any{"queue_size": uint64(5)},
		"extensions.health_check/a.endpoint":        "127.0.0.1:0",
		"extensions.file_storage.directory":         "${env:STORAGE}/file_storage",
		"extensions.file_storage.create_directory":  true,
		"extensions.file_storage.compaction":        nil,
		"extensions.opamp":                          nil,
		"service.extensions":                        []any{"health_check/a", "file_storage"},
		"service.telemetry.traces":                  nil,
		"service.telemetry.logs.level":              "info",
		"service.telemetry.metrics.level":           "detailed",
		"service.telemetry.metrics.address":         nil,
		"service.pipelines.traces.exporters":        []any{"otlp", "debug/logging"},
		"service.pipelines.metrics.exporters":       []any{"otlphttp/x", "otlp_grpc/datadog"},
		"processors.batch/metrics.timeout":          "60s",
	} {
		if got := at(t, hop.Config, strings.Split(way, ".")...); !cmp.Equal(got, want) {
			t.Errorf("%s is %#v, want %#v", way, got, want)
		}
	}
	if !strings.Contains(hop.Config, "j: 0123\n") || !strings.Contains(hop.Config, `port: ${env:METRICS_PORT}`) {
		t.Errorf("a number in no quotes got some, or the counters are shown nowhere:\n%s", hop.Config)
	}
	if hop.Copy.Holds != 2*time.Second || hop.Holds() != 2*time.Second {
		t.Errorf("it holds spans for %v, with its settings for %v", hop.Copy.Holds, hop.Holds())
	}
	var lines []int
	for _, c := range hop.Copy.Changes {
		lines = append(lines, c.Line)
	}
	if !slices.IsSorted(lines) || lines[0] != 1 {
		t.Errorf("lines %v", lines)
	}
}

// Processors that may give spans other names.
func TestRenamingCollectors(t *testing.T) {
	for processor, want := range map[string]bool{
		"batch: ": false, "tail_sampling: ": false, "attributes: {actions: [{key: name, action: delete}]}": false, "span: {name: {from_attributes: [a]}}": true,
		`transform: {trace_statements: ['set(span.name, "x")']}`: true, `transform: {trace_statements: ['keep_keys(span.attributes, ["a"])']}`: false,
	} {
		hop, err := collectorHop(t, configuration(processor, "", "processors: ["+program.TypeOf(strings.SplitN(processor, ":", 2)[0])+"], exporters: [otlp]", ""), "")
		if err != nil || hop.Copy.Renames != want {
			t.Errorf("%s: %t, %v", processor, hop.Copy.Renames, err)
		}
	}
}

// What is written for tracetax's own variables stays as it is.
func TestCopyKeepsWhatIsWrittenForARun(t *testing.T) {
	text, err := builtIn().Service("collector")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(filepath.Join("..", "..", "services", "collector", "collector.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	hop, err := collectorHop(t, string(own), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(hop.Copy.Changes) > 0 || !cmp.Equal(hop.Service.Says, text.Says) || len(hop.Copy.Receives) != 3 {
		t.Errorf("%+v", hop.Copy)
	}
	var want, got any
	if err := yaml.Unmarshal(own, &want); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(hop.Config), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-own +copy)\n%s", diff)
	}
}

// Where spans leave by several exporters, the sink counts one way, and the Collector's word is of that way.
func TestRoutesOfCollectors(t *testing.T) {
	const zipkin = `, zipkin: {endpoint: "http://z/api"}, otlphttp: {endpoint: "http://h"}`
	sampler := `tail_sampling: {decision_wait: 1s, policies: []}, filter: , batch: `
	for name, c := range map[string]struct {
		traces, more string
		counted      []string
		leftOut      string
		copies       map[string]string // by pipeline: its exporters
		sends        []protocol.Name
	}{
		"one":       {traces: "exporters: [otlp]", counted: []string{"otlp"}, sends: []protocol.Name{protocol.OTLPGRPC}},
		"two":       {traces: "exporters: [otlphttp, otlp, zipkin]", counted: []string{"otlphttp"}, copies: map[string]string{"traces": "otlphttp otlp/otlp-copy otlp_http/zipkin-copy"}, sends: []protocol.Name{protocol.OTLPHTTP}},
		"a sampler": {traces: "processors: [tail_sampling], exporters: [zipkin]", counted: []string{"zipkin"}, sends: []protocol.Name{protocol.Zipkin}},
		"a sampler beside all": {traces: "processors: [tail_sampling, batch], exporters: [otlp]", more: "    traces/all: {receivers: [otlp], processors: [batch], exporters: [otlp]}\n",
			counted: []string{"otlp"}, leftOut: program.LeftOutElsewhere, copies: map[string]string{"traces": "otlp/otlp-copy", "traces/all": "otlp"}, sends: []protocol.Name{protocol.OTLPGRPC}},
		"a sampler of figures": {traces: "exporters: [otlp, forward]", more: "    traces/figures: {receivers: [forward], processors: [filter], exporters: [nop]}\nconnectors: {forward: }\n",
			counted: []string{"otlp"}, leftOut: program.LeftOutElsewhere, sends: []protocol.Name{protocol.OTLPGRPC}},
		"two samplers": {traces: "processors: [tail_sampling], exporters: [otlp]", more: "    traces/b: {receivers: [otlp], processors: [filter], exporters: [zipkin]}\n",
			counted: []string{"otlp", "zipkin"}, leftOut: program.LeftOutUnknown, sends: []protocol.Name{protocol.OTLPGRPC, protocol.Zipkin}},
		"by a connector": {traces: "exporters: [forward]", more: "    traces/b: {receivers: [forward], processors: [filter], exporters: [zipkin]}\nconnectors: {forward: }\n",
			counted: []string{"zipkin"}, sends: []protocol.Name{protocol.Zipkin}},
	} {
		hop, err := collectorHop(t, configuration(sampler, zipkin+", nop: ", c.traces, c.more), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := hop.Copy.Routes
		if !slices.Equal(r.Counted, c.counted) || r.LeftOut != c.leftOut || !slices.Equal(hop.Copy.Sends, c.sends) {
			t.Errorf("%s: %+v, sent by %v", name, r, hop.Copy.Sends)
		}
		for id, want := range c.copies {
			var got []string
			for _, exporter := range at(t, hop.Config, "service", "pipelines", id, "exporters").([]any) {
				got = append(got, exporter.(string))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: pipeline %s exports to %v, want %s", name, id, got, want)
			}
			for _, exporter := range got {
				headers := at(t, hop.Config, "exporters", exporter, "headers")
				if marked := cmp.Equal(headers, map[string]any{protocol.CopyHeader: "true"}); marked != strings.HasSuffix(exporter, "-copy") {
					t.Errorf("%s: %s has the headers %v", name, exporter, headers)
				}
			}
		}
		for _, one := range hop.Service.Says {
			switch one.What {
			case program.SaysSent, program.SaysFailed, program.SaysDropped:
				if series, ok := program.ParseSeries(one.Metrics); !ok || !slices.Contains(c.counted, series.Labels["exporter"]) {
					t.Errorf("%s: it says %s by %s", name, one.What, one.Metrics)
				}
			case program.SaysKept, program.SaysEarly, program.SaysLate:
				if c.leftOut != "" {
					t.Errorf("%s: what it says is %s of another way", name, one.What)
				}
			}
		}
		says := slices.ContainsFunc(hop.Service.Says, func(s program.Saying) bool { return s.What == program.SaysSampled })
		if says != (c.leftOut != program.LeftOutUnknown) {
			t.Errorf("%s: whether it says what it left out is %t", name, says)
		}
	}
}

func TestCollectorsThatCannotBe(t *testing.T) {
	lacks := "otelcol-contrib"
	for name, c := range map[string]struct{ config, want string }{
		"processor": {configuration("redaction: ", "", "processors: [redaction], exporters: [otlp]", ""), "mine.yaml:6:46: processor redaction"},
		"connector": {configuration("", "", "exporters: [servicegraph, otlp]", "    metrics: {receivers: [servicegraph], exporters: [otlp]}\nconnectors: {servicegraph: }\n"), "mine.yaml:6:45: connector servicegraph"},
		"undefined": {configuration("", "", "exporters: [otlp]", "    metrics: {receivers: [otlp, hostmetrics], exporters: [otlp]}\n"), "mine.yaml:7:33: pipeline metrics names hostmetrics, which is not under receivers"},
		"pipelines": {"receivers: {otlp: }\n", "mine.yaml:1:1: this is no configuration of a Collector"},
		"exporter":  {configuration("", ", debug: ", "exporters: [debug]", ""), "mine.yaml:6:5: no pipeline of traces sends spans on"},
		"receiver":  {"receivers: {jaeger: {protocols: {grpc: }}}\nexporters: {otlp: }\nservice: {pipelines: {traces: {receivers: [jaeger], exporters: [otlp]}}}\n", "no pipeline of traces has a receiver that spans can come to"},
		"list":      {configuration("", "", "exporters: otlp", ""), "exporters of pipeline traces must be a list"},
		"syntax":    {"receivers: [\n", "mine.yaml:"},
		"storage of a queue": {configuration("", ", otlp/b: {endpoint: b, sending_queue: {storage: db_storage/q}}", "exporters: [otlp, otlp/b]", "  extensions: [db_storage/q]\nextensions: {db_storage/q: {driver: sqlite}}\n"),
			"mine.yaml:3:111: exporters.otlp/b.sending_queue.storage names extension db_storage/q, and the Collector that is built here has no db_storage"},
		"storage that is not switched on": {configuration("", ", otlp/b: {endpoint: b, sending_queue: {storage: db_storage/q}}", "exporters: [otlp, otlp/b]", "extensions: {db_storage/q: {driver: sqlite}}\n"),
			"names extension db_storage/q"},
		"middlewares": {configuration("", ", otlp/b: {endpoint: b, middlewares: [{id: limitermiddleware}]}", "exporters: [otlp, otlp/b]", "  extensions: [limitermiddleware]\nextensions: {limitermiddleware: }\n"),
			"exporters.otlp/b.middlewares.id names extension limitermiddleware"},
		"encoding": {strings.Replace(configuration("", "", "exporters: [otlp]", "  extensions: [text_encoding]\nextensions: {text_encoding: }\n"), "receivers: {otlp: {", "receivers: {otlp: {encoding: text_encoding, ", 1),
			"mine.yaml:1:30: receivers.otlp.encoding names extension text_encoding"},
		"of another extension": {configuration("", "", "exporters: [otlp]", "  extensions: [zpages, db_storage]\nextensions: {db_storage: , zpages: {storage: db_storage}}\n"), "extensions.zpages.storage names extension db_storage"},
		"a ConfigMap": {"kind: ConfigMap\ndata:\n  relay.yaml: |\n    receivers: {otlp: }\n    service: {pipelines: {traces: {}}}\n",
			"mine.yaml:3:3: this is no configuration of a Collector: the configuration lies inside, at data.relay.yaml"},
		"a resource of the operator": {"kind: OpenTelemetryCollector\nspec:\n  mode: sidecar\n  config:\n    service: {pipelines: {traces: {}}}\n", "mine.yaml:4:3: this is no configuration of a Collector: the configuration lies inside, at spec.config"},
		"a list of objects":          {"kind: List\nitems:\n  - data: {a: \"service: {pipelines: {traces: {}}}\"}\n", "lies inside, at items[0].data.a"},
	} {
		_, err := collectorHop(t, c.config, "")
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
			continue
		}
		if _, told := collectorHop(t, c.config, ", program: otelcol-contrib"); (name == "processor" || name == "connector" || strings.HasPrefix(name, "storage") || name == "middlewares") && (told != nil || !strings.Contains(err.Error(), lacks)) {
			t.Errorf("%s: with another program %v; the way out of %v", name, told, err)
		}
	}
}

// What a Collector takes in is what its file says: a tracer that sends by something else is refused, and it is ready where it listens.
func TestCollectorThatTakesInLess(t *testing.T) {
	const one = `receivers: {%s}
exporters: {otlp: }
service: {pipelines: {traces: {receivers: [%s], exporters: [otlp]}}}
`
	hop, err := collectorHop(t, strings.NewReplacer("{%s}", "{otlp: {protocols: {http: }}}", "%s", "otlp").Replace(one), "")
	if err == nil || !strings.Contains(err.Error(), "sends OTLP over gRPC, which collector does not receive: it takes in OTLP over HTTP") {
		t.Errorf("over HTTP alone: %+v, %v", hop.Service, err)
	}
	es, err := ParseExperiment("x.yaml", ".", []byte(`
workload: hello/go
variants:
  none:
  x: {tracer: none, env: {TO: "{sink.zipkin}"}, via: {collector: {config: "`+strings.ReplaceAll(strings.NewReplacer("{%s}", "{zipkin: }", "%s", "zipkin").Replace(one), "\n", `\n`)+`"}}}
`), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if hop := es[0].Variants[1].Via[0]; hop.Ready != "tcp://127.0.0.1:{port.zipkin}" {
		t.Errorf("it is ready at %s", hop.Ready)
	}
}

func TestProgramOfAHop(t *testing.T) {
	hop, err := collectorHop(t, configuration("redaction: ", ", kafka: ", "processors: [redaction], exporters: [kafka]", ""), ", program: otelcol-contrib")
	if err != nil {
		t.Fatal(err)
	}
	if hop.Run[0] != "otelcol-contrib" || len(hop.Service.Build.Run) > 0 || hop.Service.Needs[0].Command != "otelcol-contrib" || !slices.Equal(hop.Copy.Routes.Counted, []string{"otlp/kafka"}) {
		t.Errorf("%+v, %+v", hop, hop.Service)
	}
	_, err = ParseExperiment("x.yaml", ".", []byte("workload: calls\nvariants: {none: , x: {tracer: otel-java, via: {relay: {service: base, program: x}}}}\n"), shelf(map[string]string{
		"services/base/service.yaml": "run: [x, '{sink.otlp.grpc}']\nreceives: {otlp.grpc: '127.0.0.1:{port}'}\n", "tracers/otel-java/tracer.yaml": "language: java\nenv: {TO: '{sink.otlp.grpc}'}\n"}))
	if err == nil || !strings.Contains(err.Error(), "builds no program") {
		t.Errorf("%v", err)
	}
}

// The components that the service's file lists are those that its program is made of.
func TestComponentsOfTheCollector(t *testing.T) {
	service, err := builtIn().Service("collector")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join("..", "..", "services", "collector", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for _, found := range regexp.MustCompile(`(\w+)\.NewFactory\(\)`).FindAllStringSubmatch(string(program), -1) {
		if !strings.HasSuffix(found[1], "provider") && found[1] != "otelconftelemetry" {
			made = append(made, found[1])
		}
	}
	var listed []string
	for section, types := range service.Components {
		for _, kind := range types {
			name := strings.ReplaceAll(kind, "_", "")
			switch kind {
			case "otlp_grpc":
				name = "otlp"
			case "file_storage":
				listed = append(listed, name)
				continue
			}
			listed = append(listed, name+strings.TrimSuffix(section, "s"))
		}
	}
	slices.Sort(made)
	slices.Sort(listed)
	if diff := cmp.Diff(made, listed); diff != "" {
		t.Errorf("(-main.go +service.yaml)\n%s", diff)
	}
}

// FuzzCollector: whatever the text, there is a copy that is read as YAML and needs no change of an address, or there are problems.
func FuzzCollector(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "e2e", "testdata", "collectors", "*.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, filepath.Join("..", "..", "services", "collector", "collector.yaml")) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(configuration("tail_sampling: ", `, loadbalancing: {resolver: {static: {hostnames: ["${env:SINK}"]}}}`, "exporters: [loadbalancing, loadbalancing, otlp]", "    traces/b: ${env:X}\n"))
	f.Add("receivers: {otlp: {protocols: {grpc: x}}}\nexporters: {otlp: [1]}\nservice: {telemetry: 1, extensions: x, pipelines: {traces: {receivers: [otlp], exporters: '${env:X}'}}}\n")
	service, err := builtIn().Service("collector")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &program.Source{File: "x.yaml"}
		copied, c := s.CopyOf("mine.yaml", text, service, false)
		if len(s.Problems) > 0 {
			return
		}
		if _, again := s.CopyOf("copy.yaml", copied, service, false); len(s.Problems) > 0 || len(again.Receives) != len(c.Receives) {
			t.Fatalf("the copy is no configuration: %v\n%s\n%+v, %+v", s.Err(), copied, c, again)
		}
	})
}
