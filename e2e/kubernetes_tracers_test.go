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
func fetchedForPods(t *testing.T, tracer string) {
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
			t.Skipf("pods have the Python of /usr/bin here: %v", err)
		}
		python, err := artifact.ParsePython(string(said))
		if err != nil {
			t.Fatal(err)
		}
		store = store.For(python)
	}
	if _, err := prepare.Tracer(t.Context(), store, of, os.Stderr); err != nil {
		t.Fatal(err)
	}
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

// A service of Python has no trace of the tracer in its image: the packages fit the Python there, which a pod tells.
func TestPodsOfAPythonTracer(t *testing.T) {
	t.Parallel() // it looks at no time
	dir := aNode(t)
	source, err := filepath.Abs("../workloads/hello/flask")
	if err != nil {
		t.Fatal(err)
	}
	fetchedForPods(t, "otel-python")
	packages := ready(t, "hello/flask").Workload
	deployment := ofThisMachine("flask", []string{"python3", "-m", "gunicorn", "--config", source + "/gunicorn.conf.py", "--chdir", source,
		"--bind", `"0.0.0.0:8080"`, `"hello:app"`},
		fmt.Sprintf("{name: PYTHONPATH, value: %q}, {name: OTEL_PYTHON_FLASK_EXCLUDED_URLS, value: healthz}", packages), source, packages)
	tracedInPods(t, dir, deployment, "flask", "tracer=otel-python,delay=500ms", 1, "--rate 60/s --ready /healthz")
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

// A service of Go has its tracer in another image.
func TestPodsOfAGoTracer(t *testing.T) {
	more(t, "pods")
	dir := withImages(t, map[string]string{"local.test/hello:1": helloWith(t, ""), "local.test/hello-traced:1": helloWith(t, "otel")})
	deployment := `
apiVersion: apps/v1
kind: Deployment
metadata: {name: hello}
spec:
  replicas: 0
  selector: {matchLabels: {app: hello}}
  template:
    metadata: {labels: {app: hello}}
    spec: {containers: [{name: hello, image: "local.test/hello:1", args: [-listen, "0.0.0.0:8080"], ports: [{containerPort: 8080}]}]}
`
	tracedInPods(t, dir, deployment, "hello", "tracer=otel-go,image=local.test/hello-traced:1,delay=500ms", 1, "--rate 200/s --ready /healthz")
}
