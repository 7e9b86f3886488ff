package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// text is an object as the API gets it.
func text(t *testing.T, o object) string {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestObjects(t *testing.T) {
	of := names{id: "1a2b", image: "tracetax:1"}
	job := text(t, harnessJob(of, "n1", time.Hour))
	of.owner = "uid-of-the-job"
	app := afar.Pod{ID: 3, Run: "001-otel-1", Name: "shop", Image: "shop:1.2", Args: []string{"--port", "8080", "$(HOME)"}, Own: true,
		Env: []string{"A=b=c", "PRICE=$(5)"}, CPUs: 0.5, Memory: 1 << 20}
	own := text(t, appPod(of, "n1", app))
	app.Own, app.CPUs, app.Memory, app.Dir = false, 0, 0, "/srv"
	whole := text(t, appPod(of, "n1", app))
	app.Fetch, app.Empty = &afar.Fetch{Dir: "/tracetax/python-0a1b", URL: "http://10.0.0.9:1/python-0a1b", Token: "secret"}, []string{"/tmp/scratch"}
	fetches := text(t, appPod(of, "n1", app))
	besides := of
	besides.beside, besides.token = true, "secret"
	read := text(t, appPod(besides, "n1", afar.Pod{ID: 4, Image: "shop:1.2"}))
	for name, row := range map[string]struct {
		in        string
		has, lack []string
	}{
		"the Job ends, and is removed with all it owns": {job, []string{
			`"backoffLimit":0`, `"ttlSecondsAfterFinished":0`, `"activeDeadlineSeconds":3600`, `"stdinOnce":true`, `"automountServiceAccountToken":false`,
			`"runAsNonRoot":true`, `"drop":["ALL"]`, `"values":["n1"]`, `"name":"tracetax-1a2b"`,
		}, []string{"ownerReferences", "finalizers", "privileged"}},
		"the meter sees the node's cgroups alone, and changes nothing": {text(t, meterPod(of, "n1", "secret")), []string{
			`"hostPath":{"path":"/sys/fs/cgroup"`, `"readOnly":true`, `"uid":"uid-of-the-job"`, `"allowPrivilegeEscalation":false`,
		}, []string{"hostPID", `"privileged"`}},
		"the generators are several, and share neither rights nor fate with more than the conductor": {text(t, generatorJob(of, 3, time.Hour, "secret")), []string{
			`"completionMode":"Indexed"`, `"completions":3`, `"parallelism":3`, `"backoffLimit":0`, `"activeDeadlineSeconds":3600`, `"uid":"uid-of-the-job"`,
			`"restartPolicy":"Never"`, `"automountServiceAccountToken":false`, `"runAsNonRoot":true`, `"drop":["ALL"]`, `"args":["agent","load","--listen",":7412"]`,
			`{"name":"TRACETAX_TOKEN","value":"secret"}`, `"name":"tracetax-1a2b-load"`, `"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"500m","memory":"512Mi"}`,
			`"preferredDuringSchedulingIgnoredDuringExecution"`, `"matchLabels":{"app.kubernetes.io/managed-by":"tracetax","tracetax/part":"harness"}`,
		}, []string{"hostPath", "hostPID", `"privileged"`, "requiredDuringScheduling", "stdin"}},
		"a program behind the image's own command": {own, []string{
			`"args":["--port","8080","$$(HOME)"]`, `{"name":"A","value":"b=c"}`, `{"name":"PRICE","value":"$$(5)"}`, `"cpu":"500m"`, `"memory":"1048576"`,
			`"name":"tracetax-1a2b-3"`, `"restartPolicy":"Never"`, `"enableServiceLinks":false`, `"uid":"uid-of-the-job"`,
		}, []string{`"command"`, "workingDir", "Probe"}},
		"a program with a command of its own": {whole, []string{`"command":["--port"`, `"workingDir":"/srv"`, `"resources":{}`}, []string{`"args"`, "initContainers", "volumes"}},
		"a program whose tracer has files": {fetches, []string{
			`"args":["agent","fetch","--url","http://10.0.0.9:1/python-0a1b","/tracetax/python-0a1b"]`, `{"name":"TRACETAX_TOKEN","value":"secret"}`,
			`{"mountPath":"/tracetax/python-0a1b","name":"tracetax-fetch","readOnly":true}`, `"image":"tracetax:1"`, `"runAsNonRoot":true`,
			`{"mountPath":"/tmp/scratch","name":"tracetax-0","readOnly":false}`, `{"emptyDir":{},"name":"tracetax-fetch"}`,
		}, []string{"hostPath"}},
		"a program that a container beside it reads": {read, []string{
			`"shareProcessNamespace":true`, `"args":["agent","meter","--beside","--listen",":7411"]`, `"restartPolicy":"Always"`, `"runAsUser":65532`,
			`"drop":["ALL"]`, `"seccompProfile":{"type":"RuntimeDefault"}`, `{"name":"TRACETAX_TOKEN","value":"secret"}`,
		}, []string{"hostPath", "hostPID", "privileged"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, part := range row.has {
				if !strings.Contains(row.in, part) {
					t.Errorf("%s lacks %s", row.in, part)
				}
			}
			for _, part := range row.lack {
				if strings.Contains(row.in, part) {
					t.Errorf("%s has %s", row.in, part)
				}
			}
		})
	}
}

// deployed is the template of a Deployment as the API gives it.
const deployed = `{"metadata": {"annotations": {"sidecar.example/inject": "true"}, "labels": {"app": "shop"}}, "spec": {
  "restartPolicy": "Always", "nodeName": "n9", "serviceAccountName": "shop", "topologySpreadConstraints": [{}],
  "volumes": [{"name": "data", "configMap": {"name": "shop"}}],
  "containers": [
    {"name": "proxy", "image": "proxy:1", "readinessProbe": {"tcpSocket": {"port": 1}}},
    {"name": "shop", "image": "shop:1.2", "args": ["--fast"], "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
     "livenessProbe": {"httpGet": {"path": "/", "port": 8080}}, "resources": {"limits": {"cpu": "2"}}, "securityContext": {"runAsUser": 1000660000}}]}}`

func template(t *testing.T, text string) kubernetes.Template {
	t.Helper()
	var of kubernetes.Template
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		t.Fatal(err)
	}
	return of
}

