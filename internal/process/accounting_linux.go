package process

// Choosing how processes are told apart: cgroups or clocks.

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// newTree returns the cgroup tree that accounting asks for; nil without an
// error means that processes are told apart by their clocks.
func newTree(accounting, name string) (tree, error) {
	if accounting == AccountingClock {
		return nil, nil
	}
	found, err := hierarchies("/proc")
	if err != nil && accounting == AccountingAuto {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var errs []error
	if accounting != AccountingV2 {
		t, err := newTreeV1(found, name)
		if err == nil {
			return t, nil
		}
		errs = append(errs, err)
	}
	if accounting != AccountingV1 {
		t, err := newTreeV2OnThisKernel(found, name)
		if err == nil {
			return t, nil
		}
		errs = append(errs, err)
	}
	if accounting == AccountingAuto {
		return nil, nil
	}
	return nil, fmt.Errorf("accounting by %s is not possible here: %w", accounting, errors.Join(errs...))
}

func newTreeV2OnThisKernel(found []hierarchy, name string) (tree, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, fmt.Errorf("reading the kernel's version: %w", err)
	}
	release := unix.ByteSliceToString(u.Release[:])
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return nil, fmt.Errorf("reading the kernel's version %q: %w", release, err)
	}
	if major < 5 || major == 5 && minor < 7 {
		return nil, fmt.Errorf("kernel %s can't start a program in a cgroup v2 (5.7 can)", release)
	}
	return newTreeV2(found, name)
}

// placementWithout is how processes are bound to CPUs without a cpuset.
const placementWithout = "affinity"
