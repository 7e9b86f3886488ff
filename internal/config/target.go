package config

import (
	"regexp"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Target is where the programs run: this machine, unless it names another place.
type Target struct {
	_          struct{}   `called:"a target"`
	Kubernetes Kubernetes `yaml:"kubernetes"` // pods of a cluster, as {namespace: shop-trial}; see docs/kubernetes.md
}

// Kubernetes is a cluster as a target.
type Kubernetes struct {
	_         struct{} `called:"a cluster"`
	Namespace string   `yaml:"namespace" as:"line" required:"experiment"` // in which everything is made
	Context   string   `yaml:"context" as:"line"`                         // of the configuration of kubectl; default: the current one
	Node      string   `yaml:"node" as:"line"`                            // on which all pods run; default: the scheduler's choice
	Meter     string   `yaml:"meter" one:"node sidecar"`                  // who reads what pods use: a pod of the node, which sees its cgroups, or a container in each pod; default: node, and sidecar where the namespace does not admit that
	Image     string   `yaml:"image" as:"line"`                           // of this tracetax, for the pods that conduct and meter; default: that of its release
}

// BySidecar has a container in each pod read what its program uses.
const BySidecar = "sidecar"

// Is reports whether the programs run there.
func (k Kubernetes) Is() bool { return k.Namespace != "" }

// clusterName matches names of namespaces and nodes.
var clusterName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

// Finish checks the names.
func (k *Kubernetes) Finish(s *program.Source, n *program.Node) {
	if n.Get("namespace") == nil {
		s.Lacks(n, "namespace", n.At, "a cluster needs namespace: the one in which pods are made, as --namespace shop-trial")
	}
	for key, name := range map[string]string{"namespace": k.Namespace, "node": k.Node} {
		if at := n.Get(key); at != nil && name != "" && !clusterName.MatchString(name) {
			s.Fail(at.At, "%s %q is no name in a cluster: it has lower-case letters, digits, - and .", key, program.Printable(name))
		}
	}
}
