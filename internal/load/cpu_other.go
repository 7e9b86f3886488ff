//go:build !linux

package load

import "errors"

// ReadCPU is not to be had on this system.
func ReadCPU(int) (Threads, error) {
	return nil, errors.New("what a process uses cannot be read on this system")
}
