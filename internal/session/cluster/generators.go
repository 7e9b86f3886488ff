package cluster

// Load generators in pods of their own, which share the load of a conductor.

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

const generatorPort = 7412

// generatorJob is the Job of a conductor's load generators. They keep away from nodes with a conductor, where programs are measured, and
// from each other, as far as there are other nodes.
func generatorJob(n names, generators int, longest time.Duration, token string) object {
	size := object{"cpu": "500m", "memory": "512Mi"} // as the conductor's: nothing but the load decides what it gets
	apart := func(weight int, labels object) object {
		return object{"weight": weight, "podAffinityTerm": object{
			"labelSelector": object{"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname",
		}}
	}
	spec := object{
		"restartPolicy": "Never", "automountServiceAccountToken": false, "enableServiceLinks": false,
		"terminationGracePeriodSeconds": 1, "securityContext": unprivileged(),
		"affinity": object{"podAntiAffinity": object{"preferredDuringSchedulingIgnoredDuringExecution": []object{
			apart(100, object{labelOf: "tracetax", labelPart: partHarness}), apart(50, object{labelRun: n.id, labelPart: partLoad}),
		}}},
		"containers": []object{{
			"name": harnessContainer, "image": n.image, "args": []string{"agent", "load", "--listen", ":" + strconv.Itoa(generatorPort)},
			"securityContext": restricted(), "resources": object{"requests": size, "limits": size},
			"env":          []object{{"name": tokenVariable, "value": token}},
			"volumeMounts": []object{{"name": "tmp", "mountPath": "/tmp"}},
		}},
		"volumes": []object{{"name": "tmp", "emptyDir": object{}}},
	}
	return object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": n.metadata(n.job()+"-load", partLoad),
		"spec": object{
			"completionMode": "Indexed", "completions": generators, "parallelism": generators, "backoffLimit": 0,
			"activeDeadlineSeconds": int64(longest / time.Second),
			"template":              object{"metadata": object{"labels": n.labels(partLoad)}, "spec": spec},
		},
	}
}

// several is from how many generators on they have pods of their own.
const several = 2

// makeGenerators makes the Job of the generators, if there are several. The conductor has its node by then.
func (c *Cluster) makeGenerators(ctx context.Context, token string) error {
	if c.options.Target.Generators < several {
		return nil
	}
	_, err := c.api.Create(ctx, kubernetes.Jobs, generatorJob(c.names, c.options.Target.Generators, c.options.Longest, token))
	return err
}

// awaitGenerators waits until all generators run.
func (c *Cluster) awaitGenerators(ctx context.Context) error {
	most := c.options.Target.Generators
	if most < several {
		return nil
	}
	all, err := c.pods.running(ctx, partLoad, most)
	if err != nil {
		return fmt.Errorf("waiting for the pods of %d load generators: %w", most, err)
	}
	var nodes []string
	for _, p := range all {
		c.generators = append(c.generators, afar.Generator{
			Pod: p.Metadata.Name, Node: p.Spec.NodeName, Address: net.JoinHostPort(p.Status.PodIP, strconv.Itoa(generatorPort)),
		})
		nodes = append(nodes, p.Spec.NodeName)
	}
	slices.Sort(nodes)
	beside := ""
	if slices.Contains(nodes, c.node) {
		beside = "; on that of the programs they take CPU from these"
	}
	fmt.Fprintf(c.options.Progress, "kubernetes: %d load generators on nodes %s%s\n", most, strings.Join(slices.Compact(nodes), ", "), beside)
	return nil
}

// lostGenerator returns an error if a generator has ended: no later run would have the whole load.
func (c *Cluster) lostGenerator() error {
	c.pods.mu.Lock()
	defer c.pods.mu.Unlock()
	var lost error
	for _, g := range c.generators {
		end, there := "it was deleted", false
		if one, is := c.pods.there[g.Pod]; is {
			end, there = endOf(one), true
		}
		if end == "" {
			continue
		}
		err := fmt.Errorf("the pod %s of a load generator on node %s has ended (%s): runs without it have a part of the load", g.Pod, g.Node, end)
		if there { // the others are deleted because of that
			return err
		}
		lost = err
	}
	return lost
}
