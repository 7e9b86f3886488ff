package cluster

// The pods of a session: made as the conductor asks, and watched.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// pods are all pods of a session.
type pods struct {
	*Cluster
	ctx context.Context

	mu      sync.Mutex
	changed chan struct{} // closed at each change; then another one
	there   map[string]kubernetes.Pod
	apps    map[string]*app // by name
	failed  error           // of the watch
	told    bool            // that output cannot be read

	templates map[string]kubernetes.Template // by Deployment
}

// app is a pod that the conductor asked for.
type app struct {
	id     uint64
	name   string
	in     string // its container that is the program
	wanted afar.Pod
	image  string        // as the node's runtime names it; "" before it has begun
	output chan struct{} // closed when all output has come; nil before it has begun
	beside []afar.Sidecar
	ended  bool // the conductor knows
	asked  bool // the conductor has asked for its end
}

func newPods(ctx context.Context, of *Cluster) *pods {
	return &pods{Cluster: of, ctx: ctx, changed: make(chan struct{}), there: map[string]kubernetes.Pod{}, apps: map[string]*app{},
		templates: map[string]kubernetes.Template{}}
}

// follow watches the pods until ctx ends.
func (p *pods) follow(ctx context.Context) {
	err := p.api.Follow(ctx, labelRun+"="+p.names.id, awayPatience, p.hear)
	p.change(func() { p.failed = err })
}

func (p *pods) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	close(p.changed)
	p.changed = make(chan struct{})
}

