package cluster

// What a user can measure in a namespace, before there is an experiment.

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/kubernetes"
)

// Trait is something that a namespace has for measuring, or lacks.
type Trait struct {
	Name   string
	Says   string
	Advice string // what to do where it lacks something; "" where it does not
	Bad    bool   // nothing can be measured so
}

// Examine looks at a namespace, and makes nothing.
func Examine(ctx context.Context, target config.Kubernetes) ([]Trait, error) {
	api, err := kubernetes.Open(target.Context, target.Namespace)
	if err != nil {
		return nil, err
	}
	out := []Trait{{Name: "cluster", Says: api.Server + ", namespace " + api.Namespace}}
	needed, err := lacking(ctx, api, Rights()...)
	if err != nil {
		return nil, err
	}
	if len(needed) > 0 {
		return append(out, Trait{
			Name: "rights", Says: "you may not " + strings.Join(needed, ", "), Bad: true,
			Advice: "have them granted in the namespace: 'tracetax manifests' prints the Role",
		}), nil
	}
	out = append(out, Trait{Name: "rights", Says: "all that a run needs"})
	optional := append(slices.Clone(optional), right{Deployed, "a Deployment cannot be measured: name an image, or the file that has it (manifests:)"})
	for _, one := range optional {
		lacks, err := lacking(ctx, api, one.right)
		if err != nil {
			return nil, err
		}
		if len(lacks) > 0 {
			out = append(out, Trait{Name: "right to " + lacks[0], Says: "you have none", Advice: one.without})
		}
	}
	how, err := accounting(ctx, api, target)
	return append(out, how), err
}

// lacking lists those rights that the user does not have.
func lacking(ctx context.Context, api *kubernetes.Client, rights ...kubernetes.Right) (out []string, err error) {
	for _, right := range rights {
		allowed, err := api.May(ctx, right)
		if err != nil {
			return nil, err
		}
		if !allowed {
			out = append(out, right.String())
		}
	}
	return out, nil
}

// accounting says how CPU would be read.
func accounting(ctx context.Context, api *kubernetes.Client, target config.Kubernetes) (Trait, error) {
	n := names{id: planned, image: cmp.Or(target.Image, released+":"+build.Version()), owner: planned, beside: target.Meter == config.BySidecar}
	if !n.beside {
		_, err := api.Try(ctx, kubernetes.Pods, meterPod(n, target.Node, unknownToken))
		if err == nil {
			return Trait{Name: "CPU accounting", Says: "by " + byNode}, nil
		}
		if !kubernetes.IsForbidden(err) {
			return Trait{}, err
		}
		var refused *kubernetes.StatusError
		errors.As(err, &refused)
		return Trait{Name: "CPU accounting", Says: "by " + bySidecar, Advice: "to read the node's cgroups admit its meter: " + refused.Message}, nil
	}
	return Trait{Name: "CPU accounting", Says: "by " + bySidecar}, nil
}
