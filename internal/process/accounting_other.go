//go:build !linux

package process

// Accounting without cgroups.

import "fmt"

func newTree(accounting, _ string) (tree, error) {
	if accounting == AccountingAuto || accounting == AccountingClock {
		return nil, nil
	}
	return nil, fmt.Errorf("accounting by %s needs Linux", accounting)
}

const placementWithout = "none"