// until waits until a condition holds, which may fail.
func (p *pods) until(ctx context.Context, is func() (bool, error)) error {
	for {
		p.mu.Lock()
		so, err := is()
		if err == nil && !so {
			err = p.failed
		}
		changed := p.changed
		p.mu.Unlock()
		if so || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// running waits for so many pods of a part of the harness, and returns them by their names.
func (p *pods) running(ctx context.Context, part string, many int) (run []kubernetes.Pod, err error) {
	within, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	var found kubernetes.Pod // one that does not run yet
	err = p.until(within, func() (bool, error) {
		run = nil
		for _, one := range p.there {
			if one.Metadata.Labels[labelPart] != part {
				continue
			}
			if why := one.Stuck(); why != "" {
				return false, errors.New(why)
			}
			s := one.Container(harnessContainer)
			if s != nil && s.State.Terminated != nil {
				return false, fmt.Errorf("it has ended (%s, exit status %d)", s.State.Terminated.Reason, s.State.Terminated.ExitCode)
			}
			if s != nil && s.State.Running != nil && one.Status.PodIP != "" {
				run = append(run, one)
			} else {
				found = one
			}
		}
		return len(run) >= many, nil
	})
	slices.SortFunc(run, func(a, b kubernetes.Pod) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		what := "there is none"
		if found.Metadata.Name != "" {
			what = cmp.Or(found.Unplaced(), fmt.Sprintf("%s is %s", found.Metadata.Name, found.Status.Phase))
		}
		err = fmt.Errorf("not running after %v: %s; 'kubectl -n %s describe job,pod -l %s=%s' says more", startPatience, what, p.api.Namespace, labelRun, p.names.id)
	}
	return run, err
}

// endOfHarness returns what ended the conductor's pod, in the cluster's words; "" if it has not ended.
func (p *pods) endOfHarness(ctx context.Context) (end string) {
	err := p.until(ctx, func() (bool, error) {
		for _, one := range p.there {
			if one.Metadata.Labels[labelPart] == partHarness {
				end = endOf(one)
				return end != "", nil
			}
		}
		end = "it was deleted"
		return true, nil
	})
	if err != nil {
		return ""
	}
	return end
}

// endOf returns what ended a pod of the harness; "" if it has not ended.
func endOf(pod kubernetes.Pod) string {
	s := pod.Container(harnessContainer)
	switch {
	case pod.Ousted() != "":
		return pod.Ousted()
	case s != nil && s.State.Terminated != nil && s.State.Terminated.Reason == "OOMKilled":
		return "out of memory"
	case s != nil && s.State.Terminated != nil:
		return fmt.Sprintf("exit status %d", s.State.Terminated.ExitCode)
	case pod.Metadata.DeletionTimestamp != "":
		return "it was deleted"
	case unreachable(pod):
		return "its node is not heard of any more"
	}
	return ""
}

// gone waits until no pod is left.
func (p *pods) gone(ctx context.Context) error {
	err := p.until(ctx, func() (bool, error) { return len(p.there) == 0, nil })
	if err != nil {
		return fmt.Errorf("waiting until the pods of the session are gone from namespace %s: %w; 'kubectl -n %s delete job %s' removes them",
			p.api.Namespace, err, p.api.Namespace, p.names.job())
	}
	return nil
}

// hear takes in a change of a pod.
func (p *pods) hear(e kubernetes.Event) {
	name := e.Pod.Metadata.Name
	var of *app
	p.change(func() {
		if p.there[name] = e.Pod; e.Gone {
			delete(p.there, name)
		}
		of = p.apps[name]
	})
	if of != nil {
		p.advance(of, e)
	}
}

// advance tells the conductor what has become of a pod.
func (p *pods) advance(of *app, e kubernetes.Event) {
	p.mu.Lock()
	ended := of.ended
	p.mu.Unlock()
	if ended {
		return
	}
	s := e.Pod.Container(of.in)
	beside, all := sidecars(e.Pod, of.in)
	why, broken := "", ""
	switch {
	case of.output == nil: // it has not begun
		why = cmp.Or(e.Pod.Stuck(), notAsked(e.Pod, of.in, of.wanted))
	case !p.ending(of):
		broken = lost(e.Pod, of.in, of.beside)
	}
	switch {
	case why != "":
		p.fail(of, why)
	case s != nil && s.State.Running != nil && p.moved(of, s.ImageID) != "":
		p.fail(of, p.moved(of, s.ImageID))
	case s != nil && s.State.Terminated != nil:
		t := s.State.Terminated
		p.begin(of, e.Pod, s, beside)
		p.finish(of, afar.Ended{Code: t.ExitCode, OutOfMemory: t.Reason == "OOMKilled", Why: p.outside(of, e)})
	case of.output == nil && e.Pod.Unfetched() != "":
		p.fail(of, e.Pod.Unfetched())
	case e.Gone || e.Pod.Status.Phase == "Failed":
		p.finish(of, afar.Ended{Code: -1, Why: cmp.Or(p.outside(of, e), "its pod failed")})
	case broken != "":
		p.finish(of, afar.Ended{Code: -1, Why: cmp.Or(p.outside(of, e), broken)})
	case s != nil && s.State.Running != nil && e.Pod.Status.PodIP != "" && all:
		p.begin(of, e.Pod, s, beside)
	}
}

// fail tells that a pod does not begin, and removes it.
func (p *pods) fail(of *app, why string) {
	p.mu.Lock()
	ended := of.ended
	of.ended = true
	p.mu.Unlock()
	if !ended {
		p.tell(afar.State{ID: of.id, Failed: why})
		go p.remove(of, 0)
	}
}

// ending reports whether the conductor has asked for the end of a pod.
func (p *pods) ending(of *app) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return of.asked
}

// outside returns what ended a pod that the conductor wanted to live, in words; "" where its program ended by itself.
func (p *pods) outside(of *app, e kubernetes.Event) string {
	p.mu.Lock()
	asked := of.asked
	p.mu.Unlock()
	switch why := e.Pod.Ousted(); {
	case asked:
		return ""
	case why != "":
		return "its pod was ended: " + why
	case e.Gone || e.Pod.Metadata.DeletionTimestamp != "":
		return "its pod was deleted"
	}
	return ""
}

// begin tells that a program has begun, once, and passes on what it writes.
func (p *pods) begin(of *app, pod kubernetes.Pod, s *kubernetes.ContainerStatus, beside []afar.Sidecar) {
	if of.output != nil {
		return
	}
	of.output, of.beside = make(chan struct{}), beside
	p.mu.Lock()
	of.image = s.ImageID
	p.mu.Unlock()
	go func() {
		defer close(of.output)
		if err := p.passOn(of); err != nil && p.ctx.Err() == nil {
			p.warn(err)
		}
	}()
	p.tell(afar.State{ID: of.id, Runs: &afar.Runs{IP: pod.Status.PodIP, Container: s.ID(), Beside: beside}})
}

// passOn passes on what a program writes.
func (p *pods) passOn(of *app) error {
	from, err := p.api.Output(p.ctx, of.name, of.in)
	if err != nil {
		return err
	}
	defer from.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			if err := p.client.Tell(afar.Order{Output: &afar.Output{ID: of.id, Text: piece[:n]}}); err != nil {
				return nil // the conductor is gone, which is told where it matters
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading what pod %s writes: %w", of.name, err)
		}
	}
}

