package cgroup

// Choosing how processes are told apart: cgroups or clocks.

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// New returns the cgroup tree that accounting asks for; nil without an
// error means that processes are told apart by their clocks.
func New(accounting, name string) (Tree, error) {
	if accounting == Clock {
		return nil, nil
	}
	found, err := hierarchies("/proc")
	if err != nil && accounting == Auto {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var errs []error
	if accounting != V2 {
		t, err := newV1(found, name)
		if err == nil {
			return t, nil
		}
		errs = append(errs, err)
	}
	if accounting != V1 {
		t, err := newV2OnThisKernel(found, name)
		if err == nil {
			return t, nil
		}
		errs = append(errs, err)
	}
	if accounting == Auto {
		return nil, nil
	}
	return nil, fmt.Errorf("accounting by %s is not possible here: %w", accounting, errors.Join(errs...))
}

func newV2OnThisKernel(found []hierarchy, name string) (Tree, error) {
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
	return newV2(found, name)
}
