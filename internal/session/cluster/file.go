package cluster

// Templates that a file has, and not the cluster.

import (
	"context"
	"fmt"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/kubernetes"
)

// templateOf returns the template of a process: of its file, else of the cluster, which open connects with.
func templateOf(ctx context.Context, open func() (*kubernetes.Client, error), p program.Process) (kubernetes.Template, error) {
	if p.Manifest != "" {
		t, err := kubernetes.TemplateOf(p.Deployed, []byte(p.Manifest))
		if err != nil {
			return t, fmt.Errorf("reading %s of its manifests: %w", p.Deployed, err)
		}
		return t, nil
	}
	api, err := open()
	if err != nil {
		return kubernetes.Template{}, err
	}
	return api.Template(ctx, p.Deployed)
}

// filed returns the templates of plans that a file has, by what they are of.
func filed(ctx context.Context, plans []*config.Plan) (map[string]kubernetes.Template, error) {
	out := map[string]kubernetes.Template{}
	for _, plan := range plans {
		for _, p := range plan.Processes {
			if p.Manifest == "" {
				continue
			}
			var err error
			if out[p.Deployed], err = templateOf(ctx, nil, p); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
