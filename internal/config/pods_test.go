package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/kubernetes/manifests"
)

// Labels and annotations of a variant are in its plan and its results. A variant that differs by them alone is another one: whatever
// injects something may go by them.
func TestMarks(t *testing.T) {
	t.Setenv("TEAM", "seven")
	t.Setenv("REDACTED_VAULT_TOKEN", "hunter22")
	e := experimentOf(t, `none: {annotations: {sidecar.istio.io/inject: false}}
  mesh: {tracer: none, annotations: {sidecar.istio.io/inject: true, note: '{"a": 1}, {{ x }}', team: "${env:TEAM}"}, labels: {tier: "2"}}
  other: {tracer: none, labels: {tier: "3"}, annotations: {vault-token: hunter22}}`)
	none, mesh, other := e.Variants[0], e.Variants[1], e.Variants[2]
	if !none.Untraced() || mesh.Untraced() || other.Untraced() || SameSpans(mesh, other) || SameSpans(none, other) || !SameSpans(mesh, mesh) {
		t.Errorf("untraced are %t, %t, %t", none.Untraced(), mesh.Untraced(), other.Untraced())
	}
	plan, err := e.Plan(mesh)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"sidecar.istio.io/inject": "true", "note": `{"a": 1}, {{ x }}`, "team": "seven"}
	if !maps.Equal(plan.Annotations, want) || plan.Labels["tier"] != "2" || mesh.Annotations["team"] != "${env:TEAM}" {
		t.Errorf("annotations are %q, labels %q, and the variant has %q", plan.Annotations, plan.Labels, mesh.Annotations)
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hunter22") {
		t.Errorf("a credential is in the results:\n%s", text)
	}
	again, err := ParseExperiment("again.yaml", t.TempDir(), text, builtIn())
	if err != nil || !maps.Equal(again[0].Variants[1].Annotations, mesh.Annotations) || !maps.Equal(again[0].Variants[1].Labels, mesh.Labels) {
		t.Errorf("read again, %v:\n%s", err, text)
	}
}

func TestMarksThatCannotBe(t *testing.T) {
	for name, row := range map[string]struct{ variant, says string }{
		"no name":                {`{labels: {"a b": c}}`, "is no name such as"},
		"no value of a label":    {`{labels: {a: "b c"}}`, `"b c" is no value of a label`},
		"a label of tracetax":    {`{labels: {app.kubernetes.io/managed-by: me}}`, "tracetax knows its own pods"},
		"an annotation likewise": {`{annotations: {tracetax/run: me}}`, "tracetax knows its own pods"},
		"a placeholder":          {`{annotations: {to: "{sink.otlp.http}"}}`, "nothing fills in {sink.otlp.http}"},
		"a variable that is not": {`{annotations: {to: "${env:NO_SUCH_VARIABLE}"}}`, "NO_SUCH_VARIABLE is not set"},
		"the Operator's":         {`{inject: java, annotations: {instrumentation.opentelemetry.io/inject-java: "true"}}`, "is what inject sets"},
		"no mapping":             {`{labels: a}`, "labels must be a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(strings.Replace(inPods, "%s", "none:\n  a: "+row.variant, 1)), builtIn())
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
}

// The command line says labels and annotations as it says variables; elsewhere than in pods they are refused.
func TestMarksByFlags(t *testing.T) {
	f := Flags{Deployed: "shop", Ops: []string{"GET /"}, Variants: []string{
		"none", `mesh:tracer=none,annotations.sidecar.istio.io/inject=true,annotations.list=a\,b,labels.tier=2,env.A=b`,
	}}
	e, err := FromFlags(f, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	v := e.Variants[1]
	if v.Annotations["sidecar.istio.io/inject"] != "true" || v.Annotations["list"] != "a,b" || v.Labels["tier"] != "2" || v.Env["A"] != "b" {
		t.Errorf("annotations %q, labels %q, env %q", v.Annotations, v.Labels, v.Env)
	}
	if why := v.Elsewhere(); !strings.Contains(why, "annotations are of the pods of a cluster: measure there") {
		t.Errorf("on this machine: %q", why)
	}
	f.Deployed, f.Command = "", []string{"shop"}
	if _, err := FromFlags(f, builtIn()); err == nil || !strings.Contains(err.Error(), "labels is for the pods of a cluster, and no traced process has image") {
		t.Errorf("a program of this machine: %v", err)
	}
}

const shopManifests = `
apiVersion: v1
kind: Service
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  template:
    spec:
      containers:
        - {name: shop, image: "shop:1.2", env: [{name: DB_PASSWORD, value: hunter22}, {name: TEAM, value: "${env:TEAM}"}]}
`

// folderOf has files for an experiment.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A file has the template in the place of the cluster; what was measured is known without it afterwards, but for credentials.
func TestManifests(t *testing.T) {
	t.Setenv("TEAM", "seven")
	dir := folderOf(t, map[string]string{"k8s.yaml": shopManifests})
	for name, workload := range map[string]string{
		"the only one":  "{manifests: k8s.yaml, port: 8080, operations: {items: GET /items}}",
		"by its name":   "{manifests: k8s.yaml, deployment: shop, container: shop, port: 8080, operations: {items: GET /items}}",
		"in a process":  "{processes: [{name: shop, manifests: k8s.yaml, port: 8080}], operations: {items: GET /items}}",
		"kind and name": "{processes: [{name: shop, manifests: k8s.yaml, deployment: deployment/shop}], operations: {items: GET /items}}",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(inPods, "{deployment: shop, port: 8080, operations: {items: GET /items}}", workload, 1)
			all, err := ParseExperiment("shop.yaml", dir, []byte(strings.Replace(text, "%s", "none:\n  a: {tracer: none, env: {A: b}}", 1)), builtIn())
			if err != nil {
				t.Fatal(err)
			}
			e := all[0]
			p := e.Workload.Processes[0]
			if p.Name != "shop" || p.Deployed != "deployment/shop" || !strings.Contains(p.Manifest, "hunter22") {
				t.Errorf("process %s of %s:\n%s", p.Name, p.Deployed, p.Manifest)
			}
			if got := strings.Join(e.Unmade(), "\n"); !strings.Contains(got, "process shop is deployment/shop") || !strings.Contains(got, "Service shop") {
				t.Errorf("what is not made: %q", got)
			}
			plan, err := e.Plan(e.Variants[1])
			if err != nil {
				t.Fatal(err)
			}
			if got := plan.Processes[0].Manifest; !strings.Contains(got, `"value": "seven"`) || strings.Contains(got, "${env:") {
				t.Errorf("in the plan there is\n%s", got)
			}
			kept, err := e.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(kept), "hunter22") || strings.Contains(string(kept), "seven") {
				t.Errorf("a credential is in the results:\n%s", kept)
			}
			t.Setenv("REDACTED_DB_PASSWORD", "hunter22")
			again, err := ParseExperiment("again.yaml", t.TempDir(), kept, builtIn())
			if err != nil {
				t.Fatal(err)
			}
			same := manifests.Rewrite(again[0].Workload.Processes[0].Manifest, func(_, text string) string {
				return strings.ReplaceAll(text, "${env:REDACTED_DB_PASSWORD}", "hunter22")
			})
			if same != p.Manifest || len(again[0].Unmade()) != 1 {
				t.Errorf("read again:\n%s\nnot\n%s", same, p.Manifest)
			}
		})
	}
}

