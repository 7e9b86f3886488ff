package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Tracers of tracetax in pods: their files are fetched from the conductor before a program begins.

// ready makes a built-in workload ready without a tracer, and returns its folders.
func ready(t *testing.T, workload string) prepare.Folders {
	t.Helper()
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	catalog := cli.BuiltIn()
	w, err := catalog.Workload(workload)
	if err != nil {
		t.Fatal(err)
	}
	none, err := catalog.Tracer("none")
	if err != nil {
		t.Fatal(err)
	}
	made, err := prepare.Variant(t.Context(), func() (*artifact.Store, error) { return store, nil }, nil,
		&config.Experiment{Workload: w, Operations: w.Operations}, config.Variant{Name: "none", Tracer: none}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return made.Folders
}

// fetchedForPods has the files of a tracer for the programs of /usr, as a node has them: it is in a network of its own.
func fetchedForPods(t *testing.T, tracer string) string {
	t.Helper()
	of, err := cli.BuiltIn().Tracer(tracer)
	if err != nil {
		t.Fatal(err)
	}
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	if of.Artifact.Python != "" {
		said, err := exec.Command("/usr/bin/python3", "-c", artifact.AskPython).Output()
		if err != nil {
			missing(t, fmt.Errorf("pods have the Python of /usr/bin here: %w", err))
		}
		python, err := artifact.ParsePython(string(said))
		if err != nil {
			t.Fatal(err)
		}
		store = store.For(python)
	}
	folder, err := prepare.Tracer(t.Context(), store, of, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// ofThisMachine is a Deployment whose container has folders of this machine in the place of an image of its own: programs, their
// libraries, and those that are named.
func ofThisMachine(name string, command []string, env string, folders ...string) string {
	at := map[string]string{"/usr": "/usr", "/bin": "/usr/bin", "/lib": "/usr/lib", "/lib64": "/usr/lib64"}
	for _, folder := range append(folders, "/etc/alternatives", "/etc/ssl", "/etc/java-17-openjdk") {
		at[folder] = folder
	}
	var mounts, volumes []string
	for to, from := range at {
		if _, err := os.Stat(from); err != nil {
			continue
		}
		volumes = append(volumes, fmt.Sprintf("{name: v%d, hostPath: {path: %q}}", len(volumes), from))
		mounts = append(mounts, fmt.Sprintf("{name: v%d, mountPath: %q, readOnly: true}", len(mounts), to))
	}
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 0
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers:
        - name: %[1]s
          image: local.test/pause:1
          command: [%[2]s]
          env: [%[3]s]
          ports: [{containerPort: 8080}]
          volumeMounts: [{name: tmp, mountPath: /tmp}, %[4]s]
      volumes: [{name: tmp, emptyDir: {}}, %[5]s]
`, name, strings.Join(command, ", "), env, strings.Join(mounts, ", "), strings.Join(volumes, ", "))
}

// tracedInPods measures a Deployment with a tracer: every span of every operation is there.
func tracedInPods(t *testing.T, dir, deployment, name, tracer string, spans uint64, more string) {
	t.Helper()
	c := onNodeOf(t, dir, fmt.Sprintf(`
kubectl create namespace trial >&2
kubectl -n trial apply -f deployment.yaml >&2
kubectl -n trial get all,configmap,secret -o name >before
$TRACETAX run --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 \
  --deployment %s --op 'GET /json' --duration 2s --blocks 2 --json --out results --variant none --variant traced:%s %s
kubectl -n trial get all,configmap,secret -o name >after
cmp before after >&2
`, name, tracer, more), map[string]string{"deployment.yaml": deployment}).exit(t, 0)
	doc := document(t, c)
	cost := find(t, doc, "GET /json", "traced", "cpu_per_operation")
	t.Logf("none %.0f µs, traced adds %.0f µs", 1e6*cost.Baseline, 1e6*cost.Absolute.Estimate)
	l := ledger(t, doc, "GET /json", "traced")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
		t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
	}
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Failed() {
			t.Errorf("%s failed: %s", r.Variant, r.Failure.Message)
		}
		for _, p := range r.Phases {
			if r.Kind == record.Measured && r.Variant == "traced" && p.Sink.Spans != spans*p.Load.Completed {
				t.Errorf("%d spans of %d operations", p.Sink.Spans, p.Load.Completed)
			}
		}
		t.Logf("%s %s: ready after %.1f s", r.Kind, r.Variant, r.Start.ReadySeconds)
	}
}

// flaskOfThisMachine is a Deployment of hello/flask, which knows of no tracer.
func flaskOfThisMachine(t *testing.T) string {
	t.Helper()
	source, err := filepath.Abs("../workloads/hello/flask")
	if err != nil {
		t.Fatal(err)
	}
	packages := ready(t, "hello/flask").Workload
	return ofThisMachine("flask", []string{"python3", "-m", "gunicorn", "--config", source + "/gunicorn.conf.py", "--chdir", source,
		"--bind", `"0.0.0.0:8080"`, `"hello:app"`},
		fmt.Sprintf("{name: PYTHONPATH, value: %q}, {name: OTEL_PYTHON_FLASK_EXCLUDED_URLS, value: healthz}", packages), source, packages)
}

// A service of Python has no trace of the tracer in its image: the packages fit the Python there, which a pod tells.
func TestPodsOfAPythonTracer(t *testing.T) {
	t.Parallel() // it looks at no time
	dir := aNode(t)
	fetchedForPods(t, "otel-python")
	tracedInPods(t, dir, flaskOfThisMachine(t), "flask", "tracer=otel-python,delay=500ms", 1, "--rate 60/s --ready /healthz --set load.warmup=300ms")
}

// The Operator's webhook, for which another stands here, injects what a variant asks for; without it the run fails and says so.
func TestPodsOfTheOperator(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	dir := aNode(t)
	packages := fetchedForPods(t, "otel-python")
	operator, err := filepath.Abs("testdata/kubernetes/webhook.py")
	if err != nil {
		t.Fatal(err)
	}
	c := onNodeOf(t, dir, `
kubectl create namespace trial >&2
kubectl -n trial apply -f deployment.yaml >&2
measure() { $TRACETAX run --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 --deployment flask \
  --op 'GET /json' --ready /healthz --rate 60/s --duration 2s --blocks 2 --variant none:inject=false \
  --variant otel:inject=python,env.OTEL_BSP_SCHEDULE_DELAY=500 "$@"; }
! measure --out away >&2 2>away.txt
! measure --dry-run >plan.txt 2>&1
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=operator -addext subjectAltName=IP:10.200.0.1 2>/dev/null
/usr/bin/python3 `+operator+` `+packages+` cert.pem key.pem 10.200.0.1 19443 >&2 &
sed "s/CERTIFICATE/$(base64 -w0 cert.pem)/" webhook.yaml | kubectl apply -f - >&2
curl -sk --retry 20 --retry-connrefused --retry-delay 1 -o /dev/null https://10.200.0.1:19443/
measure --dry-run >&2
measure --json --out results
`, map[string]string{"deployment.yaml": flaskOfThisMachine(t), "webhook.yaml": `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: operator}
webhooks:
  - name: operator.local.test
    clientConfig: {url: "https://10.200.0.1:19443/mutate", caBundle: CERTIFICATE}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Ignore
`}).exit(t, 0)
	for _, file := range []string{"away.txt", "plan.txt"} {
		said, err := os.ReadFile(filepath.Join(c.Dir, file))
		if err != nil || !strings.Contains(string(said), "the OpenTelemetry Operator did not inject python") {
			t.Errorf("without the Operator %s says %s, %v", file, said, err)
		}
	}
	l := ledger(t, document(t, c), "GET /json", "otel")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
		t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
	}
}

// A service of Java gets its agent by a variable.
func TestPodsOfAJavaTracer(t *testing.T) {
	more(t, "pods")
	dir := aNode(t)
	fetchedForPods(t, "otel-java")
	jar := ready(t, "requests/spring").Build
	deployment := ofThisMachine("spring", []string{"java", "-XX:+UseSerialGC", "-Xmx512m", "-jar", jar + "/app.jar", "--server.address=0.0.0.0",
		"--server.port=8080", `"--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none"`,
		"--spring.datasource.hikari.initialization-fail-timeout=-1", "--spring.jpa.database-platform=org.hibernate.dialect.PostgreSQLDialect",
		"--spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false"}, "", jar)
	tracedInPods(t, dir, deployment, "spring", "tracer=otel-java,delay=500ms", 1, "--rate 60/s --set workload.processes.0.patience=120s")
}
