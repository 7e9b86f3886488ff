package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A claim that its pods write into belongs to pods that serve users, and to one variant at most: it is not measured.
func TestWritesAlone(t *testing.T) {
	const of = `{"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "shop-data"%s}}, {"name": "tmp", "emptyDir": {}}], %s}`
	for name, row := range map[string]struct {
		claim, containers string
		refused           bool
	}{
		"it writes":          {"", `"containers": [{"name": "shop", "volumeMounts": [{"name": "tmp"}, {"name": "data"}]}]`, true},
		"a first one writes": {"", `"containers": [{}], "initContainers": [{"name": "seed", "volumeMounts": [{"name": "data"}]}]`, true},
		"it reads":           {"", `"containers": [{"name": "shop", "volumeMounts": [{"name": "data", "readOnly": true}, {"name": "tmp"}]}]`, false},
		"all read":           {`, "readOnly": true`, `"containers": [{"name": "shop", "volumeMounts": [{"name": "data"}]}]`, false},
		"nothing has it":     {"", `"containers": [{"name": "shop", "volumeMounts": [{"name": "tmp"}]}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := alone(template(t, `{"spec": `+fmt.Sprintf(of, row.claim, row.containers)+`}`).Spec)
			if (err != nil) != row.refused || err != nil && !strings.Contains(err.Error(), "writes into the claim shop-data") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// planOf is a variant whose program is a Deployment.
func planOf(deployment, container string) []Planned {
	return []Planned{{Plan: &config.Plan{Variant: "none", Processes: []program.Process{{Name: "shop", Deployed: deployment, Within: container}}}}}
}

// What cannot be measured is refused before anything is made.
func TestFits(t *testing.T) {
	target := config.Kubernetes{Namespace: "trial", Image: "tracetax:1"}
	withAPI(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.RawQuery == "dryRun=All":
			fmt.Fprint(w, `{}`)
		case r.Method != http.MethodGet:
			t.Errorf("asked %s %s", r.Method, r.URL)
		case strings.HasSuffix(r.URL.Path, "/shop"):
			fmt.Fprint(w, `{"spec": {"template": {"spec": {"containers": [{"name": "shop", "ports": [{"containerPort": 8080}]}, {"name": "mute"}]}}}}`)
		case strings.HasSuffix(r.URL.Path, "/host"):
			fmt.Fprint(w, `{"spec": {"template": {"spec": {"hostNetwork": true, "containers": [{"name": "shop"}]}}}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message": "there is none"}`)
		}
	})
	for name, row := range map[string]struct{ deployment, container, says string }{
		"it fits":           {"shop", "", ""},
		"no such one":       {"cart", "", "there is none"},
		"no such container": {"shop", "web", "no container web"},
		"not side by side":  {"host", "", "hostNetwork"},
		"no port":           {"shop", "mute", "container mute names no port"},
	} {
		err := Fits(t.Context(), target, planOf(row.deployment, row.container))
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A namespace that refuses the Job, or the pod that the Job is to make, is told of before. An API server that cannot try an object is not.
func TestFitsTheNamespace(t *testing.T) {
	for name, row := range map[string]struct {
		refused, message string
		code             int
		generators       int
		says             string
	}{
		"no namespace":            {"jobs", `namespaces \"trial\" not found`, http.StatusNotFound, 0, "'kubectl create namespace trial'"},
		"no room":                 {"pods", "exceeded quota: small", http.StatusForbidden, 0, "one CPU and 512 MiB: creating one of pods in namespace trial: exceeded"},
		"no room for a generator": {"pods", "exceeded quota: small", http.StatusForbidden, 2, "half a CPU and 512 MiB: creating one of pods in namespace trial: exceeded"},
		"no trial":                {"pods", "a webhook does not support dry run", http.StatusBadRequest, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := map[string]int{}
			withAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery != "dryRun=All" {
					t.Errorf("asked %s %s", r.Method, r.URL)
				}
				if asked[r.URL.Path]++; !strings.HasSuffix(r.URL.Path, "/"+row.refused) || row.generators > 0 && asked[r.URL.Path] == 1 {
					fmt.Fprint(w, `{}`)
					return
				}
				w.WriteHeader(row.code)
				fmt.Fprintf(w, `{"message": "%s"}`, row.message)
			})
			err := Fits(t.Context(), config.Kubernetes{Namespace: "trial", Image: "tracetax:1", Generators: row.generators}, planOf("", ""))
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
}

// What scales the pods of users is told by its name, once, and nothing where nobody may see it.
func TestNotes(t *testing.T) {
	target := config.Kubernetes{Namespace: "trial"}
	answer := http.StatusOK
	withAPI(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answer)
		fmt.Fprint(w, `{"items": [{"metadata": {"name": "grow"},
 "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "shop"}, "maxReplicas": 9}}]}`)
	})
	twice := append(planOf("shop", ""), planOf("shop", "")...)
	const says = "HorizontalPodAutoscaler grow has up to 9 pods of shop"
	if notes, err := Notes(t.Context(), target, twice); err != nil || len(notes) != 1 || !strings.Contains(notes[0], says) {
		t.Errorf("notes %q, %v", notes, err)
	}
	if notes, err := Notes(t.Context(), target, append(planOf("cart", ""), planOf("", "")...)); err != nil || len(notes) > 0 {
		t.Errorf("of others: %q, %v", notes, err)
	}
	answer = http.StatusForbidden
	if notes, err := Notes(t.Context(), target, twice); err != nil || len(notes) > 0 {
		t.Errorf("without the right: %q, %v", notes, err)
	}
}
