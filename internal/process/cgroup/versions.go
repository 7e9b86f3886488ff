package cgroup

// Version 1: a hierarchy for each controller, entered thread by thread.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tracetax/tracetax/internal/process/proctree"
)

// wanted lists the controllers that tracetax uses if available.
var wanted = []string{"cpuacct", "cpu", "cpuset", "memory"}

// treeV1 has a directory in each usable hierarchy.
type treeV1 struct {
	base map[string]string // directory of the launcher's group, by controller
	own  map[string]string // directory of tracetax's own group, by controller
}

// newV1 makes the launcher's groups. It fails without cpuacct, which charges CPU time; other controllers may be missing.
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

// makeV1 makes a directory in a hierarchy and checks that processes can enter and leave it.
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

// inheritCPUSet gives dir the CPUs and memory nodes of its parent: a new cpuset of version 1 is empty, and no process can enter
// it.
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
			if err := Write(filepath.Join(dir, "cpuset.cpus"), proctree.FormatCPUs(c.CPUs)); err != nil {
				return fmt.Errorf("binding %s to the CPUs %s: %w", c.Name, proctree.FormatCPUs(c.CPUs), err)
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

// Version 2: one hierarchy; the kernel forks a program straight into its group.

// treeV2 has one directory below one that tracetax may write to.
type treeV2 struct {
	base    string   // directory of the launcher's group
	enabled []string // controllers of the groups below base
}

// newV2 makes the launcher's group in the nearest place that gives it the most controllers: below tracetax's own group, or
// further up, since a group that holds processes cannot hand controllers on. Without any controller, CPU time is still charged
// by group.
func newV2(found []hierarchy, name string) (*treeV2, error) {
	i := slices.IndexFunc(found, func(h hierarchy) bool { return h.version == 2 })
	if i < 0 {
		return nil, errors.New("there is no cgroup v2 file system")
	}
	h := found[i]
	stepAside(h.own)
	var best *treeV2
	var errs []error
	for _, parent := range upwards(h.own, h.mount) {
		sweep(parent)
		t, err := makeV2(parent, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if best != nil && len(t.enabled) <= len(best.enabled) {
			errs = append(errs, removeOne(t.base))
			continue
		}
		if best != nil {
			errs = append(errs, removeOne(best.base))
		}
		if best = t; len(t.enabled) == len(controllersV2) {
			break
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no cgroup v2 can be made (a delegated one is had by 'systemd-run --user --scope -p Delegate=yes'): %w", errors.Join(errs...))
	}
	return best, nil
}

// controllersV2 lists the controllers for limits and memory figures; CPU time needs none.
var controllersV2 = []string{"cpu", "cpuset", "memory"}

func upwards(from, to string) []string {
	dirs := []string{from}
	for from != to && len(from) > len(to) {
		from = filepath.Dir(from)
		dirs = append(dirs, from)
	}
	return dirs
}

// makeV2 makes the launcher's group below parent, with as many controllers as parent can hand on.
func makeV2(parent, name string) (*treeV2, error) {
	// Moving a process requires the right to write to its old group too.
	if err := mayWrite(filepath.Join(parent, "cgroup.procs")); err != nil {
		return nil, err
	}
	t := &treeV2{base: filepath.Join(parent, name)}
	if err := mkdir(t.base); err != nil {
		return nil, err
	}
	handOn(parent)
	t.enabled = handOn(t.base)
	return t, nil
}

// stepAside moves tracetax into a group below its own if it is alone there: only a group without processes can hand controllers
// on. So it is under 'systemd-run --scope -p Delegate=yes' and in a container of its own.
func stepAside(own string) {
	self := strconv.Itoa(os.Getpid())
	procs, err := Read(filepath.Join(own, "cgroup.procs"))
	if err != nil || procs != self || has(own, "cgroup.subtree_control", "cpu") {
		return
	}
	dir := filepath.Join(own, Prefix+self+"-self")
	if mkdir(dir) != nil {
		return
	}
	if Write(filepath.Join(dir, "cgroup.procs"), self) != nil {
		_ = removeOne(dir)
	}
}

// handOn enables dir's controllers in the groups below it, and returns the enabled ones. A refusal (processes in dir, no
// delegation) is no error.
func handOn(dir string) []string {
	for _, c := range controllersV2 {
		if has(dir, "cgroup.controllers", c) && !has(dir, "cgroup.subtree_control", c) {
			_ = Write(filepath.Join(dir, "cgroup.subtree_control"), "+"+c)
		}
	}
	var enabled []string
	for _, c := range controllersV2 {
		if has(dir, "cgroup.subtree_control", c) {
			enabled = append(enabled, c)
		}
	}
	return enabled
}

func has(dir, file, controller string) bool {
	text, err := Read(filepath.Join(dir, file))
	return err == nil && slices.Contains(strings.Fields(text), controller)
}

func (t *treeV2) Version() string            { return V2 }
func (t *treeV2) Has(controller string) bool { return slices.Contains(t.enabled, controller) }
func (t *treeV2) Dirs() []string             { return []string{t.base} }

func (t *treeV2) Create(c Limits) (*Group, error) {
	dir := filepath.Join(t.base, c.Name)
	if err := mkdir(dir); err != nil {
		return nil, err
	}
	g := &Group{At: map[string]string{"unified": dir}, Dirs: []string{dir}}
	for _, controller := range t.enabled {
		g.At[controller] = dir
	}
	if err := t.limit(dir, c); err != nil {
		return nil, errors.Join(err, Remove(g.Dirs))
	}
	return g, nil
}

func (t *treeV2) limit(dir string, c Limits) error {
	if t.Has("cpuset") && len(c.CPUs) > 0 {
		if err := Write(filepath.Join(dir, "cpuset.cpus"), proctree.FormatCPUs(c.CPUs)); err != nil {
			return fmt.Errorf("binding %s to the CPUs %s: %w", c.Name, proctree.FormatCPUs(c.CPUs), err)
		}
	}
	if t.Has("cpu") && c.Quota > 0 {
		micros, every := quota(c.Quota)
		if err := Write(filepath.Join(dir, "cpu.max"), fmt.Sprintf("%d %d", micros, every)); err != nil {
			return fmt.Errorf("limiting %s to %g CPUs: %w", c.Name, c.Quota, err)
		}
	}
	if t.Has("memory") && c.Memory > 0 {
		if err := Write(filepath.Join(dir, "memory.max"), strconv.FormatInt(c.Memory, 10)); err != nil {
			return fmt.Errorf("limiting the memory of %s to %d bytes: %w", c.Name, c.Memory, err)
		}
	}
	return nil
}

// Kill kills a whole group at once if the kernel can (since 5.14).
func Kill(dir string) error {
	err := Write(filepath.Join(dir, "cgroup.kill"), "1")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}
