package process

// Starting a process through its keeper.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// launch starts the keeper and waits until it says that the program runs.
func (p *Process) launch(ctx context.Context, self []string, a assignment) error {
	if os.Getenv(keeperMarker) != "" {
		return fmt.Errorf("%s was started as a keeper and did something else: its 'agent keep' has to call Keep", self[0])
	}
	pipes, err := p.openPipes()
	if err != nil {
		return err
	}
	p.keeper = exec.Command(self[0], slices.Concat(self[1:], []string{"agent", "keep"})...)
	p.keeper.Stdin, p.keeper.Stdout, p.keeper.Stderr = pipes.stdin, pipes.stdout, pipes.stderr
	p.keeper.ExtraFiles = append([]*os.File{pipes.orders, pipes.reports}, p.held...)
	a.Held = len(p.held)
	p.keeper.Env = append(withoutMarker(os.Environ()), "GOMAXPROCS=2", keeperMarker+"=1")
	p.keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is for tracetax, which then stops it in order
	err = p.keeper.Start()
	pipes.close()
	if err != nil {
		p.keeper = nil
		return fmt.Errorf("starting its keeper %s: %w", self[0], err)
	}
	first := make(chan report, 1)
	go p.listen(first)
	if err := p.assign(ctx, a); err != nil {
		return fmt.Errorf("telling its keeper what to start: %w", err)
	}
	select {
	case r, ok := <-first:
		return p.begin(r, ok)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func withoutMarker(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, marker+"=") })
}

// assign tells the keeper what to start, or ends it. The end of ctx ends the wait for a keeper that does not read, and
// nothing else: the keeper takes orders as before.
func (p *Process) assign(ctx context.Context, a assignment) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = p.orders.SetWriteDeadline(time.Unix(1, 0)) // a pipe of this system always can
	})
	err := json.NewEncoder(p.orders).Encode(a)
	if !stop() {
		<-ended
	}
	if err != nil {
		return errors.Join(err, p.orders.Close()) // after half an order no other would be understood
	}
	return p.orders.SetWriteDeadline(time.Time{})
}

func (p *Process) begin(r report, ok bool) error {
	if !ok {
		<-p.gone
		return fmt.Errorf("its keeper ended at once: %s", excerpt.Lines(p.log.Tail(10), "; "))
	}
	if r.What == hasFailed {
		return errors.New(r.Error)
	}
	p.pid = r.PID
	// Moved onto this process's clock, so that differences don't follow steps
	// of the wall clock.
	p.started = time.Now().Add(-time.Duration(monotonic() - r.At))
	return nil
}
