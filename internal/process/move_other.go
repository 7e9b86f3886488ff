//go:build !linux

package process

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/process/cpulist"
)

const placementWithout = "none"

// Move would bind the process to other CPUs.
func (p *Process) Move(cpus []int) error {
	return fmt.Errorf("moving %s to the CPUs %s: that needs Linux", p.Name(), cpulist.Format(cpus))
}
