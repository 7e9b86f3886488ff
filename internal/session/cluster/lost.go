package cluster

// Conductors that go away without a word.

import (
	"context"
	"time"

	"github.com/tracetax/tracetax/internal/kubernetes"
)

// Node is the name of the node on which the runs are made.
func (c *Cluster) Node() string { return c.node }

// cutOff ends the stream to a conductor whose pod has ended, or whose node answers no more: the stream by itself may say nothing of
// that for many minutes. The last words get their time.
func (c *Cluster) cutOff(ctx context.Context, cut func()) {
	if c.pods.endOfHarness(ctx) == "" {
		return // ctx has ended, or nobody hears of pods any more
	}
	last := time.NewTimer(newsPatience)
	defer last.Stop()
	select {
	case <-c.client.Gone():
	case <-last.C:
	case <-ctx.Done():
	}
	cut()
}

// unreachable reports that a node has not been heard of for some time (40 s, where nobody changed that): the cluster then takes its
// pods for not ready, though their containers last ran.
func unreachable(pod kubernetes.Pod) bool {
	s := pod.Container(harnessContainer)
	if s == nil || s.State.Running == nil {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == "Ready" && c.Status == "False" {
			return true
		}
	}
	return false
}
