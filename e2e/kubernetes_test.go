package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Pods of a real cluster: one node, which scripts/kubernetes starts for each test.

// aNode is a folder with the programs of a node, and an image of this tracetax. Its programs take minutes to build: those of
// TRACETAX_KUBERNETES are taken.
func aNode(t *testing.T) string {
	t.Helper()
	from := os.Getenv("TRACETAX_KUBERNETES")
	if from == "" {
		t.Skip("TRACETAX_KUBERNETES names no folder with the programs of a cluster: 'scripts/kubernetes build DIR' makes one, in some ten minutes")
	}
	need(t, "etcd", "containerd", "runc", "ctr", "iptables", "openssl", "unshare")
	if os.Geteuid() != 0 {
		t.Skip("a node needs root")
	}
	return built(t, "node", func(dir string) error {
		if err := os.Symlink(filepath.Join(from, "bin"), filepath.Join(dir, "bin")); err != nil {
			return err
		}
		if err := os.CopyFS(filepath.Join(dir, "images"), os.DirFS(filepath.Join(from, "images"))); err != nil {
			return err
		}
		static := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "tracetax"), "../cmd/tracetax")
		static.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := static.CombinedOutput(); err != nil {
			return fmt.Errorf("building a static tracetax: %w\n%s", err, out)
		}
		return runIn(".", "../scripts/kubernetes", "image", dir, "local.test/tracetax:1", filepath.Join(dir, "tracetax"))
	})
}

// onNode runs a script on a node, with TRACETAX, and returns the command that ended.
func onNode(t *testing.T, script string, files map[string]string) *command {
	t.Helper()
	dir := aNode(t)
	here, err := filepath.Abs("../scripts/kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	c := tracetax(t)
	c.Path, c.Args = here, []string{here, "run", dir, "bash", "-ec", script}
	c.Env = append(c.Env, "TRACETAX="+filepath.Join(dir, "tracetax"))
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// podShop is the service that tracetax has in it, in pods.
const podShop = `
workload:
  processes: [{name: shop, image: "local.test/tracetax:1", run: [/app, agent, hello, --listen, "0.0.0.0:{port}"]}]
  operations: {json: GET /json}
variants:
  none:
  traced:
    tracer: none
    env: {OTEL_TRACES_EXPORTER: otlp, OTEL_EXPORTER_OTLP_ENDPOINT: "http://{sink.otlp.grpc}", OTEL_BSP_SCHEDULE_DELAY: "500"}
load: {rate: 200/s, duration: 3s}
design: {blocks: 6}
target: {kubernetes: {namespace: trial, image: "local.test/tracetax:1"}}
`

// A workload in pods has its table and its results here, all of its spans, and the CPU of each variant by its pod's cgroup;
// nothing is left in the namespace.
func TestPods(t *testing.T) {
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl -n trial get all,configmap,secret -o name >before
$TRACETAX run shop.yaml --json --out results
kubectl -n trial get all,configmap,secret -o name >after
cmp before after >&2
`, map[string]string{"shop.yaml": podShop}).exit(t, 0)
	doc := document(t, c)
	l := ledger(t, doc, "json", "traced")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
		t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
	}
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Failed() {
			t.Errorf("%s failed: %s", r.Variant, r.Failure.Message)
		}
		if r.Harness.Node != "n1" || !strings.HasPrefix(r.Harness.Accounting, "cgroup") {
			t.Errorf("%s ran on node %q, its CPU read by %q", r.Variant, r.Harness.Node, r.Harness.Accounting)
		}
		for _, p := range r.Phases {
			if want := p.Load.Completed; r.Variant == "traced" && p.Sink.Spans != want {
				t.Errorf("%s %s: %d spans of %d operations", r.Kind, p.Operation, p.Sink.Spans, want)
			}
		}
	}
	cost := find(t, doc, "json", "traced", "cpu_per_operation")
	if cost.Absolute.Estimate <= 0 {
		t.Errorf("tracing costs %v s of CPU per operation", cost.Absolute.Estimate)
	}
}
