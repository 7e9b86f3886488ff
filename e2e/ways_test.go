package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/container/enginetest"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// Three services, each as a process, in a container and in pods.

// everywhere is a service that runs in all three ways.
type everywhere struct {
	name, tracer, rate string
	command            []string // {host} and {port} are where it listens
	env                string   // NAME=VALUE; "" is none
	files              []string // of its image, at their paths here
	traced             string   // the program with the tracer, of a language that has it compiled in
	blocks             int
	more               []string
}

// at returns the command for an address.
func (s everywhere) at(host, port string) (command []string) {
	for _, word := range s.command {
		command = append(command, strings.NewReplacer("{host}", host, "{port}", port).Replace(word))
	}
	return command
}

// services are one that is compiled, one that is interpreted, and one that is compiled while it runs.
func services(t *testing.T) []everywhere {
	t.Helper()
	source, err := filepath.Abs("../workloads/hello/flask")
	if err != nil {
		t.Fatal(err)
	}
	packages, jar := ready(t, "hello/flask").Workload, ready(t, "requests/spring").Build
	const java, python = "/usr/lib/jvm/java-17-openjdk-amd64", "/usr/bin/python3"
	return []everywhere{
		{
			name: "hello", tracer: "otel-go", rate: "400/s", command: []string{helloWith(t, ""), "-listen", "{host}:{port}"}, traced: helloWith(t, "otel"),
			blocks: 6, more: []string{"--ready", "/healthz"},
		},
		{
			name: "flask", tracer: "otel-python", rate: "60/s", command: []string{python, "-m", "gunicorn", "--config", source + "/gunicorn.conf.py",
				"--chdir", source, "--bind", "{host}:{port}", "hello:app"},
			env: "PYTHONPATH=" + packages, files: []string{python, "/usr/lib/python3.11", packages, source},
			blocks: 6, more: []string{"--ready", "/healthz"},
		},
		{
			name: "spring", tracer: "otel-java", rate: "300/s", command: []string{java + "/bin/java", "-XX:+UseSerialGC", "-Xmx512m", "-jar", jar + "/app.jar",
				"--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none", "--spring.datasource.hikari.initialization-fail-timeout=-1",
				"--spring.datasource.hikari.connection-timeout=250", // nobody listens there
				"--spring.jpa.database-platform=org.hibernate.dialect.PostgreSQLDialect",
				"--spring.jpa.properties.hibernate.boot.allow_jdbc_metadata_access=false", "--server.address={host}", "--server.port={port}"},
			files:  []string{java, "/etc/java-17-openjdk", "/etc/ssl/certs/java", jar},
			blocks: 2, // each takes two minutes, for what a JVM needs to get warm
			more:   []string{"--set", "workload.processes.0.patience=120s", "--set", "load.warmup=40s at 1000/s"},
		},
	}
}

// measured are the words of the command line that all ways share.
func (s everywhere) measured(traced string) []string {
	words := []string{"run", "--json", "--name", s.name, "--op", "json=GET /json", "--rate", s.rate, "--duration", "3s",
		"--blocks", strconv.Itoa(s.blocks), "--variant", "none", "--variant", "traced:tracer=" + s.tracer + ",delay=500ms" + traced}
	return slices.Concat(words, s.more)
}

// Every span comes, whichever way a service runs; what it and its tracing cost differs, and docs/kubernetes.md has the table.
func TestThreeWays(t *testing.T) {
	more(t, "pods")
	node := aNode(t)
	engine := enginetest.Docker(t)
	for _, s := range services(t) {
		t.Run(s.name, func(t *testing.T) { s.everyWay(t, node, engine) })
	}
}

func (s everywhere) everyWay(t *testing.T, node string, engine container.Engine) {
	t.Helper()
	if s.traced == "" {
		fetchedForPods(t, s.tracer)
	}
	for _, way := range []struct {
		name string
		made func() *command
	}{
		{"process", func() *command { return s.asProcess(t) }},
		{"--image", func() *command { return s.asImage(t, engine) }},
		{"pods", func() *command { return s.inPods(t, node) }},
	} {
		doc := document(t, way.made().exit(t, 0))
		cost, l := find(t, doc, "json", "traced", metric.CPUPerOperation), ledger(t, doc, "json", "traced")
		if l.Operations == 0 || entry(l, "delivered") != int64(l.Operations) || entry(l, "expected") != int64(l.Operations) || !l.Exact {
			t.Errorf("%s: %d operations of a span each: %+v", way.name, l.Operations, l.Entries)
		}
		t.Logf("%-8s %10s %26s %24s", way.name, finding.FormatValue(float64(cost.Baseline), cost.Unit),
			finding.FormatInterval(*cost.Absolute, cost.Unit, false), finding.FormatInterval(*cost.Relative, "1", true))
	}
}

func (s everywhere) asProcess(t *testing.T) *command {
	t.Helper()
	words, variable := s.measured(""), s.env
	command := s.at("127.0.0.1", "{port}")
	if s.traced != "" {
		words = s.measured(",env.PROGRAM=" + s.traced)
		variable = "PROGRAM=" + command[0]
		command = []string{"sh", "-c", `exec "$PROGRAM" ` + strings.Join(command[1:], " ")}
	}
	if variable != "" {
		words = append(words, "--env", variable)
	}
	return tracetax(t, slices.Concat(words, []string{"--"}, command)...)
}

func (s everywhere) asImage(t *testing.T, engine container.Engine) *command {
	t.Helper()
	name, traced := s.name+":1", ""
	command := s.at("127.0.0.1", "{port}")
	if s.traced != "" {
		traced = ",image=" + s.name + ":traced"
		for image, program := range map[string]string{name: command[0], s.name + ":traced": s.traced} {
			enginetest.Image(t, engine, image, enginetest.Config{}, map[string]string{"/program": program})
		}
		command[0] = "/program"
	} else {
		enginetest.Import(t, engine, name, s.files, fetchedForPods(t, s.tracer))
	}
	words := append(s.measured(traced), "--image", name)
	if s.env != "" {
		words = append(words, "--env", s.env)
	}
	return tracetax(t, slices.Concat(words, []string{"--"}, command)...)
}

func (s everywhere) inPods(t *testing.T, node string) *command {
	t.Helper()
	command, traced := s.at("0.0.0.0", "8080"), ""
	var deployment string
	if s.traced != "" {
		images := map[string]string{"local.test/" + s.name + ":1": command[0], "local.test/" + s.name + "-traced:1": s.traced}
		node, traced = withImages(t, images), ",image=local.test/"+s.name+"-traced:1"
		deployment = fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: 0
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: %[1]s, image: "local.test/%[1]s:1", args: [%[2]s], ports: [{containerPort: 8080}]}]}
`, s.name, quoted(command[1:], ", "))
	} else {
		name, value, _ := strings.Cut(s.env, "=")
		variable := ""
		if name != "" {
			variable = fmt.Sprintf("{name: %s, value: %q}", name, value)
		}
		deployment = ofThisMachine(s.name, []string{quoted(command, ", ")}, variable, s.files...)
	}
	return onNodeOf(t, node, `
kubectl create namespace trial >&2
kubectl -n trial apply -f deployment.yaml >&2
$TRACETAX `+quoted(s.measured(traced), " ")+` --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 --deployment `+s.name+` --out results
`, map[string]string{"deployment.yaml": deployment})
}

// quoted joins words, each as a shell and YAML read it as it is.
func quoted(words []string, by string) string {
	var out []string
	for _, word := range words {
		out = append(out, "'"+word+"'")
	}
	return strings.Join(out, by)
}
