package cgroup

// Choosing how processes are told apart: cgroups or clocks.

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// New returns the cgroup tree that accounting asks for; nil without an error: processes are told apart by their clocks.
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

// NewNest returns a nest in this process's own group; an error gives the reason why it cannot.
func NewNest() (*Nest, error) {
	found, err := hierarchies("/proc")
	if err != nil {
		return nil, err
	}
	n, err := nestIn(found, os.Getpid())
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Within starts a process in a group: start forks with attr, on the calling thread, which must be locked. Without a group the
// process begins in the group of this one.
func (n *Nest) Within(g *Group, attr *syscall.SysProcAttr, start func() error) error {
	if g == nil {
		return start()
	}
	if g.At["unified"] != "" {
		dir, err := os.Open(g.At["unified"])
		if err != nil {
			return err
		}
		defer dir.Close()
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
		return start()
	}
	enter := func(files []string) error {
		var errs []error
		for _, file := range files {
			errs = append(errs, Write(file, "0"))
		}
		return errors.Join(errs...)
	}
	if err := enter(g.Join); err != nil {
		return err
	}
	return errors.Join(start(), enter(g.Leave))
}
