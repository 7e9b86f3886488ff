package manifests

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const shop = `
# The service, and the way to it.
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: prod, labels: {app: shop}}
spec:
  replicas: ${REPLICAS}
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}, annotations: {team: "7"}}
    spec:
      containers:
        - name: shop
          image: shop:1.2
          command: [sh, -c, "exec shop --home ${HOME}"]
          env: [{name: A, value: "$(HOST) 8080"}, {name: DB_PASSWORD, value: "hunter22"}]
          ports: [{containerPort: 8080}]
`

const others = `---
apiVersion: v1
kind: Service
metadata: {name: shop}
---
# nothing
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: menu}, data: {page: "{{ .Title }}"}}
`

const stateful = `---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  template: {spec: {containers: [{name: store, image: "store:1"}]}}
  volumeClaimTemplates: [{metadata: {name: data}}]
`

const pod = `---
apiVersion: v1
kind: Pod
metadata: {name: job, annotations: {team: "7", kubectl.kubernetes.io/last-applied-configuration: "{secret}"}}
spec: {containers: [{name: job, image: "job:1"}]}
status: {phase: Running}
`

func TestFind(t *testing.T) {
	for name, row := range map[string]struct {
		text, of, is string
		ignored      []string
		has, lack    []string
	}{
		"the only one": {shop + others, "", "deployment/shop", []string{"Service shop", "ConfigMap menu"}, []string{
			`"image": "shop:1.2"`, `"containerPort": 8080`, `"team": "7"`, `exec shop --home ${HOME}`, `"value": "$(HOST) 8080"`,
		}, []string{"replicas", "selector", "namespace"}},
		"by its name":               {shop + stateful, "shop", "deployment/shop", []string{"StatefulSet store"}, nil, []string{"store:1"}},
		"a StatefulSet by its name": {shop + stateful, "store", "statefulset/store", []string{"Deployment shop"}, []string{`"volumeClaimTemplates"`}, nil},
		"by kind and name":          {shop + stateful, "statefulset/store", "statefulset/store", []string{"Deployment shop"}, nil, nil},
		"a pod":                     {pod, "", "pod/job", nil, []string{`"team": "7"`, "job:1"}, []string{"secret", "Running"}},
		"from an editor":            {"\ufeff" + strings.ReplaceAll(pod, "\n", "\r\n"), "pod/job", "pod/job", nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Find([]byte(row.text), row.of)
			if err != nil || f.Of != row.is || !slices.Equal(f.Ignored, row.ignored) {
				t.Fatalf("found %s, not %q, %v", f.Of, f.Ignored, err)
			}
			for _, part := range row.has {
				if !strings.Contains(f.Text, part) {
					t.Errorf("it lacks %s:\n%s", part, f.Text)
				}
			}
			for _, part := range row.lack {
				if strings.Contains(f.Text, part) {
					t.Errorf("it has %s:\n%s", part, f.Text)
				}
			}
			if again, err := Find([]byte(f.Text), f.Of); err != nil || again.Text != f.Text || again.Of != f.Of || !slices.Equal(again.Ignored, f.Ignored) {
				t.Errorf("in what was found there is %+v, %v", again, err)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	changed := func(old, new string) string { return strings.Replace(shop, old, new, 1) }
	for name, row := range map[string]struct{ text, of, says string }{
		"several":                {shop + stateful, "", "several have pods: say which with deployment: deployment/shop, or statefulset/store"},
		"another name":           {shop + others, "shed", "no shed has pods; in the file there is Deployment shop, Service shop, ConfigMap menu"},
		"another kind":           {shop, "statefulset/shop", "no statefulset/shop has pods"},
		"a Service alone":        {others, "", "no Deployment, StatefulSet or Pod has pods; in the file there is Service shop"},
		"nothing":                {"# nothing\n", "", "no Deployment, StatefulSet or Pod has pods"},
		"no object":              {shop + "---\nreplicas: 3\n", "", "document 2 is no object of a cluster"},
		"no mapping":             {"- a\n- b\n", "", "document 1: it is no mapping"},
		"no YAML":                {shop + "---\nkind: [\n", "", "document 2: "},
		"Helm's braces":          {changed("shop:1.2", "{{ .Values.image }}"), "", "render it first"},
		"Helm's blocks":          {"{{- if .Values.on }}\n" + shop, "", "render it first"},
		"Helm's text":            {changed("shop:1.2", `"shop:{{ .Values.tag }}"`), "", `spec.template.spec.containers[0].image is "shop:{{ .Values.tag }}", and nothing is filled in here`},
		"Helm in a value":        {changed("$(HOST)", "{{ .Values.host }}"), "", `env[0].value is "{{ .Values.host }} 8080"`},
		"envsubst":               {changed("$(HOST)", "${HOST}"), "", `env[0].value is "${HOST} 8080"`},
		"envsubst without brace": {changed("shop:1.2", "shop:$TAG"), "", `image is "shop:$TAG"`},
		"no containers":          {"kind: Deployment\nmetadata: {name: shop}\nspec: {template: {}}\n", "", "Deployment shop: its template of pods has no container"},
		"no template":            {"kind: Deployment\nmetadata: {name: shop}\n", "", "its template of pods has no container"},
		"a number for a text":    {changed(`"7"`, "7"), "", "its template of pods: json: cannot unmarshal number"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Find([]byte(row.text), row.of)
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("found %s, %v; it is to say %q", f.Of, err, row.says)
			}
		})
	}
}

// Values of variables and options are told by their names; all else stays.
func TestRewrite(t *testing.T) {
	f, err := Find([]byte(strings.Replace(shop, "exec shop", "--token=abc", 1)), "")
	if err != nil {
		t.Fatal(err)
	}
	if same := Rewrite(f.Text, func(_, text string) string { return text }); same != f.Text {
		t.Errorf("it has changed:\n%s", same)
	}
	names := map[string]string{}
	got := Rewrite(f.Text, func(name, text string) string {
		if names[name] = text; name == "DB_PASSWORD" {
			return `"<hidden>"`
		}
		return text
	})
	if !strings.Contains(got, `"value": "\"<hidden>\""`) || strings.Contains(got, "hunter22") || !json.Valid([]byte(got)) {
		t.Errorf("rewritten:\n%s", got)
	}
	if names["A"] != "$(HOST) 8080" || names["token"] != "abc --home ${HOME}" {
		t.Errorf("names and texts are %q", names)
	}
	if got := Rewrite("", nil); got != "" {
		t.Errorf("of nothing comes %q", got)
	}
}

// Whatever a file holds ends in an error, or in what can be found again.
func FuzzFind(f *testing.F) {
	for _, text := range []string{shop, others, stateful, pod, shop + others + stateful, "kind: List\nitems: [1, {}]", "a: &a [*a]", "{}"} {
		f.Add([]byte(text), "")
	}
	f.Add([]byte(shop), "deployment/shop")
	f.Fuzz(func(t *testing.T, text []byte, of string) {
		found, err := Find(text, of)
		if err != nil {
			return
		}
		if again, err := Find([]byte(found.Text), found.Of); err != nil || again.Text != found.Text {
			t.Errorf("found %q, and in that %q, %v", found.Text, again.Text, err)
		}
	})
}
