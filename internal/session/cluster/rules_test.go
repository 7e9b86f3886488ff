package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// What holds of all pods of a session.
func TestRulesOfPods(t *testing.T) {
	of := names{id: "1a2b", image: "tracetax:1", owner: "uid"}
	rules := []string{
		`"restartPolicy":"Never"`, `"enableServiceLinks":false`, `"automountServiceAccountToken":false`, `"values":["n1"]`,
		`"app.kubernetes.io/managed-by":"tracetax"`, `"tracetax/run":"1a2b"`,
		`"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"tracetax-1a2b","uid":"uid"}]`,
	}
	ours := []string{`"readOnlyRootFilesystem":true`, `"runAsNonRoot":true`, `"runAsUser":65532`, `"drop":["ALL"]`,
		`"seccompProfile":{"type":"RuntimeDefault"}`}
	for name, row := range map[string]struct {
		pod  object
		part string
		ours bool // its program is tracetax
	}{
		"the conductor": {harnessJob(of, "n1", time.Hour), partHarness, true},
		"the meter":     {meterPod(of, "n1", "secret"), partMeter, true},
		"a program":     {appPod(of, "n1", afar.Pod{ID: 1, Image: "shop:1"}), partApp, false},
	} {
		wanted := append([]string{`"tracetax/part":"` + row.part + `"`}, rules...)
		if row.ours {
			wanted = append(wanted, ours...)
		}
		for _, part := range wanted {
			if got := text(t, row.pod); !strings.Contains(got, part) {
				t.Errorf("%s lacks %s: %s", name, part, got)
			}
		}
	}
}

// The pod of a Job is what its template says, under a name of its own.
func TestPodOf(t *testing.T) {
	got := text(t, podOf(harnessJob(names{id: "1a2b", image: "tracetax:1"}, "n1", time.Hour)))
	for _, part := range []string{
		`"kind":"Pod"`, `"generateName":"tracetax-1a2b-"`, `"tracetax/part":"harness"`, `"image":"tracetax:1"`, `"requests":{"cpu":"1"`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the pod lacks %s: %s", part, got)
		}
	}
}

// What belongs to the pods of a Deployment alone, no pod of a variant has.
func TestNotOfATemplate(t *testing.T) {
	const of = `{"spec": {"hostname": "h", "subdomain": "s", "activeDeadlineSeconds": 5, "ephemeralContainers": [{}], "restartPolicy": "Always",
 "initContainers": [{"name": "proxy", "restartPolicy": "Always", "startupProbe": {}, "readinessProbe": {}}],
 "containers": [{"name": "shop", "startupProbe": {}, "readinessProbe": {}, "livenessProbe": {}}]}}`
	made, _, err := fromTemplate(names{id: "1a2b", owner: "uid"}, "n1", afar.Pod{ID: 1, Deployment: "shop"}, template(t, of))
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, made)
	for _, part := range []string{"hostname", "subdomain", "activeDeadlineSeconds", "ephemeralContainers", "Probe"} {
		if strings.Contains(got, part) {
			t.Errorf("the pod has %s: %s", part, got)
		}
	}
	spec := made["spec"].(object)
	if spec["restartPolicy"] != "Never" || spec["enableServiceLinks"] != false {
		t.Errorf("it is restarted (%v), or gets the addresses of services (%v)", spec["restartPolicy"], spec["enableServiceLinks"])
	}
	if first := containers(spec, "initContainers")[0]; first["restartPolicy"] != "Always" {
		t.Errorf("a sidecar is one no more: %v", first)
	}
}

// Each right that is not there has its name, and nothing else is asked then.
func TestRightsAreNamed(t *testing.T) {
	target := config.Kubernetes{Namespace: "trial", Image: "tracetax:1"}
	for _, lack := range append(Rights(), Deployed) {
		withAPI(t, func(w http.ResponseWriter, r *http.Request) {
			var asked struct {
				Spec struct {
					Of struct{ Verb, Group, Resource, Subresource, Namespace string } `json:"resourceAttributes"`
				} `json:"spec"`
			}
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
				t.Errorf("asked %s, %v", r.URL, err)
			}
			of := asked.Spec.Of
			is := kubernetes.Right{Verb: of.Verb, Group: of.Group, Resource: of.Resource, Below: of.Subresource} == lack
			fmt.Fprintf(w, `{"status": {"allowed": %t}}`, !is || of.Namespace != "trial")
		})
		missing, err := Look(t.Context(), target, planOf("shop", ""), time.Hour)
		if want := "you may not " + lack.String() + " in namespace trial"; err != nil || len(missing) != 1 || missing[0] != want {
			t.Errorf("missing is %q, want %q (%v)", missing, want, err)
		}
	}
}

// A pod that the conductor has ended was not ended by others, and its program has the time that it was given.
func TestEndIsAsked(t *testing.T) {
	bodies := make(chan string, 1)
	p, _ := withAPI(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- r.Method + " " + r.URL.Path + " " + string(body)
	})
	of := shopApp()
	p.apps[of.name] = of
	p.End(afar.End{ID: 1, Grace: 7 * time.Second})
	const path = "DELETE /api/v1/namespaces/trial/pods/tracetax-1a2b-1 "
	if got := <-bodies; !strings.HasPrefix(got, path) || !strings.Contains(got, `"gracePeriodSeconds":7`) {
		t.Errorf("asked %s", got)
	}
	if why := p.outside(of, kubernetes.Event{Gone: true}); why != "" {
		t.Errorf("ended from outside: %q", why)
	}
}
