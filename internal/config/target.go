package config

import (
	"regexp"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Target is where the programs run: this machine, unless it names another place.
type Target struct {
	_          struct{}   `called:"a target"`
	Kubernetes Kubernetes `yaml:"kubernetes"` // pods of a cluster, as {namespace: shop-trial}; see docs/kubernetes.md
}

// Kubernetes is a cluster as a target.
type Kubernetes struct {
	_          struct{}          `called:"a cluster"`
	Namespace  string            `yaml:"namespace" as:"line" required:"experiment"` // in which everything is made
	Context    string            `yaml:"context" as:"line"`                         // of the configuration of kubectl; default: the current one
	Node       string            `yaml:"node" as:"line"`                            // on which all pods run; default: the scheduler's choice
	Nodes      int               `yaml:"nodes" as:"own" shape:"Texts"`              // blocks go to as many nodes at the same time, each block whole on one of them: 5, or a list of their names; default: 1
	Named      []string          // the nodes of a list; one that is named twice takes two blocks at the same time
	Selector   map[string]string `yaml:"selector" as:"own" shape:"Environment"` // labels of the nodes that may be taken, as {pool: bench}; default: any node
	Generators int               `yaml:"generators" range:"1..64"`              // pods that share the load of each conductor, on other nodes than its own where there are some; default: 1, in the pod of the conductor
	Meter      string            `yaml:"meter" one:"node sidecar"`              // who reads what pods use: a pod of the node, which sees its cgroups, or a container in each pod; default: node, and sidecar where the namespace does not admit that
	Image      string            `yaml:"image" as:"line"`                       // of this tracetax, for the pods that conduct and meter; default: that of its release
}

// BySidecar has a container in each pod read what its program uses.
const BySidecar = "sidecar"

// Is reports whether the programs run there.
func (k Kubernetes) Is() bool { return k.Namespace != "" }

// Places returns how many blocks are made at the same time.
func (t Target) Places() int { return max(1, t.Kubernetes.Nodes) }

// clusterName matches names of namespaces and nodes, and labelled those of labels.
var (
	clusterName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	labelled    = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
)

// mostNodes bounds the conductors of a session: each has a stream from this machine.
const mostNodes = 100

// ReadKey reads the nodes: their number or their names, and the labels of those that may be taken.
func (k *Kubernetes) ReadKey(s *program.Source, n *program.Node, key string) {
	switch {
	case key == "selector":
		k.Selector = map[string]string{}
		for _, e := range s.Entries(n, key) {
			if !labelled.MatchString(e.Key) {
				s.Fail(e.At, "%q is no label of a node", program.Printable(e.Key))
			}
			k.Selector[e.Key] = s.Line(e.Value)
		}
	case n.Kind == program.List:
		k.Named = s.Texts(n)
		if k.Nodes = len(k.Named); k.Nodes < 1 || k.Nodes > mostNodes {
			s.Fail(n.At, "a list of nodes has 1 to %d of their names", mostNodes)
		}
	default:
		k.Nodes = s.Whole(n, 1, mostNodes)
	}
}

// WriteKey writes them.
func (k Kubernetes) WriteKey(w program.Writer, key string) any {
	switch {
	case key == "selector" && len(k.Selector) > 0:
		return w.Env(k.Selector)
	case key == "nodes" && k.Named != nil:
		return program.Inline[string](k.Named)
	case key == "nodes" && k.Nodes > 0:
		return k.Nodes
	}
	return nil
}

// Finish checks the names.
func (k *Kubernetes) Finish(s *program.Source, n *program.Node) {
	if n.Get("namespace") == nil {
		s.Lacks(n, "namespace", n.At, "a cluster needs namespace: the one in which pods are made, as --namespace shop-trial")
	}
	nodes, selector := n.Get("nodes"), n.Get("selector")
	if nodes != nil && k.Node != "" {
		s.Fail(nodes.At, "node: %s is one node, and nodes: several: leave one of them out", program.Printable(k.Node))
	}
	if selector != nil && (k.Node != "" || k.Named != nil) {
		s.Fail(selector.At, "the nodes have names already: leave selector out, or write their number (nodes: %d)", max(1, k.Nodes))
	}
	if at := slices.IndexFunc(k.Named, func(name string) bool { return !clusterName.MatchString(name) }); at >= 0 {
		s.Fail(nodes.At, "node %q is no name in a cluster: it has lower-case letters, digits, - and .", program.Printable(k.Named[at]))
	}
	for key, name := range map[string]string{"namespace": k.Namespace, "node": k.Node} {
		if at := n.Get(key); at != nil && name != "" && !clusterName.MatchString(name) {
			s.Fail(at.At, "%s %q is no name in a cluster: it has lower-case letters, digits, - and .", key, program.Printable(name))
		}
	}
}
