package cluster

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// selector chooses pods by their labels.
type selector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

func (s selector) chooses(labels map[string]string) bool {
	for name, value := range s.MatchLabels {
		if labels[name] != value {
			return false
		}
	}
	return true
}

// policy is a NetworkPolicy as a cluster reads it.
type policy struct {
	Spec struct {
		PodSelector selector `json:"podSelector"`
		Ingress     []rule   `json:"ingress"`
		Egress      []rule   `json:"egress"`
	} `json:"spec"`
}

type rule struct {
	From  []peer `json:"from"`
	To    []peer `json:"to"`
	Ports []struct {
		Port int `json:"port"`
	} `json:"ports"`
}

type peer struct {
	PodSelector selector `json:"podSelector"`
}

// allows reports whether one of the rules lets a pod be the other end, at a port.
func allows(rules []rule, labels map[string]string, port int) bool {
	return slices.ContainsFunc(rules, func(r rule) bool {
		is := func(p peer) bool { return p.PodSelector.chooses(labels) }
		open := len(r.Ports) == 0
		for _, one := range r.Ports {
			open = open || one.Port == port
		}
		return open && (slices.ContainsFunc(r.From, is) || slices.ContainsFunc(r.To, is))
	})
}

// as has an object as a cluster reads it.
func as[T any](t *testing.T, o object) (out T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text(t, o)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// labelsOf are those of the pod that an object is, or that a Job makes.
func labelsOf(t *testing.T, o object) map[string]string {
	t.Helper()
	if o["kind"] == "Job" {
		o = o["spec"].(object)["template"].(object)
	}
	return as[struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	}](t, o).Metadata.Labels
}

