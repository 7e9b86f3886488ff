package cluster

// Where pods of templates may stand: a pool of nodes, nodes that are kept for some. The conductor chooses the node for all pods of a
// block, so it has to choose one of those.

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/kubernetes"
)

// standing is what templates say of their nodes. All of it holds for the conductor; the meter bears the same taints.
type standing struct {
	selector    object // nodeSelector
	tolerations []any
	affinity    any // nodeAffinity, of the first template that has one
}

// standingOf returns what templates say of their nodes.
func standingOf(templates map[string]kubernetes.Template) standing {
	s := standing{selector: object{}}
	for _, of := range slices.Sorted(maps.Keys(templates)) {
		spec := templates[of].Spec
		selector, _ := spec["nodeSelector"].(object)
		maps.Copy(s.selector, selector)
		s.tolerations = append(s.tolerations, listed(spec["tolerations"])...)
		if affinity, _ := spec["affinity"].(object); s.affinity == nil {
			s.affinity = affinity["nodeAffinity"]
		}
	}
	return s
}

// choose has a pod that chooses the node choose one of these. A node that has a name was chosen by the user.
func (s standing) choose(spec object) {
	if len(s.selector) > 0 {
		spec["nodeSelector"] = maps.Clone(s.selector)
	}
	s.bear(spec)
	if place, _ := spec["affinity"].(object); len(place) == 0 && s.affinity != nil {
		spec["affinity"] = object{"nodeAffinity": s.affinity}
	}
}

// bear has a pod bear what these nodes are tainted with.
func (s standing) bear(spec object) {
	if len(s.tolerations) > 0 {
		spec["tolerations"] = s.tolerations
	}
}

// metering is the pod that meters a node of these.
func (o Options) metering(n names, node, token string) object {
	pod := meterPod(n, node, token)
	o.standing.bear(pod["spec"].(object))
	return pod
}
