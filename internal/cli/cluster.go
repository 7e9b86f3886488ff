//go:build linux

package cli

// What a run would make in a cluster.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/session"
)

func newManifests(s console.Streams) *cobra.Command {
	f := &runFlags{target: kubernetesTarget}
	c := &cobra.Command{
		Use:   "manifests EXPERIMENT --namespace NAME",
		Short: "Print the objects that an experiment makes in a cluster, and the rights that it needs",
		Long: `Print, as YAML, what an administrator applies once for those who measure in a namespace (a Role, its binding to the
group those-who-measure, NetworkPolicies for where traffic is denied by default), and then the objects that a run makes
itself, with one pod a variant. Nothing is made. A Deployment that the experiment names is read from the cluster, or
from the file that it names (manifests:).`,
		Example: `  tracetax manifests shop.yaml --namespace shop-trial
  tracetax manifests shop.yaml --target kubernetes --namespace shop-trial | kubectl apply --dry-run=server -f -`,
		Args: console.UsageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			experiments, err := f.experiments(c, args)
			if err != nil {
				return console.UsageError(err)
			}
			for i, e := range experiments {
				if !e.Target.Kubernetes.Is() {
					return console.UsageError(errors.New("the experiment names no cluster: give --namespace"))
				}
				objects, err := session.Pods(c.Context(), e)
				if err != nil {
					return err
				}
				grants, err := session.Grants(e)
				if err != nil {
					return err
				}
				if i > 0 {
					fmt.Fprintln(s.Out, "---")
				}
				each := "By each run itself."
				if n := e.Target.Places(); n > 1 {
					each = fmt.Sprintf("By each run itself, on each of %d nodes.", n)
				}
				fmt.Fprintf(s.Out, "# Once, by an administrator (kubectl apply -l tracetax/part=grants).\n%s---\n# %s\n%s", grants, each, objects)
			}
			return nil
		},
		ValidArgsFunction: completeExperiments,
	}
	flags := c.Flags()
	flags.StringVar(&f.target, "target", kubernetesTarget, "`PLACE` of the programs")
	flags.StringVar(&f.namespace, "namespace", "", "`NAMESPACE` of the cluster (default: that of the experiment)")
	flags.StringVar(&f.context, "context", "", "`CONTEXT` of kubectl's configuration (default: the current one)")
	flags.StringArrayVar(&f.sets, "set", nil, "any key of the experiment, `KEY=VALUE` (repeatable)")
	return c
}

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
		missing, notes, err := session.LookAtCluster(ctx, e)
		if err != nil {
			return err
		}
		for _, note := range notes {
			fmt.Fprintf(s.Err, "kubernetes: %s\n", note)
		}
		for _, one := range missing {
			errs = append(errs, fmt.Errorf("the cluster would not run it: %s", strings.TrimSpace(one)))
		}
	}
	return errors.Join(errs...)
}

// examineCluster looks at what can be measured in a namespace.
func examineCluster(ctx context.Context, in config.Kubernetes) ([]check, error) {
	traits, err := session.ExamineCluster(ctx, in)
	if err != nil {
		return nil, err
	}
	var out []check
	for _, t := range traits {
		status := "ok"
		switch {
		case t.Bad:
			status = "bad"
		case t.Advice != "":
			status = "note"
		}
		out = append(out, check{Name: t.Name, Status: status, Says: t.Says, Advice: t.Advice})
	}
	return out, nil
}

func errTarget(target string) error {
	return fmt.Errorf("--target %q is no place for programs: write kubernetes, or leave it out for this machine", target)
}

// checkTarget checks the flags that name a cluster, where no experiment does.
func checkTarget(target, namespace, of string) error {
	switch {
	case target != "" && target != kubernetesTarget:
		return errTarget(target)
	case target == "" && (namespace != "" || of != ""):
		return errors.New("--namespace and --context go with --target kubernetes")
	case target != "" && namespace == "":
		return errors.New("--target kubernetes needs --namespace: the one in which pods are made")
	}
	return nil
}
