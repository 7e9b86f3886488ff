//go:build !linux

package process

// Placement where CPUs can't be chosen.

import (
	"io"
	"time"
)

// allowedCPUs is not known, and nothing can be bound.
func allowedCPUs() ([]int, map[int][]int) { return nil, nil }

// Pin does nothing: CPUs can't be chosen here, as Placement says.
func Pin([]int) error { return nil }

const placementWithout = "none"

// Ports where the kernel is not asked.

// ephemeral is the range that IANA sets apart for outgoing connections.
func ephemeral() (low, high int) { return 49152, 65535 }

// reserve marks nothing: there is no such name here.
func reserve(int) (io.Closer, bool) { return nil, true }

func holder(int) string { return "" }

// The CPU time of a keeper, where clocks of others can't be read.

// keeperCPU is known only when the keeper has ended.
func (p *Process) keeperCPU() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.own
}
