package afar

// Containers beside the program of a pod, and what is not known here of either.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
	"github.com/tracetax/tracetax/internal/usage/node"
)

// elsewhere is what no file of this machine tells of a container.
type elsewhere struct{}

// Groups implements usage.Target: its cgroup is the node's.
func (elsewhere) Groups() map[string]string { return nil }

// Pids implements usage.Target: its processes are not to be seen.
func (elsewhere) Pids() ([]int, error) { return nil, nil }

// Reaped implements usage.Target: the cgroup has those that have ended.
func (elsewhere) Reaped() (syscall.Rusage, error) { return syscall.Rusage{}, nil }

// LogFull implements usage.Target: the container's runtime reads its output.
func (elsewhere) LogFull() time.Duration { return 0 }

// Beside returns the containers of the template beside the program, each charged as a process of its own.
func (p *pod) Beside() (out []usage.Target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.runs.Beside {
		out = append(out, &sidecar{of: p, Sidecar: one})
	}
	return out
}

// sidecar is one of them.
type sidecar struct {
	elsewhere
	Sidecar
	of *pod

	mu   sync.Mutex
	last node.Reading
}

var _ usage.Afar = (*sidecar)(nil)

// Name implements usage.Target.
func (s *sidecar) Name() string { return s.Sidecar.Name + "@" + s.of.Name() }

// Role implements usage.Target.
func (s *sidecar) Role() role.Role { return role.Sidecar }

// read reads the container. Of one that has ended it is the last reading: where that was no good end, the run fails.
func (s *sidecar) read() (node.Reading, error) {
	r, err := s.of.meter.Read(context.Background(), s.Container)
	s.mu.Lock()
	defer s.mu.Unlock()
	if gone := (*node.GoneError)(nil); errors.As(err, &gone) && !s.last.At.IsZero() {
		return s.last, nil
	}
	if err != nil {
		return r, fmt.Errorf("container %s: %w", s.Name(), err)
	}
	s.last = r
	return r, nil
}

// Read implements usage.Afar.
func (s *sidecar) Read() (readings.Counters, error) {
	r, err := s.read()
	return r.Counters(), err
}

// Memory implements usage.Afar.
func (s *sidecar) Memory() (uint64, error) {
	r, err := s.read()
	return r.Memory, err
}
