package e2e

import (
	"errors"
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
		t.Skip("TRACETAX_KUBERNETES names no folder with the programs of a cluster: " +
			"'scripts/kubernetes build DIR' makes one, in some ten minutes")
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
		burner := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "burner"), "./main.go")
		burner.Dir, burner.Env = "../internal/container/enginetest/testdata/burner", static.Env
		if out, err := burner.CombinedOutput(); err != nil {
			return fmt.Errorf("building a program of known cost: %w\n%s", err, out)
		}
		return errors.Join(
			runIn(".", "../scripts/kubernetes", "image", dir, "local.test/tracetax:1", filepath.Join(dir, "tracetax")),
			runIn(".", "../scripts/kubernetes", "image", dir, "local.test/burner:1", filepath.Join(dir, "burner")),
		)
	})
}

// onNode runs a script on a node, with TRACETAX, and returns the command that ended.
func onNode(t *testing.T, script string, files map[string]string) *command {
	t.Helper()
	return onNodeOf(t, aNode(t), script, files)
}

// withImages is a folder as aNode's, with further images of static programs, by name.
func withImages(t *testing.T, programs map[string]string) string {
	t.Helper()
	from, dir := aNode(t), t.TempDir()
	for _, name := range []string{"bin", "tracetax"} {
		if err := os.Symlink(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "images"), os.DirFS(filepath.Join(from, "images"))); err != nil {
		t.Fatal(err)
	}
	for name, path := range programs {
		if err := runIn(".", "../scripts/kubernetes", "image", dir, name, path); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// onNodeOf is onNode with a folder of one's own.
func onNodeOf(t *testing.T, dir, script string, files map[string]string) *command {
	t.Helper()
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
design: {blocks: 2}
target: {kubernetes: {namespace: trial, image: "local.test/tracetax:1"}}
`

// A workload in pods has its table and its results here, all of its spans, and the CPU of each variant by its pod's cgroup;
// nothing is left in the namespace.
func TestPods(t *testing.T) {
	t.Parallel() // it looks at no time
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

// deployedShop is a Deployment of the same service.
const deployedShop = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: shop
          image: local.test/tracetax:1
          args: [agent, hello, --listen, "0.0.0.0:8080"]
          ports: [{containerPort: 8080}]
          readinessProbe: {httpGet: {path: /healthz, port: 8080}}
`

// A Deployment is measured from the command line, and stays as it is; whoever may make pods, attach to them, make Jobs and read the
// Deployment measures it. A plan and the doctor name a right that is missing, and a plan tells that nothing injects; a StatefulSet and
// a pod would be measured, too. Its node is of a pool that is kept for pods like these: the conductor and the meter stand there.
func TestPodsOfADeployment(t *testing.T) {
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl label node --all pool=bench >&2
kubectl taint node --all pool=bench:NoSchedule >&2
kubectl -n trial apply -f shop.yaml >&2
kubectl -n trial create role measures --verb create,list,watch,delete --resource pods >&2
kubectl -n trial create role attaches --verb create,get --resource pods/attach >&2
kubectl -n trial create role works --verb create,delete --resource jobs.batch >&2
kubectl -n trial create role reads --verb get --resource deployments.apps >&2
for role in measures attaches reads; do kubectl -n trial create rolebinding $role --role $role --user alice >&2; done
kubectl config view --raw | sed 's/token: .*/&\n    as: alice/' >alice
shop() { $TRACETAX run --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 --op 'GET /json' --ready /healthz \
  --rate 200/s --duration 2s --set load.warmup=300ms --blocks 2 --variant none "$@"; }
! KUBECONFIG=$PWD/alice shop --deployment shop --variant a:env.A=b --dry-run >&2 2>plan.txt
! KUBECONFIG=$PWD/alice $TRACETAX doctor --target kubernetes --namespace trial >doctor.txt 2>&1
kubectl -n trial create rolebinding works --role works --user alice >&2
! shop --deployment shop --variant otel:inject=python --dry-run >&2 2>operator.txt
kubectl -n trial rollout status deployment shop >&2
kubectl -n trial get all,configmap,secret -o name >before
KUBECONFIG=$PWD/alice shop --deployment shop --json --out results --variant "traced:tracer=none,env.OTEL_TRACES_EXPORTER=otlp,\
env.OTEL_BSP_SCHEDULE_DELAY=500,env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.grpc}"
kubectl -n trial get all,configmap,secret -o name >after
cmp before after >&2
[ "$(kubectl -n trial get deployment shop -o jsonpath={.metadata.generation})" = 1 ]
shop --deployment $(kubectl -n trial get pod -l app=shop -o name) --variant a:env.A=b --dry-run >&2
sed 's/kind: Deployment/kind: StatefulSet/; s/^spec:/spec:\n  serviceName: none/' shop.yaml | kubectl -n trial apply -f - >&2
shop --deployment statefulset/shop --variant a:env.A=b --dry-run >&2
`, map[string]string{"shop.yaml": deployedShop + `
      nodeSelector: {pool: bench}
      tolerations: [{key: pool, operator: Exists}]
`}).exit(t, 0)
	l := ledger(t, document(t, c), "GET /json", "traced")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
		t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
	}
	for file, want := range map[string]string{
		"plan.txt": "you may not create jobs in namespace trial", "doctor.txt": "create jobs", "operator.txt": "the OpenTelemetry Operator did not inject python",
	} {
		if said := saidIn(t, c, file); !strings.Contains(said, want) {
			t.Errorf("%s is to say %q, and says %s", file, want, said)
		}
	}
}

// What a program burns in a request is found in pods as it is on this machine.
func TestPodsOfKnownCost(t *testing.T) {
	more(t, "pods")
	c := onNode(t, `
kubectl create namespace trial >&2
$TRACETAX run burner.yaml --json --out results
`, map[string]string{"burner.yaml": `
workload:
  processes: [{name: burner, image: "local.test/burner:1", env: {EVERYWHERE: "true"}}]
  operations: {burn: GET /}
variants:
  none:
  same: {tracer: none, env: {BURN: "0s"}}
  burns: {tracer: none, env: {BURN: 100us}}
load: {rate: 300/s, duration: 3s}
design: {blocks: 6}
target: {kubernetes: {namespace: trial, image: "local.test/tracetax:1"}}
`}).exit(t, 0)
	doc := document(t, c)
	burns := find(t, doc, "burn", "burns", "cpu_per_operation").Absolute
	if burns.Estimate < 90e-6 || burns.Estimate > 115e-6 {
		t.Errorf("burning 100 µs in each request costs %.1f µs", 1e6*burns.Estimate)
	}
	if same := find(t, doc, "burn", "same", "cpu_per_operation").Absolute; same.Low == nil || *same.Low > 0 || *same.High < 0 {
		t.Errorf("burning nothing costs %.1f µs, and its interval leaves out 0", 1e6*same.Estimate)
	}
}

// Each right that is taken away has its name in what a plan and the doctor say, and the way in which CPU is read is told before.
func TestPodsWithoutRights(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl -n trial apply -f shop.yaml >&2
kubectl config view --raw | sed 's/token: .*/&\n    as: alice/' >alice
export TARGET="--target kubernetes --namespace trial"
alice() { KUBECONFIG=$PWD/alice "$@"; }
all='create:pods list:pods watch:pods delete:pods create:pods/attach get:pods/attach create:jobs.batch delete:jobs.batch get:deployments.apps'
grant() {
  kubectl -n trial delete rolebinding,role --all >&2
  for right; do
    name=$(echo "$right" | tr -c 'a-z\n' -)
    kubectl -n trial create role "$name" --verb "${right%%:*}" --resource "${right#*:}" >&2
    kubectl -n trial create rolebinding "$name" --role "$name" --user alice >&2
  done
}
for without in $all; do
  grant $(echo " $all " | sed "s# $without # #")
  { alice $TRACETAX run $TARGET --set target.kubernetes.image=local.test/tracetax:1 --deployment shop --op 'GET /json' --dry-run \
    --variant none --variant a:env.A=b 2>&1 || true; } | grep -e 'you may not' -e forbidden >plan || true
  alice $TRACETAX doctor $TARGET >doctor 2>&1 || true
  for said in plan doctor; do
    verb=${without%%:*} of=$(echo "${without#*:}" | sed 's/\..*//')
    grep -q -e "$verb $of" -e "$verb resource \"$of\"" $said || { echo "without $without the $said says:"; cat $said; }
  done
done
grant $all
alice $TRACETAX doctor $TARGET >&2
alice $TRACETAX doctor $TARGET | grep -q "by the node's cgroups" || echo "the node's meter is not told"
alice $TRACETAX doctor $TARGET | grep -q 'get pods/log' || echo 'logs are not told'
kubectl label namespace trial pod-security.kubernetes.io/enforce=baseline >&2
alice $TRACETAX doctor $TARGET | grep -q 'a container in each pod' || echo 'the sidecar is not told'
`, map[string]string{"shop.yaml": deployedShop}).exit(t, 0)
	if said := c.out.String(); said != "" {
		t.Error(said)
	}
}

// A StatefulSet, and a pod that runs, are measured like a Deployment.
func TestPodsOfOtherTemplates(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
sed 's/kind: Deployment/kind: StatefulSet/; s/^spec:/spec:\n  serviceName: none/' shop.yaml | kubectl -n trial apply -f - >&2
kubectl -n trial rollout status statefulset shop --timeout 60s >&2
for of in statefulset/shop pod/shop-0; do
  $TRACETAX run --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 --deployment $of --op 'GET /json' \
    --ready /healthz --rate 100/s --duration 1s --blocks 1 --variant none --variant a:env.A=b --out results/${of%%/*} >&2
done
[ "$(kubectl -n trial get statefulset shop -o jsonpath={.metadata.generation})" = 1 ]
`, map[string]string{"shop.yaml": deployedShop}).exit(t, 0)
	for _, of := range []string{"statefulset", "pod"} {
		all := records(t, filepath.Join(c.Dir, "results", of))
		if len(all) != 2 {
			t.Errorf("of the %s there are %d runs", of, len(all))
		}
		for _, r := range all {
			if r.Failed() || len(r.Phases) == 0 || r.Phases[0].Load.Completed == 0 {
				t.Errorf("%s of the %s: %+v", r.Variant, of, r.Failure)
			}
		}
	}
}

// A file has the template of the pods, and the cluster's objects need not exist, nor the right to read them. Labels and annotations of a
// variant are in its pods; a cluster takes all objects that manifests writes.
func TestPodsOfManifests(t *testing.T) {
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
$TRACETAX manifests trial.yaml --target kubernetes --namespace trial >objects.yaml
kubectl apply --dry-run=server -f objects.yaml >applied
kubectl apply -f objects.yaml -l tracetax/part=grants >&2
kubectl config view --raw | sed 's/token: .*/&\n    as: alice\n    as-groups: [those-who-measure]/' >alice
kubectl -n trial get pods --watch -o 'jsonpath={.metadata.annotations.tracetax/run}{" "}{.metadata.labels.tier}{" "}{.metadata.annotations.team}{"\n"}' >pods &
KUBECONFIG=$PWD/alice $TRACETAX run trial.yaml --target kubernetes --namespace trial --out results --json
kill $!
`, map[string]string{"k8s.yaml": deployedShop + `---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {selector: {app: shop}, ports: [{port: 80, targetPort: 8080}]}
`, "trial.yaml": `
workload: {manifests: k8s.yaml, operations: {json: GET /json}}
variants:
  none:
  marked: {tracer: none, labels: {tier: "2"}, annotations: {team: "seven"}}
load: {rate: 100/s, duration: 1s}
design: {blocks: 1}
target: {kubernetes: {namespace: trial, image: "local.test/tracetax:1"}}
`}).exit(t, 0)
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Failed() || len(r.Phases) == 0 || r.Phases[0].Load.Completed == 0 {
			t.Errorf("%s: %+v", r.Variant, r.Failure)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(c.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, object := range []string{
		"role.rbac.authorization.k8s.io/tracetax", "rolebinding.rbac.authorization.k8s.io/tracetax", "networkpolicy.networking.k8s.io/tracetax-app",
		"networkpolicy.networking.k8s.io/tracetax-harness", "networkpolicy.networking.k8s.io/tracetax-meter", "job.batch/tracetax-dry-run",
		"pod/tracetax-dry-run-meter", "pod/tracetax-dry-run-1", "pod/tracetax-dry-run-2",
	} {
		if applied := read("applied"); !strings.Contains(applied, object+" created (server dry run)") {
			t.Errorf("the cluster does not take %s:\n%s", object, applied)
		}
	}
	for line := range strings.Lines(read("pods")) {
		if run := strings.Fields(line); len(run) > 0 && strings.Contains(run[0], "marked") != strings.Contains(line, "2 seven") {
			t.Errorf("a pod of run, label and annotation %q", line)
		}
	}
	if pods := read("pods"); !strings.Contains(pods, "marked") || !strings.Contains(pods, "none") {
		t.Errorf("pods are %q", pods)
	}
}
