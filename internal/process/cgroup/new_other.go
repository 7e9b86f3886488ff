//go:build !linux

package cgroup

// Accounting without cgroups.

import "fmt"

// New makes none.
func New(accounting, _ string) (Tree, error) {
	if accounting == Auto || accounting == Clock {
		return nil, nil
	}
	return nil, fmt.Errorf("accounting by %s needs Linux", accounting)
}
