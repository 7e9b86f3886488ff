package process

// Ending a process: asked first, killed after.

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// patience is how long a killed process may take to be gone. Only a system call
// that can't be interrupted, or one that writes a core file, makes it last.
const patience = 10 * time.Second

// Stop asks the main process to end (SIGTERM), then whatever it left behind,
// and kills everything that still runs after grace or when ctx ends. It returns
// when nothing is left, and whether anything had to be killed.
func (p *Process) Stop(ctx context.Context, grace time.Duration) (killed bool, err error) {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	for _, ask := range []struct {
		until <-chan struct{}
		order order
	}{
		{p.exited, order{Do: doSignal, Signal: syscall.SIGTERM}},
		{p.gone, order{Do: doOrphan, Signal: syscall.SIGTERM}},
	} {
		select {
		case <-ask.until:
			continue
		default:
		}
		_ = p.send(ask.order) // a keeper that takes no orders is ending; that is awaited next
		select {
		case <-ask.until:
		case <-deadline.C:
			return true, p.Kill()
		case <-ctx.Done():
			return true, p.Kill()
		}
	}
	return false, p.leftError()
}

// Kill ends everything at once and returns when nothing is left. A keeper that
// does not do it in time is killed itself, and then the rest without it.
func (p *Process) Kill() error {
	if p.send(order{Do: doKill}) != nil {
		_ = p.orders.Close() // a keeper that takes no orders is ending, or ends its program when no order can come
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case <-p.gone:
		return p.leftError()
	case <-timer.C:
	}
	left, err := p.Pids()
	err = errors.Join(err, p.keeper.Process.Kill())
	timer.Reset(p.patience)
	select {
	case <-p.gone:
		return p.leftError()
	case <-timer.C:
	}
	return errors.Join(err, fmt.Errorf("stopping %s: of its processes %v some are still there %v after SIGKILL: see 'ps -o stat,wchan -p PID'", p.Name(), left, 2*p.patience))
}

func (p *Process) leftError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastErr
}

// release kills the process if it runs and closes all files. It may be called again.
func (p *Process) release() error {
	p.releasing.Do(func() {
		var err error
		if p.keeper != nil {
			err = p.Kill()
		}
		for _, f := range []interface{ Close() error }{p.orders, p.reports, p.stdin, p.stdout} {
			_ = f.Close() // pipes to nobody; nil ones say so
		}
		p.released = errors.Join(err, p.log.close())
	})
	return p.released
}
