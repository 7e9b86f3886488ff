// Package cluster owns a session's part in a cluster: the Job whose pod conducts its runs, the meter of the node, and the pods that
// the conductor asks for. It is the loop's Runner. It must not know how runs are made, nor what they show.
package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/jsonpipe"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// Options are the orders to a cluster.
type Options struct {
	Target   config.Kubernetes
	Plans    []*config.Plan // of its runs
	Folder   string         // the results folder
	Longest  time.Duration  // for which its objects may last
	Progress io.Writer
	Resumed  bool // the session goes on: of several nodes those that there are suffice

	among    string   // of a session with several nodes: what their conductors have in common
	standing standing // of its templates
}

// Cluster makes the runs of a session in pods.
type Cluster struct {
	options Options
	api     *kubernetes.Client
	names   names
	node    string
	host    afar.Host
	client  *afar.Client
	pods    *pods

	generators []afar.Generator // in pods of their own

	end context.CancelFunc // of the watch, and of the stream
}

// The times for what a cluster does.
const (
	startPatience = 3 * time.Minute  // for the conductor's pod, whose image may have to be pulled
	awayPatience  = 2 * time.Minute  // for an API server that does not answer
	endPatience   = 60 * time.Second // for all that was made to be gone
)

// Start makes the Job of a session, the meter and load generators, and connects with the conductor. On an error nothing is left.
func Start(ctx context.Context, o Options) (c *Cluster, err error) {
	image, err := imageOf(o.Target)
	if err != nil {
		return nil, err
	}
	templates, err := filed(ctx, o.Plans)
	if err != nil {
		return nil, err
	}
	c = &Cluster{options: o, names: names{id: random(4), image: image}}
	if c.api, err = kubernetes.Open(o.Target.Context, o.Target.Namespace); err != nil {
		return nil, err
	}
	var within context.Context
	within, c.end = context.WithCancel(context.WithoutCancel(ctx)) // what is made is removed after ctx has ended, too
	c.pods = newPods(within, c)
	c.pods.templates = templates
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.readTemplates(); err != nil {
		return c, err
	}
	go c.pods.follow(within)
	token := random(16)
	harness, err := c.startHarness(ctx, token)
	if err != nil {
		return c, err
	}
	if err := c.makeGenerators(ctx, token); err != nil {
		return c, err
	}
	meter, how, err := c.startMeter(ctx, token)
	if err != nil {
		return c, err
	}
	if err := c.awaitGenerators(ctx); err != nil {
		return c, err
	}
	c.connect(within, harness)
	c.host, err = c.client.Setup(ctx, afar.Setup{
		Build: build.Version(), Meter: net.JoinHostPort(meter, strconv.Itoa(meterPort)), Token: token, Node: c.node,
		Generators: c.generators,
	})
	if err != nil {
		return c, err
	}
	fmt.Fprintf(o.Progress, "kubernetes: %s, namespace %s, node %s: pods' CPU and memory by %s\n", c.api.Server, c.api.Namespace, c.node, how)
	return c, nil
}

// released is the image of released versions.
const released = "ghcr.io/tracetax/tracetax"

// imageOf returns the image of exactly this tracetax: the one that is named, or that of its release.
func imageOf(target config.Kubernetes) (string, error) {
	version := build.Version()
	switch {
	case target.Image != "":
		return target.Image, nil
	case strings.ContainsAny(version, "-+"):
		return "", fmt.Errorf("the pods that conduct and meter need an image of this tracetax (%s), which is no release: make one that the cluster can pull "+
			"('tracetax image --push REGISTRY/NAME'), and name it (target: {kubernetes: {image: …}}, or --set target.kubernetes.image=…)", version)
	}
	return released + ":" + version, nil
}

// random returns so many random bytes as text.
func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func (c *Cluster) startHarness(ctx context.Context, token string) (kubernetes.Pod, error) {
	made, err := c.api.Create(ctx, kubernetes.Jobs, c.options.placed(harnessJob(c.names, c.options.Target.Node, c.options.Longest)))
	if err != nil {
		return kubernetes.Pod{}, err
	}
	c.names.owner = made.Metadata.UID
	all, err := c.pods.running(ctx, partHarness, 1)
	if err != nil {
		return kubernetes.Pod{}, fmt.Errorf("waiting for the pod of Job %s, which conducts the runs: %w", c.names.job(), err)
	}
	c.node = all[0].Spec.NodeName
	return all[0], nil
}

