package cluster

// What an administrator applies once in a namespace, and what a user has to be allowed there.

import (
	"slices"

	"github.com/tracetax/tracetax/internal/kubernetes"
)

// Rights are what a user must be allowed in the namespace to measure there.
func Rights() []kubernetes.Right {
	batch := func(verb string) kubernetes.Right {
		return kubernetes.Right{Verb: verb, Group: "batch", Resource: "jobs"}
	}
	pods := func(verb, below string) kubernetes.Right {
		return kubernetes.Right{Verb: verb, Resource: "pods", Below: below}
	}
	return []kubernetes.Right{
		batch("create"), batch("delete"), pods("create", ""), pods("list", ""), pods("watch", ""), pods("delete", ""),
		pods("create", "attach"), pods("get", "attach"),
	}
}

// Deployed is the right to measure a Deployment: its template is read.
var Deployed = kubernetes.Reads("")

// right is one without which something is missing.
type right struct {
	right   kubernetes.Right
	without string
}

// optional are rights without which the rest is measured, with what is then missing.
var optional = []right{
	{kubernetes.Right{Verb: "get", Resource: "pods", Below: "log"}, "logs of programs will be empty, and 'ready: log:…' cannot be met"},
	{kubernetes.Right{Verb: "list", Resource: "events"}, "the cluster's words on a pod that does not begin will be missing"},
	{
		kubernetes.Right{Verb: "list", Group: "autoscaling", Resource: "horizontalpodautoscalers"},
		"nothing will be said of an autoscaler that acts on what is measured",
	},
}

// needs are the rights to run plans: a template that a file has is not read from the cluster.
func needs(plans []Planned) []kubernetes.Right {
	out := Rights()
	for _, plan := range plans {
		for _, one := range plan.Processes {
			if reads := kubernetes.Reads(one.Deployed); one.Deployed != "" && one.Manifest == "" && !slices.Contains(out, reads) {
				out = append(out, reads)
			}
		}
	}
	return out
}

// What an administrator applies, by labels: kubectl apply -l tracetax/part=grants.
const (
	partGrants  = "grants"
	partNetwork = "network"
)

// once is the metadata of an object that an administrator applies.
func once(name, namespace, part string) object {
	return object{"name": name, "namespace": namespace, "labels": object{labelOf: "tracetax", labelPart: part}}
}

// role is the Role of who has rights in a namespace, and its binding to a group.
func role(namespace string, rights []kubernetes.Right) []object {
	verbs := map[[2]string][]string{}
	var order [][2]string
	for _, r := range rights {
		resource := r.Resource
		if r.Below != "" {
			resource += "/" + r.Below
		}
		key := [2]string{r.Group, resource}
		if verbs[key] == nil {
			order = append(order, key)
		}
		verbs[key] = append(verbs[key], r.Verb)
	}
	var rules []object
	for _, key := range order {
		rules = append(rules, object{"apiGroups": []string{key[0]}, "resources": []string{key[1]}, "verbs": verbs[key]})
	}
	metadata := once("tracetax", namespace, partGrants)
	return []object{
		{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata, "rules": rules},
		{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
			"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "tracetax"},
			"subjects": []object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "those-who-measure"}},
		},
	}
}

// policies let the pods of sessions talk with each other as they do, where a namespace denies that by default: the conductor with all
// pods, at ports of which most are drawn, and with the meter and load generators at their own; these with programs. They need no names,
// and the stream to the conductor goes through its node.
func policies(namespace string) []object {
	all := object{labelOf: "tracetax"}
	of := func(part string) object { return object{labelOf: "tracetax", labelPart: part} }
	allow := func(labels object, ports ...object) object {
		peer := object{"podSelector": object{"matchLabels": labels}}
		out := object{"from": []object{peer}}
		if len(ports) > 0 {
			out["ports"] = ports
		}
		return out
	}
	harness := allow(of(partHarness))
	var out []object
	for _, one := range []struct {
		part    string
		in, out []object
	}{
		{partHarness, []object{allow(all)}, []object{{"to": allow(all)["from"]}}},
		{partMeter, []object{allow(of(partHarness), object{"protocol": "TCP", "port": meterPort})}, []object{}},
		{partLoad, []object{allow(of(partHarness), object{"protocol": "TCP", "port": generatorPort})},
			[]object{{"to": allow(of(partApp))["from"]}}},
		{partApp, []object{harness, allow(of(partLoad))}, []object{{"to": harness["from"]}}},
	} {
		out = append(out, object{
			"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
			"metadata": once("tracetax-"+one.part, namespace, partNetwork),
			"spec": object{
				"podSelector": object{"matchLabels": of(one.part)}, "policyTypes": []string{"Ingress", "Egress"},
				"ingress": one.in, "egress": one.out,
			},
		})
	}
	return out
}

// denied is said of the policies. They choose pods, which may then do nothing that no policy allows.
const denied = "# Where the namespace denies traffic by default (kubectl apply -l tracetax/part=network).\n" +
	"# Elsewhere leave these out: they keep a program's pods from all but tracetax.\n"

// Grants returns, as YAML, what an administrator applies once for those who measure in a namespace: a Role with the rights that plans need,
// its binding to a group of the name those-who-measure, and NetworkPolicies.
func Grants(namespace string, plans []Planned) (string, error) {
	rights := needs(plans)
	for _, one := range optional {
		rights = append(rights, one.right)
	}
	roles, err := documents(role(namespace, rights))
	if err != nil {
		return "", err
	}
	network, err := documents(policies(namespace))
	return roles + "---\n" + denied + network, err
}