func TestManifestsThatCannotBe(t *testing.T) {
	t.Setenv("TEAM", "seven")
	dir := folderOf(t, map[string]string{"k8s.yaml": shopManifests, "helm.yaml": "kind: {{ .Values.kind }}\n"})
	for name, row := range map[string]struct{ workload, says string }{
		"no such file":       {"{manifests: no.yaml, operations: {items: GET /items}}", `manifests: there is no file "no.yaml" beside this one`},
		"no such Deployment": {"{manifests: k8s.yaml, deployment: shed, operations: {items: GET /items}}", "no shed has pods; in the file there is Service shop, Deployment shop"},
		"a template":         {"{manifests: helm.yaml, operations: {items: GET /items}}", "render it first"},
		"processes besides":  {"{manifests: k8s.yaml, processes: [{name: a, run: b}], operations: {items: GET /items}}", "has that as its only process"},
		"a mapping":          {"{manifests: {a: b}, operations: {items: GET /items}}", "expected a text"},
		"a service":          {"{processes: [{name: a, service: postgresql, manifests: k8s.yaml}], operations: {items: GET /items}}", "leave one of deployment and service out"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(inPods, "{deployment: shop, port: 8080, operations: {items: GET /items}}", row.workload, 1)
			_, err := ParseExperiment("shop.yaml", dir, []byte(strings.Replace(text, "%s", "none:\n  a: {tracer: none, env: {A: b}}", 1)), builtIn())
			if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "shop.yaml:2:") {
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
}

func TestManifestsByFlags(t *testing.T) {
	dir := folderOf(t, map[string]string{"k8s.yaml": strings.Replace(shopManifests, "${env:TEAM}", "7", 1)})
	f := Flags{Manifest: "k8s.yaml", Dir: dir, Ops: []string{"GET /"}, Variants: []string{"none", "a:tracer=none,env.A=b"}}
	e, err := FromFlags(f, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if p := e.Workload.Processes[0]; p.Name != "k8s" || p.Deployed != "deployment/shop" || p.Manifest == "" {
		t.Errorf("process %s is %s, of\n%s", p.Name, p.Deployed, p.Manifest)
	}
	f.Deployed = "shed"
	if _, err := FromFlags(f, builtIn()); err == nil || !strings.Contains(err.Error(), "--manifests k8s.yaml: manifests: no shed has pods") {
		t.Errorf("another name: %v", err)
	}
}
