package cluster

// Whether what an experiment names in a cluster can be measured there: asked before anything is made.

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
)

// Fits returns an error if a session cannot be made in a namespace that refuses its Job, or that Job's pod, or of what plans name: it is
// not there, or variants of it cannot live side by side.
func Fits(ctx context.Context, target config.Kubernetes, plans []Planned) error {
	image, err := imageOf(target)
	if err != nil {
		return err
	}
	api, err := kubernetes.Open(target.Context, target.Namespace)
	if err != nil {
		return err
	}
	job := harnessJob(names{id: planned, image: image}, target.Node, time.Hour)
	if _, err := api.Try(ctx, kubernetes.Jobs, job); refuses(err) {
		return err
	}
	if _, err := api.Try(ctx, kubernetes.Pods, podOf(job)); refuses(err) {
		return fmt.Errorf("trying the pod that conducts the runs, which asks for one CPU and 512 MiB: %w", err)
	}
	if target.Generators >= several {
		of := names{id: planned, image: image, owner: planned}
		if _, err := api.Try(ctx, kubernetes.Pods, podOf(generatorJob(of, target.Generators, time.Hour, unknownToken))); refuses(err) {
			return fmt.Errorf("trying the pod of a load generator, which asks for half a CPU and 512 MiB: %w", err)
		}
	}
	templates, err := templatesOf(ctx, target, plans)
	if err != nil {
		return err
	}
	_, err = objectsOf(target, plans, 0, templates, false)
	return err
}

// refuses reports whether an error says that an object cannot be made. Whatever else keeps it from being tried is met when it is made.
func refuses(err error) bool { return kubernetes.IsForbidden(err) || kubernetes.IsNotFound(err) }

// Notes returns in words what besides tracetax acts on what plans name, as far as the user may see it.
func Notes(ctx context.Context, target config.Kubernetes, plans []Planned) (notes []string, err error) {
	for _, plan := range plans {
		for _, p := range plan.Processes {
			if p.Deployed == "" {
				continue
			}
			api, err := kubernetes.Open(target.Context, target.Namespace)
			if err != nil {
				return nil, err
			}
			scalers, err := api.Scalers(ctx, p.Deployed)
			if err != nil {
				return nil, err
			}
			for _, s := range scalers {
				notes = append(notes, fmt.Sprintf("HorizontalPodAutoscaler %s has up to %d pods of %s serve its load: here one pod of each variant "+
					"serves a rate of its own, and CPU that tracing adds may there be more pods", s.Metadata.Name, s.Spec.Most, p.Deployed))
			}
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes), nil
}

// writesAlone returns an error if pods write into a volume that others have, too: variants would, at once, and beside them the pods
// that serve users.
func writesAlone(spec object) error {
	all := append(containers(spec, "containers"), containers(spec, "initContainers")...)
	for _, volume := range containers(spec, "volumes") {
		claim, _ := volume["persistentVolumeClaim"].(object)
		if claim == nil || claim["readOnly"] == true {
			continue
		}
		for _, c := range all {
			for _, mount := range containers(c, "volumeMounts") {
				if mount["name"] == volume["name"] && mount["readOnly"] != true {
					return fmt.Errorf("its container %v writes into the claim %v, where two variants would write at once, and beside them the "+
						"pods that have it now: measure a copy with an emptyDir, or with readOnly: true where it only reads", c["name"], claim["claimName"])
				}
			}
		}
	}
	return nil
}
