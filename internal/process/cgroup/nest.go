package cgroup

// Groups that a program makes below its own, to limit the memory of its children; their use counts towards its own group too.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Nest makes groups below the one of this process. A nil Nest makes none.
type Nest struct {
	version int
	own     string // this process's group, of the memory controller
}

// nestIn makes a nest from the hierarchies. In version 2 a group with processes cannot hand its controllers on, so this process
// moves into one below its own.
func nestIn(found []hierarchy, self int) (*Nest, error) {
	for _, h := range found {
		if h.version == 1 && strings.Contains(","+strings.Join(h.controllers, ",")+",", ",memory,") {
			return &Nest{version: 1, own: h.own}, mayWrite(filepath.Join(h.own, "tasks"))
		}
	}
	for _, h := range found {
		if h.version != 2 || !has(h.own, "cgroup.controllers", "memory") {
			continue
		}
		aside := filepath.Join(h.own, "supplier")
		if err := mkdir(aside); err != nil {
			return nil, err
		}
		if err := Write(filepath.Join(aside, "cgroup.procs"), strconv.Itoa(self)); err != nil {
			return nil, errors.Join(fmt.Errorf("stepping aside in the cgroup %s: %w", h.own, err), removeOne(aside))
		}
		if err := Write(filepath.Join(h.own, "cgroup.subtree_control"), "+memory"); err != nil {
			return nil, fmt.Errorf("handing the memory controller on in %s: %w", h.own, err)
		}
		return &Nest{version: 2, own: h.own}, nil
	}
	return nil, errors.New("that needs the right to make cgroups with the controller memory")
}

// Create makes a group with that many bytes of memory for all its processes together.
func (n *Nest) Create(name string, memory int64) (*Group, error) {
	dir := filepath.Join(n.own, name)
	if err := mkdir(dir); err != nil {
		return nil, err
	}
	g := &Group{At: map[string]string{"memory": dir}, Dirs: []string{dir}}
	file := "memory.max"
	if n.version == 1 {
		file = "memory.limit_in_bytes"
		g.Join, g.Leave = []string{filepath.Join(dir, "tasks")}, []string{filepath.Join(n.own, "tasks")}
	} else {
		g.At["unified"] = dir
	}
	if err := Write(filepath.Join(dir, file), strconv.FormatInt(memory, 10)); err != nil {
		return nil, errors.Join(fmt.Errorf("limiting the memory of %s to %d bytes: %w", name, memory, err), Remove(g.Dirs))
	}
	return g, nil
}

// OutOfMemory reports whether the kernel has killed for want of memory in a group, given its directory of the memory
// controller; false for "".
func OutOfMemory(dir string) bool {
	if dir == "" {
		return false
	}
	for _, file := range []string{"memory.events", "memory.oom_control"} {
		text, err := Read(filepath.Join(dir, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(text) {
			value, ok := strings.CutPrefix(line, "oom_kill ")
			if n, err := strconv.Atoi(strings.TrimSpace(value)); ok && err == nil && n > 0 {
				return true
			}
		}
	}
	return false
}