// listens is the port at which the first container of a list in a pod listens.
func listens(t *testing.T, pod object, in string) int {
	t.Helper()
	args := as[struct {
		Spec map[string][]struct {
			Args []string `json:"args"`
		} `json:"spec"`
	}](t, object{"spec": object{in: pod["spec"].(object)[in]}}).Spec[in][0].Args
	n, err := strconv.Atoi(strings.TrimPrefix(args[slices.Index(args, "--listen")+1], ":"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Where all else is denied, the pods that sessions really make reach each other as they have to, and no others.
func TestPolicies(t *testing.T) {
	of := names{id: "1a2b", image: "tracetax:1", owner: "uid"}
	of.beside, of.token = true, "secret"
	meter, app := meterPod(of, "n1", "secret"), appPod(of, "n1", afar.Pod{
		ID: 3, Image: "shop:1", InPods: config.InPods{Labels: map[string]string{"app": "shop"}},
	})
	generators := generatorJob(of, 2, time.Hour, "secret")
	pods := map[string]map[string]string{
		"harness": labelsOf(t, harnessJob(of, "n1", time.Hour)), "meter": labelsOf(t, meter), "app": labelsOf(t, app), "another's": {"app": "shop"},
		"load": labelsOf(t, generators),
	}
	const drawn = 40123 // the sink's, a program's: they are drawn
	ways := map[string][]int{
		"harness app": {drawn, generatorPort, listens(t, app, "initContainers")}, "app harness": {drawn, meterPort, generatorPort},
		"harness harness": {drawn, meterPort, generatorPort},
		"harness meter":   {listens(t, meter, "containers")}, "harness load": {listens(t, podOf(generators), "containers")}, "load app": {drawn, meterPort, generatorPort},
	}
	var all []policy
	for _, o := range policies("trial") {
		all = append(all, as[policy](t, o))
	}
	for from, its := range pods {
		for to, theirs := range pods {
			for _, port := range []int{meterPort, generatorPort, drawn} {
				leaves, arrives := from == "another's", to == "another's" // what others may do is none of these policies
				for _, p := range all {
					leaves = leaves || p.Spec.PodSelector.chooses(its) && allows(p.Spec.Egress, theirs, port)
					arrives = arrives || p.Spec.PodSelector.chooses(theirs) && allows(p.Spec.Ingress, its, port)
				}
				want := slices.Contains(ways[from+" "+to], port) || from == "another's" && to == "another's"
				if may := leaves && arrives; may != want {
					t.Errorf("from %s to %s at %d: %t", from, to, port, may)
				}
				if to == "app" && arrives != want {
					t.Errorf("a program takes connections of %s", from)
				}
			}
		}
	}
	for part, labels := range pods {
		chosen := slices.ContainsFunc(all, func(p policy) bool { return p.Spec.PodSelector.chooses(labels) })
		if chosen != (part != "another's") {
			t.Errorf("%s is chosen by a policy: %t", part, chosen)
		}
	}
}

// A user needs the right to read what templates come from, and none for those that a file has.
func TestGrants(t *testing.T) {
	plan := func(p program.Process) []Planned {
		return []Planned{{Plan: &config.Plan{Processes: []program.Process{p}}}, {Plan: &config.Plan{Processes: []program.Process{p}}}}
	}
	for name, row := range map[string]struct {
		process program.Process
		has     string
	}{
		"an image":        {program.Process{Image: "shop:1"}, ""},
		"a Deployment":    {program.Process{Deployed: "shop"}, "deployments"},
		"a StatefulSet":   {program.Process{Deployed: "statefulset/shop"}, "statefulsets"},
		"one from a file": {program.Process{Deployed: "deployment/shop", Manifest: "{}"}, ""},
		"a pod of a file": {program.Process{Deployed: "pod/shop", Manifest: "{}"}, ""},
		"a pod":           {program.Process{Deployed: "pod/shop"}, "get"},
	} {
		t.Run(name, func(t *testing.T) {
			granted, err := Grants("trial", plan(row.process))
			if err != nil {
				t.Fatal(err)
			}
			all := role("trial", needs(plan(row.process)))
			rules := as[struct {
				Rules []struct{ APIGroups, Resources, Verbs []string } `json:"rules"`
			}](t, all[0]).Rules
			verbs := map[string][]string{}
			for _, r := range rules {
				verbs[r.Resources[0]] = r.Verbs
			}
			for _, resource := range []string{"deployments", "statefulsets"} {
				if (verbs[resource] != nil) != (resource == row.has) || strings.Contains(granted, resource) != (resource == row.has) {
					t.Errorf("%s: %q, in\n%s", resource, verbs[resource], granted)
				}
			}
			if slices.Contains(verbs["pods"], "get") != (row.has == "get") {
				t.Errorf("pods: %q", verbs["pods"])
			}
			for _, resource := range []string{"pods/log", "events", "horizontalpodautoscalers"} {
				if !strings.Contains(granted, "- "+resource) {
					t.Errorf("%s is not granted, in\n%s", resource, granted)
				}
			}
			if strings.Count(granted, "kind: NetworkPolicy") != 4 ||
				!strings.Contains(granted, "Elsewhere leave these out") {
				t.Errorf("granted is\n%s", granted)
			}
		})
	}
}

// The labels and annotations of a variant are in its pods, from an image and from a template; those of tracetax win, and no variant may
// have them.
func TestMarksOfPods(t *testing.T) {
	of := names{id: "1a2b", image: "tracetax:1"}
	p := afar.Pod{ID: 3, Run: "001-mesh-1", Name: "shop", InPods: config.InPods{
		Annotations: map[string]string{"sidecar.example/inject": "false", "team": "7"}, Labels: map[string]string{"tier": "2", labelRun: "stolen"},
	}}
	from, _, err := fromTemplate(of, "n1", p, template(t, deployed))
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range map[string]object{"image": appPod(of, "n1", p), "template": from} {
		labels := labelsOf(t, pod)
		if labels["tier"] != "2" || labels[labelRun] != "1a2b" || labels[labelPart] != partApp {
			t.Errorf("%s: labels %q", name, labels)
		}
		annotations := pod["metadata"].(object)["annotations"].(object)
		if annotations["team"] != "7" || annotations["sidecar.example/inject"] != "false" || annotations["tracetax/run"] != "001-mesh-1" {
			t.Errorf("%s: annotations %q", name, annotations)
		}
	}
	own := appPod(of, "n1", afar.Pod{})["metadata"].(object)
	for name := range maps.Keys(own["labels"].(object)) {
		if !program.OwnMark(name) {
			t.Errorf("a variant may have tracetax's label %s", name)
		}
	}
	for name := range maps.Keys(own["annotations"].(object)) {
		if !program.OwnMark(name) {
			t.Errorf("a variant may have tracetax's annotation %s", name)
		}
	}
}

// A template of a file asks no cluster, and is the pod's.
func TestTemplateOfAFile(t *testing.T) {
	p := program.Process{
		Name: "shop", Deployed: "statefulset/shop", Manifest: `{"kind": "StatefulSet", "spec": {"template": ` + deployed + `}}`,
		Within: "shop", Port: 8080, Run: []string{"{image}"}, Traced: true,
	}
	plan := &config.Plan{Variant: "mesh", Processes: []program.Process{p}, InPods: config.InPods{Labels: map[string]string{"tier": "2"}}}
	t.Setenv("KUBECONFIG", "/nonexistent")
	all, err := Manifests(t.Context(), config.Kubernetes{Namespace: "trial", Image: "tracetax:1"}, []Planned{{Plan: plan}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"image: proxy:1", "image: shop:1.2", "tier: ", "name: tracetax-dry-run-1"} {
		if !strings.Contains(all, part) {
			t.Errorf("the objects lack %s:\n%s", part, all)
		}
	}
	if strings.Count(all, "kind: Pod") != 2 || strings.Count(all, "namespace: trial") != 3 {
		t.Errorf("the objects are\n%s", all)
	}
	filed, err := filed(t.Context(), []*config.Plan{plan})
	if err != nil || len(filed) != 1 || len(filed["statefulset/shop"].Spec) == 0 {
		t.Errorf("the templates are %v, %v", filed, err)
	}
}
