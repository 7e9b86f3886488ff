package cluster

// Pods of the template of a Deployment or a StatefulSet, or like another pod.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// fromTemplate returns the pod of a program of a Deployment, and the name of its container: the template without what belongs to a
// Deployment's pods (labels, which Services choose by; probes, which make spans and CPU; its place), and with what a variant changes.
func fromTemplate(n names, node string, p afar.Pod, t kubernetes.Template) (object, string, error) {
	spec, err := clone(t.Spec)
	if err != nil {
		return nil, "", fmt.Errorf("template of %s: %w", p.Deployment, err)
	}
	main, err := mainOf(spec, p.Container)
	if err != nil {
		return nil, "", fmt.Errorf("template of %s: %w", p.Deployment, err)
	}
	if len(t.Claims) > 0 {
		return nil, "", fmt.Errorf("template of %s: each of its pods has a volume of its own (volumeClaimTemplates: %s), and others must not use "+
			"that: measure a copy with an emptyDir", p.Deployment, t.Claims[0].Metadata.Name)
	}
	if err := alone(spec); err != nil {
		return nil, "", fmt.Errorf("template of %s: %w", p.Deployment, err)
	}
	for _, c := range append(containers(spec, "containers"), containers(spec, "initContainers")...) {
		for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
			delete(c, probe)
		}
	}
	if p.Args, err = wrapped(p, main); err != nil {
		return nil, "", fmt.Errorf("template of %s: %w", p.Deployment, err)
	}
	own := appContainerOf(p)
	if main["env"], err = merged(main["env"], own["env"]); err != nil {
		return nil, "", fmt.Errorf("template of %s: %w", p.Deployment, err)
	}
	delete(own, "name")
	delete(own, "env")
	if p.Image == "" {
		delete(own, "image")
	}
	if p.Own { // its words stand behind the template's
		args, _ := main["args"].([]any)
		for _, word := range own["args"].([]string) {
			args = append(args, word)
		}
		main["args"] = args
		delete(own, "args")
	}
	if len(own["resources"].(object)) == 0 {
		delete(own, "resources")
	}
	maps.Copy(main, own)
	if own["command"] != nil {
		delete(main, "args") // they are its, and the words here are all
	}
	withFolders(n, spec, main, p)
	withMeter(n, spec)
	for _, key := range []string{"nodeName", "topologySpreadConstraints", "activeDeadlineSeconds", "ephemeralContainers", "hostname", "subdomain"} {
		delete(spec, key)
	}
	maps.Copy(spec, object{"restartPolicy": "Never", "enableServiceLinks": false, "affinity": onNode(node)})
	metadata := appMetadata(n, p)
	metadata["annotations"] = marks(t.Metadata.Annotations, metadata["annotations"].(object))
	name, _ := main["name"].(string)
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, name, nil
}

// wrapped returns the words of a program, with the template's own command where a tracer goes around it.
func wrapped(p afar.Pod, main object) (out []string, err error) {
	for _, word := range p.Args {
		if word != prepare.OwnCommand {
			out = append(out, word)
			continue
		}
		if main["command"] == nil {
			return nil, fmt.Errorf("the tracer goes around the program's command, and its container %v has that in its image, where only "+
				"the node sees it: write that command, which the image's Dockerfile tells, behind --, or as run: of the process", main["name"])
		}
		for _, one := range append(listed(main["command"]), listed(main["args"])...) {
			text, _ := one.(string)
			out = append(out, text)
		}
	}
	return out, nil
}

// clone returns a copy of an object that shares nothing with it.
func clone(o object) (object, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var out object
	return out, json.Unmarshal(text, &out)
}

// containers lists the containers of a spec under a key.
func containers(spec object, key string) (out []object) {
	all, _ := spec[key].([]any)
	for _, one := range all {
		if c, is := one.(object); is {
			out = append(out, c)
		}
	}
	return out
}

// mainOf returns the container that is the program: by its name, or the first one.
func mainOf(spec object, name string) (object, error) {
	all := containers(spec, "containers")
	var there []string
	for _, c := range all {
		one, _ := c["name"].(string)
		if name == "" || one == name {
			return c, nil
		}
		there = append(there, one)
	}
	if len(all) == 0 {
		return nil, errors.New("its template has no container")
	}
	return nil, fmt.Errorf("its template has no container %s; there is %s", name, strings.Join(there, ", "))
}

// alone returns an error if a second pod of the template cannot live on the same node.
func alone(spec object) error {
	if host, _ := spec["hostNetwork"].(bool); host {
		return errors.New("its pods use the network of the node (hostNetwork), where two variants would want the same port: measure a copy without it")
	}
	for _, c := range containers(spec, "containers") {
		ports, _ := c["ports"].([]any)
		for _, one := range ports {
			if port, _ := one.(object); port["hostPort"] != nil {
				return fmt.Errorf("its container %v has a port of the node (hostPort: %v), which two variants cannot share: measure a copy without it", c["name"], port["hostPort"])
			}
		}
	}
	return writesAlone(spec)
}

// merged returns the variables of a container with those of a variant in their place.
func merged(theirs any, ours any) ([]any, error) {
	before, is := theirs.([]any)
	if theirs != nil && !is {
		return nil, errors.New("the variables of its container are no list")
	}
	own, _ := ours.([]object)
	var out []any
	for _, one := range before {
		pair, _ := one.(object)
		if !slices.ContainsFunc(own, func(o object) bool { return o["name"] == pair["name"] }) {
			out = append(out, one)
		}
	}
	for _, one := range own {
		out = append(out, one)
	}
	return out, nil
}

// readTemplates reads the templates of all plans, and what they say of their nodes.
func (c *Cluster) readTemplates() error {
	for _, plan := range c.options.Plans {
		for _, p := range plan.Processes {
			if p.Deployed == "" {
				continue
			}
			if _, err := c.pods.template(p.Deployed); err != nil {
				return err
			}
		}
	}
	c.options.standing = standingOf(c.pods.templates)
	return nil
}

// Port returns the first port of a Deployment's container, at which its program listens where nothing else is said.
func (c *Cluster) Port(deployment, container string) (int, error) {
	t, err := c.pods.template(deployment)
	if err != nil {
		return 0, err
	}
	return portOf(t, deployment, container)
}

func portOf(t kubernetes.Template, deployment, container string) (int, error) {
	main, err := mainOf(t.Spec, container)
	if err != nil {
		return 0, fmt.Errorf("template of %s: %w", deployment, err)
	}
	for _, port := range containers(main, "ports") {
		if number, is := port["containerPort"].(float64); is {
			return int(number), nil
		}
	}
	return 0, fmt.Errorf("template of %s: its container %v names no port: write the one at which it listens (port: 8080)", deployment, main["name"])
}