// warn tells once that output cannot be read.
func (p *pods) warn(err error) {
	p.mu.Lock()
	told := p.told
	p.told = true
	p.mu.Unlock()
	if !told {
		fmt.Fprintf(p.options.Progress, "kubernetes: the logs of pods are not complete: %v\n", err)
	}
}

// outputPatience is for the last output of a program that has ended.
const outputPatience = 5 * time.Second

// finish tells that a program has ended, once all that it wrote has been passed on.
func (p *pods) finish(of *app, e afar.Ended) {
	p.mu.Lock()
	of.ended = true
	p.mu.Unlock()
	go func() {
		if of.output != nil {
			timer := time.NewTimer(outputPatience)
			defer timer.Stop()
			select {
			case <-of.output:
			case <-timer.C:
			}
		}
		p.tell(afar.State{ID: of.id, Ended: &e})
		p.remove(of, 0)
	}()
}

// tell tells the conductor; if it is gone, whoever waits for it hears that.
func (p *pods) tell(s afar.State) { _ = p.client.Tell(afar.Order{Pod: &s}) }

// Make implements afar.Pods.
func (p *pods) Make(wanted afar.Pod) {
	go func() {
		of := &app{id: wanted.ID, name: podName(p.names, wanted.ID), in: appContainer, wanted: wanted}
		object, err := p.object(wanted, of)
		if err == nil {
			p.change(func() { p.apps[of.name] = of })
			err = p.create(object)
		}
		if err != nil {
			p.tell(afar.State{ID: wanted.ID, Failed: err.Error()})
			return
		}
		p.expect(of)
	}()
}

// object returns the pod that is wanted, as the API takes it.
func (p *pods) object(wanted afar.Pod, of *app) (made object, err error) {
	if wanted.Deployment == "" {
		return appPod(p.names, p.node, wanted), nil
	}
	template, err := p.template(wanted.Deployment)
	if err != nil {
		return nil, err
	}
	made, of.in, err = fromTemplate(p.names, p.node, wanted, template)
	return made, err
}

// template reads the template of a Deployment, once: all pods of a session are of one.
func (p *pods) template(deployment string) (kubernetes.Template, error) {
	p.mu.Lock()
	t, known := p.templates[deployment]
	p.mu.Unlock()
	if known {
		return t, nil
	}
	t, err := p.api.Template(p.ctx, deployment)
	if err != nil {
		return t, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, known := p.templates[deployment]; known {
		return first, nil
	}
	p.templates[deployment] = t
	return t, nil
}

// End implements afar.Pods.
func (p *pods) End(e afar.End) {
	name := podName(p.names, e.ID)
	p.change(func() {
		if of := p.apps[name]; of != nil {
			of.asked = true
		}
	})
	go p.remove(&app{id: e.ID, name: name}, e.Grace)
}

// remove deletes a pod.
func (p *pods) remove(of *app, grace time.Duration) {
	err := p.again(p.ctx, func() error { return p.api.Delete(p.ctx, kubernetes.Pods, of.name, grace) })
	if err != nil && p.ctx.Err() == nil {
		fmt.Fprintf(p.options.Progress, "kubernetes: %v\n", err)
	}
}
