//go:build !linux

package process

// The CPU time of a keeper, where clocks of others can't be read.

import "time"

// keeperCPU is known only when the keeper has ended.
func (p *Process) keeperCPU() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.own
}