// startMeter starts the meter of the node, and returns its address: "" where each pod has its own. How is that in words.
func (c *Cluster) startMeter(ctx context.Context, token string) (address, how string, err error) {
	by := c.options.Target.Meter
	if by != config.BySidecar {
		_, err = c.api.Create(ctx, kubernetes.Pods, c.options.metering(c.names, c.node, token))
	}
	switch {
	case by == config.BySidecar, by == "" && kubernetes.IsForbidden(err):
		c.names.beside, c.names.token = true, token
		return "", bySidecar, nil
	case err != nil:
		return "", "", fmt.Errorf("reading the CPU of pods from their node needs a pod that sees its /sys/fs/cgroup (hostPath, read-only): %w; "+
			"measure in a namespace that admits it (label pod-security.kubernetes.io/enforce=privileged), or have a container in each pod "+
			"read it (target: {kubernetes: {meter: sidecar}})", err)
	}
	all, err := c.pods.running(ctx, partMeter, 1)
	if err != nil {
		return "", "", fmt.Errorf("waiting for the pod that meters node %s: %w", c.node, err)
	}
	return all[0].Status.PodIP, byNode, nil
}

// How what pods use is read.
const (
	byNode    = "the node's cgroups"
	bySidecar = "a container in each pod: its program is not process 1 there"
)

// connect begins the stream to the conductor.
func (c *Cluster) connect(ctx context.Context, harness kubernetes.Pod) {
	ctx, cut := context.WithCancel(ctx)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		err := c.api.Attach(ctx, harness.Metadata.Name, harnessContainer, inR, outW, c.options.Progress)
		if ctx.Err() != nil {
			err = nil
		}
		// Whoever waits hears of the end, and why.
		inR.CloseWithError(errors.Join(errors.New("the stream to the conductor has ended"), err))
		outW.CloseWithError(err)
	}()
	c.client = afar.NewClient(ctx, inW, outR, c.options.Folder, c.pods)
	go c.cutOff(ctx, cut)
}

// Run implements experiment.Runner.
func (c *Cluster) Run(ctx context.Context, q run.Request) (record.Record, error) {
	if err := afar.Unfit(q); err != nil {
		return record.Record{}, err
	}
	r, err := c.client.Run(ctx, q)
	r.Harness.Node, r.Harness.Images = c.node, c.pods.images(q.Name)
	return r, cmp.Or(c.why(ctx, err), c.lostMeter(), c.lostGenerator())
}

// Block implements experiment.Blocker.
func (c *Cluster) Block(ctx context.Context, requests []run.Request) ([]record.Record, error) {
	for _, q := range requests {
		if err := afar.Unfit(q); err != nil {
			return nil, err
		}
	}
	made, err := c.client.Block(ctx, requests)
	for i := range made {
		made[i].Harness.Node, made[i].Harness.Images = c.node, c.pods.images(requests[i].Name)
	}
	return made, cmp.Or(c.why(ctx, err), c.lostMeter(), c.lostGenerator())
}

// why adds to an error what has become of the conductor's pod, if it has ended: the stream alone does not tell.
func (c *Cluster) why(asked context.Context, err error) error {
	if err == nil || asked.Err() != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(asked), newsPatience)
	defer cancel()
	if end := c.pods.endOfHarness(ctx); end != "" {
		return fmt.Errorf("the pod that conducts the runs has ended (%s): %w", end, err)
	}
	if errors.Is(err, jsonpipe.ErrGone) {
		return fmt.Errorf("the stream to the conductor has ended, as it does where an API server goes away: %w", err)
	}
	return err
}

// newsPatience is for the news of a pod's end, which the stream may come before.
const newsPatience = 5 * time.Second

// Node is a node on which runs are made.
type Node struct {
	Name string `json:"name"`
	machine.Facts
}

// Nodes implements Runner.
func (c *Cluster) Nodes() []Node { return []Node{{c.node, c.host.Facts}} }

// Close removes everything that was made, and waits until it is gone.
func (c *Cluster) Close() error {
	defer c.end()
	var errs []error
	if c.client != nil {
		errs = append(errs, c.client.Close())
	}
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	if c.names.owner != "" {
		err := c.again(ctx, func() error { return c.api.Delete(ctx, kubernetes.Jobs, c.names.job(), -1) })
		errs = append(errs, err, c.pods.gone(ctx))
	}
	return errors.Join(errs...)
}
