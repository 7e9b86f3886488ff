package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// node does what a plan says.
type node struct {
	plan    plan
	clients map[string]client        // by the node that is called
	served  map[string]*atomic.Int64 // calls answered, by method
	bodies  map[string][]byte        // answers, by method
	later   sync.WaitGroup           // calls in the background
}

// errOnPurpose is an error that the topology asks for, and errAnswered that of its callers: of both nobody has to complain.
var (
	errOnPurpose = errors.New("an error on purpose, as the topology says")
	errAnswered  = errors.New("the answer of a call is an error")
)

func newNode(p plan) (*node, error) {
	n := &node{plan: p, clients: map[string]client{}, served: map[string]*atomic.Int64{}, bodies: map[string][]byte{}}
	for name, m := range p.Methods {
		n.served[name], n.bodies[name] = new(atomic.Int64), make([]byte, m.Answer)
	}
	for name, to := range p.Peers {
		c, err := newClient(name, to, p.From)
		if err != nil {
			return nil, fmt.Errorf("calling %s: %w", name, err)
		}
		n.clients[name] = c
	}
	return n, nil
}

func (n *node) close() {
	for _, c := range n.clients {
		c.close()
	}
}

// answer does what a method does, and returns its answer. What it calls may fail: the other steps are made all the same, for
// the number of calls does not depend on errors.
func (n *node) answer(ctx context.Context, name string) ([]byte, error) {
	m := n.plan.Methods[name]
	n.served[name].Add(1)
	work(m.Rounds)
	if m.Wait > 0 {
		time.Sleep(m.Wait)
	}
	if err := n.inTurn(ctx, m.Steps); err != nil {
		return nil, err
	}
	if m.Errors > 0 && rand.Float64() < m.Errors {
		return nil, errOnPurpose
	}
	return n.bodies[name], nil
}

func (n *node) inTurn(ctx context.Context, steps []step) (err error) {
	for i := range steps {
		if failed := n.step(ctx, &steps[i]); err == nil {
			err = failed
		}
	}
	return err
}

func (n *node) atOnce(ctx context.Context, steps []step) error {
	failed := make(chan error, len(steps))
	for i := range steps {
		go func() { failed <- n.step(ctx, &steps[i]) }()
	}
	var err error
	for range steps {
		err = errors.Join(err, <-failed)
	}
	return err
}

func (n *node) step(ctx context.Context, s *step) (err error) {
	for range s.Times {
		if s.Background {
			n.later.Go(func() { complain(n.once(context.WithoutCancel(ctx), s)) })
			continue
		}
		if failed := n.once(ctx, s); err == nil {
			err = failed
		}
	}
	return err
}

func (n *node) once(ctx context.Context, s *step) error {
	switch {
	case s.Node != "":
		return n.clients[s.Node].call(ctx, s.Method, s.Request)
	case len(s.AtOnce) > 0:
		return n.atOnce(ctx, s.AtOnce)
	}
	return n.inTurn(ctx, s.InTurn)
}

// work takes CPU: so many rounds of SHA-256.
func work(rounds int) {
	var sum [sha256.Size]byte
	for range rounds {
		sum = sha256.Sum256(sum[:])
	}
}

// tell logs how many calls it answered of each method.
func (n *node) tell() {
	for _, name := range slices.Sorted(maps.Keys(n.served)) {
		log.Printf("node: answered %d calls of %s", n.served[name].Load(), name)
	}
}

// page has the counters, in the text format of Prometheus, and answers readiness checks.
func (n *node) page() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range slices.Sorted(maps.Keys(n.served)) {
			fmt.Fprintf(w, "node_calls_total{node=%q,method=%q} %d\n", n.plan.Node, name, n.served[name].Load())
		}
	})
	return mux
}