// A pod of a Deployment is as its template says, but for what belongs to the Deployment and what the variant changes.
func TestFromTemplate(t *testing.T) {
	of := names{id: "1a2b", image: "tracetax:1", owner: "uid"}
	p := afar.Pod{ID: 3, Run: "001-otel-1", Name: "shop", Deployment: "shop", Container: "shop", Own: true, Env: []string{"A=2", "C=3"}, Args: []string{"--traced"}}
	made, in, err := fromTemplate(of, "n1", p, template(t, deployed))
	if err != nil || in != "shop" {
		t.Fatalf("container %q, %v", in, err)
	}
	got := text(t, made)
	for _, part := range []string{
		`"args":["--fast","--traced"]`, `{"name":"A","value":"2"}`, `{"name":"C","value":"3"}`, `"secretKeyRef":{"key":"k","name":"s"}`, `"image":"shop:1.2"`,
		`"image":"proxy:1"`, `"limits":{"cpu":"2"}`, `"serviceAccountName":"shop"`, `"restartPolicy":"Never"`, `"values":["n1"]`, `"configMap":{"name":"shop"}`,
		`"sidecar.example/inject":"true"`, `"tracetax/run":"1a2b"`, `"runAsUser":1000660000`, `"uid":"uid"`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the pod lacks %s:\n%s", part, got)
		}
	}
	for _, part := range []string{"Probe", "nodeName", "topologySpread", `"app":"shop"`, `"value":"1"`, `"command"`} {
		if strings.Contains(got, part) {
			t.Errorf("the pod has %s:\n%s", part, got)
		}
	}
	p.Own, p.Args, p.Image, p.CPUs = false, []string{"/shop"}, "shop:traced", 1
	if made, _, err = fromTemplate(of, "n1", p, template(t, deployed)); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"command":["/shop"]`, `"image":"shop:traced"`, `"limits":{"cpu":"1000m"}`} {
		if got := text(t, made); !strings.Contains(got, part) {
			t.Errorf("the pod lacks %s:\n%s", part, got)
		}
	}
}

// The container beside a program is its user's, which may read its cgroup; never root.
func TestUserOf(t *testing.T) {
	for name, row := range map[string]struct {
		spec string
		want int
	}{
		"of the pod":       {`{"securityContext": {"runAsUser": 1000}, "containers": [{"name": "shop"}]}`, 1000},
		"of the container": {`{"securityContext": {"runAsUser": 1000}, "containers": [{"securityContext": {"runAsUser": 2000}}]}`, 2000},
		"root":             {`{"securityContext": {"runAsUser": 0}, "containers": [{}]}`, ownUser},
		"of the image":     {`{"containers": [{}]}`, ownUser},
	} {
		if got := userOf(template(t, `{"spec": `+row.spec+`}`).Spec); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}

// A tracer goes around the command of a template that has one, and its files come before the template's own first containers.
func TestTracerAroundATemplate(t *testing.T) {
	p := afar.Pod{ID: 3, Name: "shop", Deployment: "shop", Args: []string{"sh", "/tracetax/x/attach.sh", "{image}", "--more"}, Fetch: &afar.Fetch{Dir: "/tracetax/x"}}
	with := `{"spec": {"volumes": [{"name": "data"}], "initContainers": [{"name": "migrate"}],
 "containers": [{"name": "shop", "command": ["gunicorn"], "args": ["app"], "volumeMounts": [{"name": "data"}]}]}}`
	made, _, err := fromTemplate(names{image: "tracetax:1"}, "n1", p, template(t, with))
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, made)
	for _, part := range []string{`"command":["sh","/tracetax/x/attach.sh","gunicorn","app","--more"]`, `"volumes":[{"name":"data"},{`, `"volumeMounts":[{"name":"data"},{`} {
		if !strings.Contains(got, part) {
			t.Errorf("the pod lacks %s:\n%s", part, got)
		}
	}
	if fetch, migrate := strings.Index(got, `"name":"tracetax-fetch","resources"`), strings.Index(got, `"migrate"`); fetch < 0 || fetch > migrate {
		t.Errorf("the files come after the template's first container:\n%s", got)
	}
	if strings.Contains(got, `"args":["app"]`) {
		t.Errorf("the arguments stand twice:\n%s", got)
	}
	_, _, err = fromTemplate(names{}, "n1", p, template(t, `{"spec": {"containers": [{"name": "shop"}]}}`))
	if err == nil || !strings.Contains(err.Error(), "behind --, or as run:") {
		t.Errorf("a command in the image: %v", err)
	}
}

// An answer of an image's Python is the last words of its container.
func TestAnswered(t *testing.T) {
	pod := func(text string) (e kubernetes.Event) {
		if err := json.Unmarshal([]byte(text), &e.Pod); err != nil {
			t.Fatal(err)
		}
		return e
	}
	ended := `{"status": {"containerStatuses": [{"name": "app", "state": {"terminated": {"exitCode": %d, "message": %q}}}]}}`
	for name, row := range map[string]struct {
		pod         string
		answer, why string
		found       bool
	}{
		"it waits":      {`{"metadata": {"name": "p"}, "status": {"phase": "Pending"}}`, "", "pod p is Pending", false},
		"it answers":    {fmt.Sprintf(ended, 0, `["cpython"]`), `["cpython"]`, "", true},
		"it fails":      {fmt.Sprintf(ended, 1, "no module json"), "", "status 1: no module json", true},
		"it says much":  {fmt.Sprintf(ended, 0, strings.Repeat("x", 4096)), "", "longer than", true},
		"it is no more": {`{"status": {"containerStatuses": [{"name": "app", "state": {"waiting": {"reason": "ErrImagePull"}}}]}}`, "", "ErrImagePull", true},
	} {
		t.Run(name, func(t *testing.T) {
			answer, why, found := answered(pod(row.pod), "app")
			if answer != row.answer || !strings.Contains(why, row.why) || row.why == "" && why != "" || found != row.found {
				t.Errorf("answered %q, %q, %t", answer, why, found)
			}
		})
	}
}

func TestTemplatesThatDoNotFit(t *testing.T) {
	for name, row := range map[string]struct{ spec, says string }{
		"no such container":  {`{"containers": [{"name": "web"}]}`, "has no container shop; there is web"},
		"the node's network": {`{"hostNetwork": true, "containers": [{"name": "shop"}]}`, "hostNetwork"},
		"a port of the node": {`{"containers": [{"name": "shop", "ports": [{"containerPort": 1, "hostPort": 80}]}]}`, "hostPort: 80"},
		"nothing":            {`{}`, "has no container"},
		"volumes of its own": {`{"containers": [{"name": "shop"}]}`, "volumeClaimTemplates: data"},
	} {
		t.Run(name, func(t *testing.T) {
			of := template(t, `{"spec": `+row.spec+`}`)
			if name == "volumes of its own" {
				of.Claims = make([]kubernetes.Object, 1)
				of.Claims[0].Metadata.Name = "data"
			}
			_, _, err := fromTemplate(names{}, "n1", afar.Pod{Deployment: "shop", Container: "shop"}, of)
			if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "template of shop") {
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
}
