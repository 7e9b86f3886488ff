package cluster

// What a session would make in a cluster, and whether it may: before anything is made.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// planned are names where nothing has one yet.
const planned = "dry-run"

// unknownToken is in the place of one.
const unknownToken = "drawn for each session"

// kindOf is an object with the resource that it is one of.
type kindOf struct {
	resource kubernetes.Resource
	object   object
	in       string // a pod of a program: the container that is that
	wanted   afar.Pod
}

// Planned is a variant that is to run in pods.
type Planned struct {
	*config.Plan
	Fetches bool // its tracer has files, which its pods fetch
}

// admits reports whether the namespace would take the meter of a node.
func admits(ctx context.Context, api *kubernetes.Client, target config.Kubernetes) (bool, error) {
	image, err := imageOf(target)
	if err != nil {
		return false, err
	}
	_, err = api.Try(ctx, kubernetes.Pods, meterPod(names{id: planned, image: image, owner: planned}, target.Node, unknownToken))
	if kubernetes.IsForbidden(err) {
		return false, nil
	}
	return true, err
}

// objectsOf are all objects of a session, with one pod of each process of a variant. What a run fills in stays as it is written.
func objectsOf(target config.Kubernetes, plans []Planned, longest time.Duration, templates map[string]kubernetes.Template, beside bool,
) ([]kindOf, error) {
	image, err := imageOf(target)
	if err != nil {
		return nil, err
	}
	of := names{id: planned, image: image, beside: beside, token: unknownToken}
	target = placeOf(target, 0)
	orders := Options{Target: target, among: planned, standing: standingOf(templates)}
	out := []kindOf{{resource: kubernetes.Jobs, object: orders.placed(harnessJob(of, target.Node, longest))}}
	of.owner = planned // the API server wants to know it when the object is made for good
	if target.Generators >= several {
		out = append(out, kindOf{resource: kubernetes.Jobs, object: generatorJob(of, target.Generators, longest, unknownToken)})
	}
	node := target.Node // without a name it is that of the first pod
	if !beside {
		out = append(out, kindOf{resource: kubernetes.Pods, object: orders.metering(of, node, unknownToken)})
	}
	for i, plan := range plans {
		for _, p := range plan.Processes {
			wanted := afar.Pod{
				ID: uint64(i + 1), Run: plan.Variant, Name: p.Name, Image: p.Image, Args: p.Run, Dir: p.Dir, CPUs: p.CPUs, Memory: p.Memory,
				Deployment: p.Deployed, Container: p.Within,
			}
			if p.Traced {
				wanted.InPods = plan.InPods
			}
			if plan.Fetches && p.Traced {
				wanted.Fetch = &afar.Fetch{Dir: "/tracetax/" + planned, URL: "http://" + planned, Token: unknownToken}
			}
			if len(p.Run) > 0 && p.Run[0] == prepare.OwnCommand {
				wanted.Own, wanted.Args = true, p.Run[1:]
			}
			for name, value := range p.Env {
				wanted.Env = append(wanted.Env, name+"="+value)
			}
			slices.Sort(wanted.Env)
			made, in := appPod(of, node, wanted), appContainer
			if p.Deployed != "" {
				if made, in, err = fromTemplate(of, node, wanted, templates[p.Deployed]); err != nil {
					return nil, err
				}
				if _, err := portOf(templates[p.Deployed], p.Deployed, p.Within); err != nil && p.Port == 0 {
					return nil, err
				}
			}
			out = append(out, kindOf{kubernetes.Pods, made, in, wanted})
		}
	}
	return out, nil
}

// templatesOf reads the templates that plans need. A plan without a Deployment asks no cluster.
func templatesOf(ctx context.Context, target config.Kubernetes, plans []Planned) (map[string]kubernetes.Template, error) {
	out := map[string]kubernetes.Template{}
	for _, plan := range plans {
		for _, p := range plan.Processes {
			if _, known := out[p.Deployed]; known || p.Deployed == "" {
				continue
			}
			open := func() (*kubernetes.Client, error) { return kubernetes.Open(target.Context, target.Namespace) }
			var err error
			if out[p.Deployed], err = templateOf(ctx, open, p); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Manifests returns the objects of a session as YAML, a document each.
func Manifests(ctx context.Context, target config.Kubernetes, plans []Planned, longest time.Duration) (string, error) {
	templates, err := templatesOf(ctx, target, plans)
	if err != nil {
		return "", err
	}
	all, err := objectsOf(target, plans, longest, templates, target.Meter == config.BySidecar)
	if err != nil {
		return "", err
	}
	out := make([]object, len(all))
	for i, one := range all {
		out[i] = one.object
		out[i]["metadata"].(object)["namespace"] = target.Namespace // wherever kubectl is
	}
	return documents(out)
}

// documents returns objects as YAML.
func documents(all []object) (string, error) {
	out := make([]string, len(all))
	for i, one := range all {
		text, err := json.Marshal(one)
		if err != nil {
			return "", fmt.Errorf("encoding an object: %w", err)
		}
		text, err = yaml.JSONToYAML(text)
		if err != nil {
			return "", fmt.Errorf("encoding an object: %w", err)
		}
		out[i] = string(text)
	}
	return strings.Join(out, "---\n"), nil
}

// Look asks the cluster, without making anything, whether a session's objects could be made; missing says in words what is not
// allowed or not there.
func Look(ctx context.Context, target config.Kubernetes, plans []Planned, longest time.Duration) (missing []string, err error) {
	api, err := kubernetes.Open(target.Context, target.Namespace)
	if err != nil {
		return nil, err
	}
	lacks, err := lacking(ctx, api, needs(plans)...)
	if err != nil {
		return nil, err
	}
	for _, one := range lacks {
		missing = append(missing, "you may not "+one+" in namespace "+target.Namespace)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return missing, nil // what follows would say the same of each object
	}
	job := harnessJob(names{id: planned, image: target.Image}, target.Node, longest)
	if _, err := api.Try(ctx, kubernetes.Jobs, job); kubernetes.IsNotFound(err) {
		return []string{err.Error()}, nil // the namespace: whatever it holds is not there either
	}
	templates, err := templatesOf(ctx, target, plans)
	if err != nil {
		return nil, err
	}
	beside := target.Meter == config.BySidecar
	if target.Meter == "" {
		admitted, err := admits(ctx, api, target)
		if err != nil {
			return nil, err
		}
		beside = !admitted
	}
	all, err := objectsOf(target, plans, longest, templates, beside)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.resource == kubernetes.Jobs {
			all = append(all, kindOf{resource: kubernetes.Pods, object: podOf(one.object)})
		}
	}
	for _, one := range all {
		made, err := api.Try(ctx, one.resource, one.object)
		var refused *kubernetes.StatusError
		switch why := notAsked(made, one.in, one.wanted); {
		case err == nil && why != "":
			missing = append(missing, "variant "+one.wanted.Run+": "+why)
		case errors.As(err, &refused):
			missing = append(missing, err.Error())
		case err != nil:
			return nil, err
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing), nil
}
