package cgroup

// Version 1: a hierarchy for each controller, entered thread by thread.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/process/cpulist"
)

// wanted are the controllers that tracetax uses, where they are to be had.
var wanted = []string{"cpuacct", "cpu", "cpuset", "memory"}

// treeV1 has a directory in each hierarchy that could be used.
type treeV1 struct {
	base map[string]string // directory of the launcher's group, by controller
	own  map[string]string // directory of tracetax's own group, by controller
}

// newV1 makes the launcher's groups. Without cpuacct there is nothing to
// charge CPU time by, which is an error; other controllers may be missing.
func newV1(found []hierarchy, name string) (*treeV1, error) {
	t := &treeV1{base: map[string]string{}, own: map[string]string{}}
	var errs []error
	for _, h := range found {
		if h.version != 1 || !slices.ContainsFunc(h.controllers, func(c string) bool { return slices.Contains(wanted, c) }) {
			continue
		}
		sweep(h.own)
		dir := filepath.Join(h.own, name)
		if err := makeV1(dir, h); err != nil {
			errs = append(errs, err)
			continue
		}
		for _, c := range h.controllers {
			t.base[c], t.own[c] = dir, h.own
		}
	}
	if t.base["cpuacct"] == "" {
		errs = append(errs, Remove(t.Dirs()), errors.New("no cgroup v1 of the controller cpuacct can be made"))
		return nil, errors.Join(errs...)
	}
	return t, nil
}

// makeV1 makes a directory in a hierarchy and sees that processes can enter
// and leave it.
func makeV1(dir string, h hierarchy) error {
	if err := mayWrite(filepath.Join(h.own, "tasks")); err != nil {
		return err
	}
	if err := mkdir(dir); err != nil {
		return err
	}
	if !slices.Contains(h.controllers, "cpuset") {
		return nil
	}
	if err := inheritCPUSet(h.own, dir); err != nil {
		return errors.Join(err, removeOne(dir))
	}
	return nil
}

func mayWrite(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("using cgroups: %w", err)
	}
	return f.Close()
}

func mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making a cgroup: %w", err)
	}
	return nil
}

// inheritCPUSet gives dir the CPUs and memory nodes of its parent: a new cpuset
// of version 1 is empty, and nothing can enter it.
func inheritCPUSet(parent, dir string) error {
	for _, file := range []string{"cpuset.mems", "cpuset.cpus"} {
		value, err := Read(filepath.Join(parent, file))
		if err == nil {
			err = Write(filepath.Join(dir, file), value)
		}
		if err != nil {
			return fmt.Errorf("setting up the cpuset %s: %w", dir, err)
		}
	}
	return nil
}

func (t *treeV1) Version() string            { return V1 }
func (t *treeV1) Has(controller string) bool { return t.base[controller] != "" }

func (t *treeV1) Dirs() []string {
	var dirs []string
	for _, dir := range t.base {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (t *treeV1) Create(c Limits) (*Group, error) {
	g := &Group{At: map[string]string{}}
	for controller, base := range t.base {
		dir := filepath.Join(base, c.Name)
		g.At[controller] = dir
		if slices.Contains(g.Dirs, dir) {
			continue
		}
		g.Dirs = append(g.Dirs, dir)
		g.Join = append(g.Join, filepath.Join(dir, "tasks"))
		g.Leave = append(g.Leave, filepath.Join(t.own[controller], "tasks"))
		if err := mkdir(dir); err != nil {
			return nil, errors.Join(err, Remove(g.Dirs))
		}
	}
	if err := t.limit(g, c); err != nil {
		return nil, errors.Join(err, Remove(g.Dirs))
	}
	return g, nil
}

func (t *treeV1) limit(g *Group, c Limits) error {
	if dir := g.At["cpuset"]; dir != "" {
		if err := inheritCPUSet(t.base["cpuset"], dir); err != nil {
			return err
		}
		if len(c.CPUs) > 0 {
			if err := Write(filepath.Join(dir, "cpuset.cpus"), cpulist.Format(c.CPUs)); err != nil {
				return fmt.Errorf("binding %s to the CPUs %s: %w", c.Name, cpulist.Format(c.CPUs), err)
			}
		}
	}
	if dir := g.At["cpu"]; dir != "" && c.Quota > 0 {
		micros, every := quota(c.Quota)
		err := errors.Join(
			Write(filepath.Join(dir, "cpu.cfs_period_us"), fmt.Sprint(every)),
			Write(filepath.Join(dir, "cpu.cfs_quota_us"), fmt.Sprint(micros)))
		if err != nil {
			return fmt.Errorf("limiting %s to %g CPUs: %w", c.Name, c.Quota, err)
		}
	}
	if dir := g.At["memory"]; dir != "" && c.Memory > 0 {
		if err := Write(filepath.Join(dir, "memory.limit_in_bytes"), fmt.Sprint(c.Memory)); err != nil {
			return fmt.Errorf("limiting the memory of %s to %d bytes: %w", c.Name, c.Memory, err)
		}
	}
	return nil
}
