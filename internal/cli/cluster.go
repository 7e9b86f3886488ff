//go:build linux

package cli

// What a run would make in a cluster.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/session"
)

// tellCluster prints the objects of experiments in a cluster, and fails if it would refuse some of them.
func (f *runFlags) tellCluster(ctx context.Context, s console.Streams, experiments []*config.Experiment) error {
	var errs []error
	for _, e := range experiments {
		if !e.Target.Kubernetes.Is() {
			continue
		}
		objects, err := session.Pods(ctx, e)
		if err != nil {
			return err
		}
		if !f.json {
			fmt.Fprintf(s.Out, "in namespace %s, of which nothing is applied now:\n%s", e.Target.Kubernetes.Namespace, objects)
		}
		missing, err := session.LookAtCluster(ctx, e)
		if err != nil {
			return err
		}
		for _, one := range missing {
			errs = append(errs, fmt.Errorf("the cluster would not run it: %s", strings.TrimSpace(one)))
		}
	}
	return errors.Join(errs...)
}
