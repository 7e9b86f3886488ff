package cgroup

import (
	"errors"
	"os"
	"syscall"
)

// NewNest returns a nest in this process's own group; the error says why there can be none.
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

// Within starts a process in a group: start forks with attr, on the calling thread, which has to be locked. Without a group
// the process begins where this one is.
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
