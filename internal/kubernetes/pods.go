package kubernetes

// Pods as they are read, and how they change.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/jitter"
)

// Object is what every object has.
type Object struct {
	Metadata struct {
		Name            string            `json:"name"`
		UID             string            `json:"uid"`
		ResourceVersion string            `json:"resourceVersion"`
		Labels          map[string]string `json:"labels"`

		DeletionTimestamp string `json:"deletionTimestamp"` // "" of one that nobody has deleted
	} `json:"metadata"`
}

// Pod is what is read of a pod.
type Pod struct {
	Object
	Spec struct {
		NodeName       string      `json:"nodeName"`
		Containers     []Container `json:"containers"`
		InitContainers []Container `json:"initContainers"`
	} `json:"spec"`
	Status struct {
		Phase                 string            `json:"phase"` // Pending, Running, Succeeded, Failed, Unknown
		Reason                string            `json:"reason"`
		Message               string            `json:"message"`
		PodIP                 string            `json:"podIP"`
		Conditions            []Condition       `json:"conditions"`
		ContainerStatuses     []ContainerStatus `json:"containerStatuses"`
		InitContainerStatuses []ContainerStatus `json:"initContainerStatuses"`
	} `json:"status"`
}

// Container is what is read of a container as it is asked for.
type Container struct {
	Name          string `json:"name"`
	RestartPolicy string `json:"restartPolicy"` // Always of a container before the others that goes on beside them
	Env           []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
}

// Condition is one of a pod, such as PodScheduled.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// ContainerStatus is how a container is.
type ContainerStatus struct {
	Name        string `json:"name"`
	ContainerID string `json:"containerID"` // containerd://ID
	ImageID     string `json:"imageID"`
	State       struct {
		Waiting    *Waiting    `json:"waiting"`
		Running    *Running    `json:"running"`
		Terminated *Terminated `json:"terminated"`
	} `json:"state"`
}

// Waiting is a container that does not run yet.
type Waiting struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Running is one that runs.
type Running struct {
	StartedAt time.Time `json:"startedAt"` // to a second
}

// Terminated is one that has ended.
type Terminated struct {
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"` // Completed, Error, OOMKilled …
	Message  string `json:"message"`
}

// Container returns the status of a container; nil before there is one.
func (p *Pod) Container(name string) *ContainerStatus {
	return statusOf(p.Status.ContainerStatuses, name)
}

func statusOf(all []ContainerStatus, name string) *ContainerStatus {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// Beside returns the containers that live beside one, those that begin before it and go on among them; one without a status has a name
// alone.
func (p *Pod) Beside(name string) (out []ContainerStatus) {
	add := func(all []ContainerStatus, name string) {
		one := ContainerStatus{Name: name}
		if s := statusOf(all, name); s != nil {
			one = *s
		}
		out = append(out, one)
	}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy == "Always" {
			add(p.Status.InitContainerStatuses, c.Name)
		}
	}
	for _, c := range p.Spec.Containers {
		if c.Name != name {
			add(p.Status.ContainerStatuses, c.Name)
		}
	}
	return out
}

// ID returns the container's ID without the name of its runtime; "" before it has one.
func (s *ContainerStatus) ID() string {
	_, id, _ := strings.Cut(s.ContainerID, "://")
	return id
}

// waits are the reasons for which a container waits in vain, unless somebody changes something.
var waits = map[string]string{
	"ErrImagePull":               "see that the name is right and that the node may pull it",
	"ImagePullBackOff":           "see that the name is right and that the node may pull it",
	"ErrImageNeverPull":          "have the image on the node, or let it be pulled",
	"InvalidImageName":           "correct the name",
	"CreateContainerConfigError": "see that what it mounts and reads is there",
	"CreateContainerError":       "see that its command is in the image",
	"RunContainerError":          "see that its command is in the image",
}

// Stuck returns why a pod does not begin and will not by itself, in the cluster's words and with what to change; "" if it may.
func (p *Pod) Stuck() string {
	for _, s := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
		if w := s.State.Waiting; w != nil && waits[w.Reason] != "" {
			return fmt.Sprintf("%s: %s; %s", w.Reason, strings.TrimSpace(w.Message), waits[w.Reason])
		}
		if t := s.State.Terminated; t != nil && t.Reason == "StartError" {
			return fmt.Sprintf("%s: %s; see that its command is in the image", t.Reason, strings.TrimSpace(t.Message))
		}
	}
	return ""
}

