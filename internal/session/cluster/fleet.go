package cluster

// Blocks on several nodes at the same time.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// Runner makes the runs of a session in pods: Cluster on one node, Fleet on several.
type Runner interface {
	experiment.Runner
	experiment.Blocker
	Nodes() []Node // those that are left
	Port(deployment, container string) (int, error)
	Close() error
}

// Open starts what makes the runs of a session on the nodes of its target. On an error nothing is left.
func Open(ctx context.Context, o Options) (Runner, error) {
	if o.Target.Nodes < 2 {
		o.Target = placeOf(o.Target, 0)
		c, err := Start(ctx, o)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	o.among = random(4)
	return startFleet(o.Target.Nodes, o.Resumed, o.Progress, func(i int) (place, error) {
		of := o
		of.Target = placeOf(o.Target, i)
		c, err := Start(ctx, of)
		if err != nil {
			return nil, err
		}
		return c, nil
	})
}

// placeOf is the target of one of several nodes: where they have names, the one of that name.
func placeOf(target config.Kubernetes, i int) config.Kubernetes {
	if target.Named != nil {
		target.Node = target.Named[i]
	}
	return target
}

// place is a node with a conductor of its own.
type place interface {
	Runner
	Node() string
}

// Fleet makes blocks on several nodes at the same time, each block whole on one of them. A node that goes away costs its block, which
// is made again on another one. It is safe for concurrent use.
type Fleet struct {
	progress io.Writer
	free     chan place // that make nothing now
	none     chan struct{}
	closing  sync.WaitGroup

	mu   sync.Mutex
	left []place
	lost []error // why the others are gone
}

// startFleet starts so many places at the same time. All of them have to begin, or where some suffices one. On an error none is left.
func startFleet(places int, some bool, progress io.Writer, start func(int) (place, error)) (*Fleet, error) {
	f := &Fleet{progress: progress, free: make(chan place, places), none: make(chan struct{})}
	var starting sync.WaitGroup
	for i := range places {
		starting.Go(func() {
			p, err := start(i)
			f.mu.Lock()
			defer f.mu.Unlock()
			if err != nil {
				f.lost = append(f.lost, err)
				return
			}
			f.left = append(f.left, p)
			f.free <- p
		})
	}
	starting.Wait()
	missing := errors.Join(f.lost...)
	switch n := len(f.left); {
	case missing == nil:
	case n == 0 || !some:
		err := fmt.Errorf("of %d nodes %d take a conductor: make room on others, or name fewer (target: {kubernetes: {nodes: …}}): %w",
			places, n, missing)
		return nil, errors.Join(err, f.Close())
	default:
		fmt.Fprintf(progress, "kubernetes: blocks are made on %d nodes, and not on %d: %v\n", n, places, missing)
	}
	return f, nil
}

// Places implements experiment.Several.
func (f *Fleet) Places() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.left)
}

// Run implements experiment.Runner.
func (f *Fleet) Run(ctx context.Context, q run.Request) (made record.Record, err error) {
	err = f.somewhere(ctx, func(p place) (err error) { made, err = p.Run(ctx, q); return err })
	return made, err
}

// Block implements experiment.Blocker.
func (f *Fleet) Block(ctx context.Context, requests []run.Request) (made []record.Record, err error) {
	err = f.somewhere(ctx, func(p place) (err error) { made, err = p.Block(ctx, requests); return err })
	return made, err
}

// somewhere has something made in a free place, and if that is lost in another one. What a run does wrong is in its record: an error
// is of the place.
func (f *Fleet) somewhere(ctx context.Context, do func(place) error) error {
	for {
		select {
		case p := <-f.free:
			err := do(p)
			if err == nil || ctx.Err() != nil {
				f.free <- p
				return err
			}
			f.lose(p, err)
		case <-f.none:
			f.mu.Lock()
			defer f.mu.Unlock()
			return fmt.Errorf("no node is left that makes runs: %w", errors.Join(f.lost...))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lose gives a place up, and removes what is left there.
func (f *Fleet) lose(gone place, why error) {
	f.mu.Lock()
	var left []place
	for _, p := range f.left {
		if p != gone {
			left = append(left, p)
		}
	}
	f.left, f.lost = left, append(f.lost, fmt.Errorf("node %s: %w", gone.Node(), why))
	f.mu.Unlock()
	if len(left) == 0 {
		close(f.none)
	} else {
		fmt.Fprintf(f.progress, "kubernetes: node %s makes no more runs; its block is made again on one of the other %d: %v\n",
			gone.Node(), len(left), why)
	}
	f.closing.Go(func() {
		if err := gone.Close(); err != nil { // what a dead node has is removed when the cluster forgets it
			fmt.Fprintf(f.progress, "kubernetes: node %s: %v\n", gone.Node(), err)
		}
	})
}

// Nodes implements Runner.
func (f *Fleet) Nodes() (all []Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.left {
		all = append(all, p.Nodes()...)
	}
	return all
}

// Port is that of a place: all read the same template.
func (f *Fleet) Port(deployment, container string) (int, error) {
	f.mu.Lock()
	left := f.left
	f.mu.Unlock()
	if len(left) == 0 {
		return 0, errors.New("no node is left")
	}
	return left[0].Port(deployment, container)
}

// Close removes everything that was made, on all nodes at the same time, and waits until it is gone.
func (f *Fleet) Close() error {
	f.mu.Lock()
	left := f.left
	f.left = nil
	f.mu.Unlock()
	errs := make([]error, len(left))
	for i, p := range left {
		f.closing.Go(func() { errs[i] = p.Close() })
	}
	f.closing.Wait()
	return errors.Join(errs...)
}

// placed has a conductor take a node that the templates and the target allow, and where nodes have no names none that another conductor
// of the session has.
func (o Options) placed(job object) object {
	template := job["spec"].(object)["template"].(object)
	spec := template["spec"].(object)
	o.standing.choose(spec)
	if len(o.Target.Selector) > 0 {
		selector, _ := spec["nodeSelector"].(object)
		spec["nodeSelector"] = marks(o.Target.Selector, selector)
	}
	if o.Target.Nodes < 2 || o.Target.Named != nil {
		return job
	}
	template["metadata"].(object)["labels"].(object)[labelAmong] = o.among
	spec["affinity"].(object)["podAntiAffinity"] = object{"requiredDuringSchedulingIgnoredDuringExecution": []object{{
		"labelSelector": object{"matchLabels": object{labelAmong: o.among}}, "topologyKey": "kubernetes.io/hostname",
	}}}
	return job
}

// labelAmong is what the conductors of one session have in common.
const labelAmong = "tracetax/session"
