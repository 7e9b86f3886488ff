// Processes that a tracer brings: real sidecars in front of real services, and what is known of their cost.

package e2e

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// broughtCatalog has tracers that bring a sidecar: one that burns an injected overhead of CPU for each request beside spans of
// the service, and a real nginx.
func broughtCatalog(t *testing.T, mesh string) string {
	t.Helper()
	catalog := t.TempDir()
	for name, text := range map[string]string{
		"tracers/mesh/tracer.yaml": `
description: spans of each service, and a proxy in front of it
env: {SINK: "{sink.otlp.grpc}"}
settings:
  burn: {kind: count, default: 1000, description: µs of CPU for each request}
  delay: {kind: duration, default: 100ms, meaning: delay}
processes:
  - {name: proxy, beside: true, front: true, run: [` + mesh + `, proxy, "127.0.0.1:{port}", "127.0.0.1:{beside.port}", "{setting.burn}"], cpus: 1, memory: 256MiB}
`,
		"tracers/shield/tracer.yaml": `
description: nginx in front
settings: {spans: {default: none, choices: {none: {description: it makes none, silent: true}}}}
processes:
  - name: nginx
    beside: true
    front: true
    run: [/usr/sbin/nginx, -e, stderr, -p, "{tmp}", -c, "{templates}/shield.conf"]
    templates: [shield.conf]
`,
		"tracers/shield/shield.conf": `daemon off; worker_processes 1; pid nginx-{beside.process}.pid; events {} http { access_log off;
server { listen 127.0.0.1:{port}; location / { proxy_pass http://127.0.0.1:{beside.port}; } } }
`,
		"tracers/dead/tracer.yaml": `
processes:
  - {name: proxy, beside: true, front: true, run: [sh, -c, "echo no licence for {port} before {beside.port}; exit 3"]}
`,
	} {
		path := filepath.Join(catalog, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return catalog
}

const broughtServices = `workload:
  name: shop
  processes:
    - {name: cart, run: [MESH, service, "127.0.0.1:{port}"]}
    - {name: shop, run: [MESH, service, "127.0.0.1:{port}", "127.0.0.1:{cart.port}"]}
  operations:
    buy: {request: GET /, process: shop}
`

// What one service of three burns more in a variant is found in that service and not in the others, and no verdict on the whole
// is corrected for it.
func TestOneServiceOfThree(t *testing.T) {
	t.Parallel() // CPU is burnt in lengths that are known, and looked at apart from times
	mesh := filepath.Join(built(t, "mesh", func(dir string) error {
		return runIn(".", "go", "build", "-o", filepath.Join(dir, "mesh"), "./testdata/mesh")
	}), "mesh")
	file := write(t, strings.ReplaceAll(`workload:
  name: shop
  processes:
    - {name: stock, run: [MESH, service, "127.0.0.1:{port}"]}
    - {name: cart, run: [MESH, service, "127.0.0.1:{port}", "127.0.0.1:{stock.port}"]}
    - {name: shop, run: [MESH, service, "127.0.0.1:{port}", "127.0.0.1:{cart.port}"]}
  operations:
    buy: {request: GET /, process: shop}
variants: {none: , dear: {on: cart, env: {BURN: "500"}}}
load: {rate: 100/s, warmup: 200ms, duration: 1s, idle: 100ms}
design: {blocks: 6, order: woven}
`, "MESH", mesh))
	doc := document(t, tracetax(t, "run", file, "--json", "--out", filepath.Join(t.TempDir(), "results")).exit(t, 0))
	const burnt = 500e-6
	if len(doc.Services) != 3 || doc.Services[0].Service != "cart" {
		t.Fatalf("of stock, cart and shop cart is to be told first: %+v", doc.Services)
	}
	for i, c := range doc.Services {
		if c.Absolute == nil || c.Absolute.Low == nil {
			t.Fatalf("%s has no interval: %+v", c.Service, c)
		}
		if added := c.Absolute.Estimate; i == 0 && (added < 0.8*burnt || added > 1.6*burnt) || i > 0 && math.Abs(added) > 0.3*burnt {
			t.Errorf("cart burns %g s more for each request, and %s uses %g s more", burnt, c.Service, added)
		}
	}
	if f := find(t, doc, "buy", "dear", "cpu_per_operation"); f.Verdict.Claims != 1 || f.Verdict.Kind != finding.Costs {
		t.Errorf("the verdict on all services together is %+v", f.Verdict)
	}
}

// What a sidecar burns for each request is found in its own role and service, and in the sum; a variant on one of two
// services has the spans and the sidecar of that one.
func TestBrought(t *testing.T) {
	t.Parallel() // CPU is burnt in lengths that are known, and looked at apart from times
	mesh := filepath.Join(built(t, "mesh", func(dir string) error {
		return runIn(".", "go", "build", "-o", filepath.Join(dir, "mesh"), "./testdata/mesh")
	}), "mesh")
	variants := `variants:
  none:
  all: mesh
  one: {tracer: mesh, on: cart}
  more: {tracer: mesh, on: cart, settings: {burn: 4000}}
`
	_, err := os.Stat("/usr/sbin/nginx")
	shielded := err == nil
	if shielded {
		variants += "  shield: {tracer: shield, on: shop}\n"
	}
	file := write(t, strings.ReplaceAll(broughtServices, "MESH", mesh)+variants+
		"load: {rate: 40/s, warmup: 200ms, duration: 1s, idle: 100ms}\ndesign: {blocks: 2, quick: true, order: woven}\n")
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", file, "--out", out, "--json")
	c.Env = append(c.Env, "TRACETAX_CATALOG="+broughtCatalog(t, mesh))
	doc := document(t, c.exit(t, 0))

	told := func(variant, metric, role, service string) (finding.Finding, bool) {
		i := slices.IndexFunc(doc.Findings, func(f finding.Finding) bool {
			return f.Variant == variant && f.Against == "none" && f.Metric == metric && f.Role == role && f.Service == service
		})
		return doc.Findings[max(0, i)], i >= 0
	}
	cost := func(variant, metric, role, service string) finding.Finding {
		if f, is := told(variant, metric, role, service); is {
			return f
		}
		t.Fatalf("%s: no %s of role %q, service %q", variant, metric, role, service)
		return finding.Finding{}
	}
	const burnt, most = 1e-3, 2e-3 // CPU seconds a request; with what it takes to pass one on
	for _, service := range []string{"cart", "shop"} {
		if got := cost("all", "cpu_per_operation", "sidecar", service).Value; got < burnt || got > most {
			t.Errorf("the sidecar of %s burns %g s a request, and uses %g s", service, burnt, got)
		}
		if got := cost("all", "memory_peak", "sidecar", service); got.Value < 1<<20 || got.Baseline != 0 {
			t.Errorf("memory of the sidecar of %s: %g bytes, %g without it", service, got.Value, got.Baseline)
		}
	}
	if f, is := told("one", "cpu_per_operation", "sidecar", "shop"); is && f.Value != 0 {
		t.Errorf("a sidecar that is not there uses %g s", f.Value)
	}
	one, more := cost("one", "cpu_per_operation", "sidecar", "cart").Value, cost("more", "cpu_per_operation", "sidecar", "cart").Value
	if added := more - one; added < 0.8*3*burnt || added > 1.5*3*burnt { // passing one on takes more beside other programs
		t.Errorf("3 ms more are burnt for each request, and %g s more used", added)
	}
	for _, variant := range []string{"all", "one", "more"} {
		for _, metric := range []string{"cpu_per_operation", "memory_peak"} {
			for block := range 2 {
				sum := 0.0
				for _, role := range []string{"app", "sidecar"} {
					sum += cost(variant, metric, role, "").Samples[block].Value
				}
				if got := cost(variant, metric, "", "").Samples[block].Value; math.Abs(got-sum) > 1e-9*sum {
					t.Errorf("%s of %s: %g in all, and %g by roles", metric, variant, got, sum)
				}
			}
		}
	}
	for variant, want := range map[string]int64{"all": 2, "one": 1, "more": 1} {
		l := ledger(t, doc, "buy", variant)
		if l.Operations == 0 || entry(l, "expected") != want*int64(l.Operations) || entry(l, "delivered") != want*int64(l.Operations) {
			t.Errorf("%s: of %d operations with %d spans each the ledger says %+v", variant, l.Operations, want, l.Entries)
		}
	}
	for _, r := range records(t, out) {
		placed(t, r)
	}
	if shielded {
		if got := cost("shield", "cpu_per_operation", "sidecar", "shop").Value; got <= 0 || got > most {
			t.Errorf("nginx in front of shop uses %g s a request", got)
		}
	}
	report := tracetax(t, "report", out, "--all").exit(t, 0).out.String()
	if want := "CPU per operation, cart (sidecar)"; !strings.Contains(report, want) {
		t.Errorf("the report does not say %q", want)
	}
	if v := doc.Experiment.Variants[2]; !slices.Equal(v.On, []string{"cart"}) || !v.Partial || doc.Experiment.Variants[1].Partial {
		t.Errorf("one is on %v, and partial: %t", v.On, v.Partial)
	}
}

// placed looks at where the processes of a run stood.
func placed(t *testing.T, r record.Record) {
	t.Helper()
	if r.Failed() {
		t.Errorf("%s: %+v", r.Variant, r.Failure)
		return
	}
	if r.Kind != record.Measured {
		return
	}
	want := map[string]map[string]string{
		"none": {}, "all": {"proxy@cart": "cart", "proxy@shop": "shop"}, "one": {"proxy@cart": "cart"}, "more": {"proxy@cart": "cart"}, "shield": {"nginx@shop": "shop"},
	}[r.Variant]
	sidecars := 0
	for _, u := range r.Phases[0].Usage {
		if u.Role != "sidecar" {
			continue
		}
		if sidecars++; u.Service == "" || want[u.Process] != u.Service {
			t.Errorf("%s: %s is beside %q", r.Variant, u.Process, u.Service)
		}
	}
	if sidecars != len(want) {
		t.Errorf("%s: %d sidecars, want %v", r.Variant, sidecars, want)
	}
}

// A sidecar that cannot be had is named, with its own words; what would be started is said before.
func TestBroughtThatFails(t *testing.T) {
	more(t, "brought")
	mesh := filepath.Join(built(t, "mesh", func(dir string) error {
		return runIn(".", "go", "build", "-o", filepath.Join(dir, "mesh"), "./testdata/mesh")
	}), "mesh")
	file := write(t, strings.ReplaceAll(broughtServices, "MESH", mesh)+"variants: {none: , dead: {tracer: dead, on: shop}}\nload: {rate: 60/s, warmup: 0s, duration: 200ms, idle: 0s}\ndesign: {blocks: 1, quick: true}\n")
	catalog := "TRACETAX_CATALOG=" + broughtCatalog(t, mesh)
	for _, ask := range [][]string{{"validate", file}, {"run", file, "--dry-run"}} {
		c := tracetax(t, ask...)
		c.Env = append(c.Env, catalog)
		if said := c.exit(t, 0).out.String(); !strings.Contains(said, "variant dead: on shop; brings proxy in front of it") {
			t.Errorf("%v does not say what is brought", ask)
		}
	}
	out := filepath.Join(t.TempDir(), "results")
	c := tracetax(t, "run", file, "--out", out)
	c.Env = append(c.Env, catalog)
	c.exit(t, 1, 4)
	failed := 0
	for _, r := range records(t, out) {
		if r.Variant != "dead" {
			continue
		}
		if failed++; !r.Failed() || r.Failure.Process != "proxy@shop" || !strings.Contains(strings.Join(r.Failure.Log, " "), "no licence for") {
			t.Errorf("%+v", r.Failure)
		}
	}
	if failed == 0 {
		t.Error("no run of it is on record")
	}
}

// What the rule rests on that a configuration file is refused beside a tracer.

// The agent of OpenTelemetry sends to where its configuration file says, and ignores the
// variable that a tracer sets. Its older file of properties does not win over the variable.
func TestAConfigurationFileWinsOverVariables(t *testing.T) {
	more(t, "OTLP")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	agent := fetchAgent(t, "otel-agent.jar")
	for name, test := range map[string]struct {
		env, options []string
		theirs       bool
	}{
		"a file, by variable":   {env: []string{"OTEL_CONFIG_FILE={file}"}, theirs: true},
		"a file, by property":   {options: []string{"-Dotel.config.file={file}"}, theirs: true},
		"a file of properties":  {options: []string{"-Dotel.javaagent.configuration-file={properties}"}},
		"under an earlier name": {options: []string{"-Dotel.experimental.config.file={file}"}},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}}), startSink(t, sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}})
			to := "http://" + theirs.Addresses()[protocol.OTLPHTTP]
			files := map[string]string{
				"{file}": "file_format: \"1.2\"\ntracer_provider:\n  processors:\n    - batch: {schedule_delay: 100, exporter: {otlp_http: {endpoint: " + to + "/v1/traces}}}\n" +
					"instrumentation/development: {java: {methods: {include: \"calls.Recursion[call]\"}}}\n",
				"{properties}": "otel.exporter.otlp.endpoint=" + to + "\n",
			}
			dir := t.TempDir()
			fill := func(words []string) []string {
				var out []string
				for _, word := range words {
					for key, text := range files {
						if at := len(word) - len(key); at >= 0 && word[at:] == key {
							file := filepath.Join(dir, key[1:len(key)-1])
							if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
								t.Fatal(err)
							}
							word = word[:at] + file
						}
					}
					out = append(out, word)
				}
				return out
			}
			env := append(fill(test.env), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+ours.Addresses()[protocol.OTLPHTTP], "OTEL_METRICS_EXPORTER=none", "OTEL_LOGS_EXPORTER=none",
				"OTEL_BSP_SCHEDULE_DELAY=100", "OTEL_INSTRUMENTATION_METHODS_INCLUDE=calls.Recursion[call]")
			p := startCalls(t, env, append(fill(test.options), "-javaagent:"+agent)...)
			p.call(t)
			p.end(t)
			if o, th := ours.Snapshot().Counts.Spans, theirs.Snapshot().Counts.Spans; (th > 0) != test.theirs || (o > 0) == test.theirs {
				t.Errorf("%d spans came to the endpoint of the variable, and %d to that of the file", o, th)
			}
		})
	}
}
