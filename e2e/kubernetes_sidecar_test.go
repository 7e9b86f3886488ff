package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// Where a namespace does not admit the meter of a node, each pod has one beside its program, and finds the same cost.
func TestPodsBySidecar(t *testing.T) {
	more(t, "pods")
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl label namespace trial pod-security.kubernetes.io/enforce=baseline >&2
$TRACETAX run burner.yaml --dry-run >plan.txt
$TRACETAX run burner.yaml --json --out results
`, map[string]string{"burner.yaml": `
workload:
  processes: [{name: burner, image: "local.test/burner:1", env: {EVERYWHERE: "true"}}]
  operations: {burn: GET /}
variants:
  none:
  burns: {tracer: none, env: {BURN: 100us}}
load: {rate: 300/s, duration: 2s}
design: {blocks: 6}
target: {kubernetes: {namespace: trial, image: "local.test/tracetax:1"}}
`}).exit(t, 0)
	burns := find(t, document(t, c), "burn", "burns", "cpu_per_operation").Absolute
	t.Logf("burning 100 µs costs %.1f µs (%.1f to %.1f)", 1e6*burns.Estimate, 1e6**burns.Low, 1e6**burns.High)
	if burns.Estimate < 90e-6 || burns.Estimate > 115e-6 {
		t.Errorf("burning 100 µs in each request costs %.1f µs", 1e6*burns.Estimate)
	}
	bySidecar(t, filepath.Join(c.Dir, "results"), "burner", record.ByClock)
}

// bySidecar looks whether a process was read by a container beside it, and from where.
func bySidecar(t *testing.T, folder, process, source string) {
	t.Helper()
	for _, r := range records(t, folder) {
		if r.Failed() || r.Harness.Accounting != record.BySidecar {
			t.Errorf("%s was read by %q, failure %+v", r.Variant, r.Harness.Accounting, r.Failure)
		}
		for _, p := range r.Phases {
			for _, u := range p.Usage {
				if u.Process == process && r.Kind == record.Measured && (!strings.HasPrefix(u.Source, source) || u.CPUSeconds <= 0 || u.MemoryMean == 0) {
					t.Errorf("%s was read by %s: %v s of CPU, %d bytes", r.Variant, u.Source, u.CPUSeconds, u.MemoryMean)
				}
			}
		}
	}
}

// restrictedShop is a Deployment that the strictest namespace admits.
const restrictedShop = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 0
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: shop
          image: local.test/tracetax:1
          args: [agent, hello, --listen, "0.0.0.0:8080"]
          ports: [{containerPort: 8080}]
          securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`

// In a restricted namespace all is there but the meter of the node; a sidecar of the program's user reads the program's cgroup.
func TestPodsInARestrictedNamespace(t *testing.T) {
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl label namespace trial pod-security.kubernetes.io/enforce=restricted >&2
kubectl -n trial apply -f shop.yaml >&2
measure() { $TRACETAX run --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 --deployment shop \
  --op 'GET /json' --ready /healthz --rate 200/s --duration 2s --set load.warmup=300ms --blocks 1 --variant none \
  --variant 'traced:tracer=none,env.OTEL_TRACES_EXPORTER=otlp,env.OTEL_BSP_SCHEDULE_DELAY=500,env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.grpc}' "$@"; }
! measure --set target.kubernetes.meter=node --out node 2>node.txt >&2
measure --dry-run >&2
measure --json --out results
`, map[string]string{"shop.yaml": restrictedShop}).exit(t, 0)
	l := ledger(t, document(t, c), "GET /json", "traced")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
		t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
	}
	said, err := os.ReadFile(filepath.Join(c.Dir, "node.txt"))
	if err != nil || !strings.Contains(string(said), "hostPath") || !strings.Contains(string(said), "meter: sidecar") {
		t.Errorf("the meter of the node in it: %s, %v", said, err)
	}
	bySidecar(t, filepath.Join(c.Dir, "results"), "shop", "cgroup")
}

// askedBeside is a program that asks a container beside it in each request, which burns 100 µs, or nothing at /env.
const askedBeside = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: burner}
spec:
  selector: {matchLabels: {app: burner}}
  template:
    metadata: {labels: {app: burner}}
    spec:
      containers:
        - name: burner
          image: local.test/burner:1
          env: [{name: EVERYWHERE, value: "true"}, {name: PORT, value: "8080"}, {name: ASK, value: "http://127.0.0.1:9001/env"}]
          ports: [{containerPort: 8080}]
        - {name: proxy, image: local.test/burner:1, env: [{name: PORT, value: "9001"}, {name: BURN, value: 100us}]}
`

// What a container of the template burns beside the program is found as its own, and charged, by the node's meter and by a sidecar.
func TestPodsWithSidecars(t *testing.T) {
	more(t, "pods")
	for _, meter := range []string{"node", "sidecar"} {
		t.Run(meter, func(t *testing.T) {
			c := onNode(t, `
kubectl create namespace trial >&2
$TRACETAX run burner.yaml --set target.kubernetes.meter=`+meter+` --json --out results
`, map[string]string{"k8s.yaml": askedBeside, "burner.yaml": `
workload: {manifests: k8s.yaml, operations: {burn: GET /}}
variants:
  none:
  burns: {tracer: none, env: {ASK: "http://127.0.0.1:9001/"}}
load: {rate: 300/s, duration: 2s}
design: {blocks: 6}
target: {kubernetes: {namespace: trial, image: "local.test/tracetax:1"}}
`}).exit(t, 0)
			doc := document(t, c)
			costs := map[string]float64{}
			for _, f := range doc.Findings {
				if f.Variant == "burns" && f.Operation == "burn" && f.Metric == "cpu_per_operation" && f.Service == "" {
					costs[f.Role] = 1e6 * f.Absolute.Estimate
				}
			}
			t.Logf("burning 100 µs beside the program costs %v", costs)
			beside, app, all := costs["sidecar"], costs["app"], costs[""]
			if beside < 85 || beside > 130 || app > beside/2 {
				t.Errorf("burning 100 µs in the container beside the program costs %.1f µs there, and %.1f µs in the program", beside, app)
			}
			if all < beside-15 || all > beside+app+15 { // each is an estimate of its own
				t.Errorf("burning 100 µs in the container beside the program costs %.1f µs there, and %.1f µs in all", beside, all)
			}
			for _, r := range records(t, filepath.Join(c.Dir, "results")) {
				if r.Failed() {
					t.Errorf("%s failed: %s", r.Variant, r.Failure.Message)
				}
			}
		})
	}
}
