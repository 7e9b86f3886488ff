package cluster

// For how long what a cluster does is waited for: an API server that is away, and pods that do not begin.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
	"github.com/tracetax/tracetax/internal/kubernetes"
)

// again asks the API server until it answers, or has been away for too long.
func (c *Cluster) again(ctx context.Context, do func() error) error {
	within, cancel := context.WithTimeout(ctx, awayPatience)
	defer cancel()
	pace := jitter.NewTicker(500 * time.Millisecond)
	defer pace.Stop()
	for {
		err := do()
		if !kubernetes.IsAway(err) {
			return err
		}
		select {
		case <-pace.C:
			pace.Next()
		case <-within.Done():
			return err
		}
	}
}

// lostMeter returns an error if the node's meter has ended: no later run would have figures.
func (c *Cluster) lostMeter() error {
	if c.names.beside {
		return nil // each pod has its own
	}
	end := "it was deleted"
	c.pods.mu.Lock()
	for _, one := range c.pods.there {
		if one.Metadata.Labels[labelPart] == partMeter {
			end = endOf(one)
		}
	}
	c.pods.mu.Unlock()
	if end == "" {
		return nil
	}
	return fmt.Errorf("the pod that meters node %s has ended (%s): runs without it have no figures", c.node, end)
}

// create makes the pod of a program.
func (p *pods) create(pod object) error {
	asked := false
	return p.again(p.ctx, func() error {
		_, err := p.api.Create(p.ctx, kubernetes.Pods, pod)
		if asked && kubernetes.IsThere(err) {
			return nil // it was made, and the answer was lost
		}
		asked = true
		return err
	})
}

// The patience with the pod of a program that does not begin.
const (
	placePatience = 45 * time.Second // for a node to have room, and for volumes
	beginPatience = 5 * time.Minute  // for its image to be pulled, and for containers that come before
)

// expect looks later whether a pod that was made has begun.
func (p *pods) expect(of *app) {
	time.AfterFunc(placePatience, func() { p.overdue(of, false) })
	time.AfterFunc(beginPatience, func() { p.overdue(of, true) })
}

// unmounted are the warnings about volumes that a pod waits for.
var unmounted = []string{"FailedMount", "FailedAttachVolume"}

// overdue fails a pod that has not begun: where no node takes it or a volume is not to be had, and at last in any case.
func (p *pods) overdue(of *app, last bool) {
	p.mu.Lock()
	pod, ended := p.there[of.name], of.ended
	p.mu.Unlock()
	s := pod.Container(of.in)
	if ended || p.ctx.Err() != nil || s != nil && (s.State.Running != nil || s.State.Terminated != nil) {
		return
	}
	if why := pod.Unplaced(); why != "" {
		p.fail(of, why)
		return
	}
	warned, err := p.api.Warned(p.ctx, of.name)
	if err != nil {
		warned.Message = err.Error()
	}
	said := strings.TrimSpace(strings.TrimPrefix(warned.Reason+": "+warned.Message, ": "))
	switch {
	case slices.Contains(unmounted, warned.Reason):
		p.fail(of, said+"; see that what its volumes are of is there, and may be mounted on its node")
	case last:
		p.fail(of, fmt.Sprintf("it is %s after %v: %s; 'kubectl -n %s get events' says more",
			pod.Status.Phase, beginPatience, cmp.Or(said, "nothing says why"), p.api.Namespace))
	}
}