// Unfetched returns why the program of a pod never begins: a container before it has failed. "" if none has.
func (p *Pod) Unfetched() string {
	for _, s := range p.Status.InitContainerStatuses {
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
			return fmt.Sprintf("its container %s, which begins before the program, ended with status %d: %s", s.Name, t.ExitCode, strings.TrimSpace(t.Message))
		}
	}
	return ""
}

// Unplaced returns why no node takes a pod now, in the scheduler's words and with what to change; "" if one does. It may pass: other
// pods end, and clusters grow.
func (p *Pod) Unplaced() string {
	for _, c := range p.Status.Conditions {
		if c.Type == "PodScheduled" && c.Status == "False" && c.Reason == "Unschedulable" {
			return fmt.Sprintf("%s; ask for less (cpus:, memory:), or name another node", c.Message)
		}
	}
	return ""
}

// Ousted returns what has the cluster end a pod, such as its eviction, in the cluster's words; "" where it does not, or does not tell.
func (p *Pod) Ousted() string {
	if p.Status.Reason != "" {
		return strings.TrimSuffix(p.Status.Reason+": "+strings.TrimSpace(p.Status.Message), ": ")
	}
	for _, c := range p.Status.Conditions {
		if c.Type == "DisruptionTarget" && c.Status == "True" {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

// Event is a change of a pod, or that it is gone.
type Event struct {
	Pod  Pod
	Gone bool
}

// Follow calls do with each pod that a selector of labels chooses and with each of its changes, one after the other, until ctx ends.
// A stream that breaks is begun anew; it returns an error if the API server refuses, or is away for longer than most.
func (c *Client) Follow(ctx context.Context, selector string, most time.Duration, do func(Event)) error {
	known, well := map[string]Pod{}, time.Now()
	again := jitter.NewTicker(250 * time.Millisecond)
	defer again.Stop()
	for {
		version, err := c.list(ctx, selector, known, do)
		if err == nil {
			well = time.Now()
			err = c.watch(ctx, selector, version, known, do)
		}
		var refused *StatusError
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &refused) && refused.Code < http.StatusInternalServerError && refused.Code != http.StatusTooManyRequests && refused.Code != http.StatusGone:
			return fmt.Errorf("watching pods in namespace %s: %w", c.Namespace, err)
		case err != nil && time.Since(well) > most:
			return fmt.Errorf("watching pods in namespace %s: the API server has been away for %v: %w", c.Namespace, most, err)
		}
		select {
		case <-again.C:
			again.Next()
		case <-ctx.Done():
		}
	}
}

// list reports all pods as they are, and those that are gone, and returns the version from which to watch.
func (c *Client) list(ctx context.Context, selector string, known map[string]Pod, do func(Event)) (version string, err error) {
	var all struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []Pod `json:"items"`
	}
	if err := c.ask(ctx, http.MethodGet, c.at(Pods, url.Values{"labelSelector": {selector}}), nil, &all); err != nil {
		return "", err
	}
	there := map[string]bool{}
	for _, p := range all.Items {
		there[p.Metadata.UID] = true
		known[p.Metadata.UID] = p
		do(Event{Pod: p})
	}
	for uid, p := range known {
		if !there[uid] {
			delete(known, uid)
			do(Event{Pod: p, Gone: true})
		}
	}
	return all.Metadata.ResourceVersion, nil
}

// watch reports changes until the stream breaks, which is no error.
func (c *Client) watch(ctx context.Context, selector, version string, known map[string]Pod, do func(Event)) error {
	query := url.Values{"labelSelector": {selector}, "resourceVersion": {version}, "watch": {"true"}, "timeoutSeconds": {"300"}}
	answer, err := c.do(ctx, http.MethodGet, c.at(Pods, query), nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var change struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := json.Unmarshal(lines.Bytes(), &change); err != nil {
			return fmt.Errorf("reading a change of a pod: %w", err)
		}
		switch change.Type {
		case "ADDED", "MODIFIED", "DELETED":
			var p Pod
			if err := json.Unmarshal(change.Object, &p); err != nil {
				return fmt.Errorf("reading a change of a pod: %w", err)
			}
			known[p.Metadata.UID] = p
			if change.Type == "DELETED" {
				delete(known, p.Metadata.UID)
			}
			do(Event{Pod: p, Gone: change.Type == "DELETED"})
		case "ERROR":
			refusal := &StatusError{}
			if err := json.Unmarshal(change.Object, refusal); err != nil {
				return fmt.Errorf("reading the end of a watch: %w", err)
			}
			return refusal
		}
	}
	return nil // the list that follows says what is wrong, if anything is
}
