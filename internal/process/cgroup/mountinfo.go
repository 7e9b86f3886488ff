package cgroup

// Where the cgroup file systems are mounted, and where in them this process is.

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hierarchy is one cgroup file system with this process's place in it.
type hierarchy struct {
	version     int      // 1 or 2
	controllers []string // version 1 only: cpu, cpuacct, …
	mount       string   // where it is mounted
	own         string   // directory of this process's own cgroup, mount or below it
}

// hierarchies reads them from proc, which is /proc but in tests.
func hierarchies(proc string) ([]hierarchy, error) {
	mounts, err := os.ReadFile(filepath.Join(proc, "self/mountinfo"))
	if err != nil {
		return nil, fmt.Errorf("finding the cgroup file systems: %w", err)
	}
	places, err := os.ReadFile(filepath.Join(proc, "self/cgroup"))
	if err != nil {
		return nil, fmt.Errorf("finding the own cgroup: %w", err)
	}
	return parseHierarchies(string(mounts), string(places)), nil
}

// parseHierarchies joins /proc/self/mountinfo with /proc/self/cgroup (proc(5),
// cgroups(7)). What is mounted without holding this process is left out.
func parseHierarchies(mountinfo, cgroup string) []hierarchy {
	places := parsePlaces(cgroup)
	var found []hierarchy
	lines := bufio.NewScanner(strings.NewReader(mountinfo))
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		root, mount := unescape(left[3]), unescape(left[4])
		h := hierarchy{mount: mount}
		var place string
		var in bool
		switch right[0] {
		case "cgroup2":
			h.version = 2
			place, in = places[""]
		case "cgroup":
			h.version = 1
			for _, option := range strings.Split(right[2], ",") {
				if p, ok := places[option]; ok && option != "" {
					h.controllers = append(h.controllers, option)
					place, in = p, true
				}
			}
		}
		if !in {
			continue
		}
		if h.own, ok = directoryOf(mount, root, place); ok && !slices.ContainsFunc(found, h.same) {
			found = append(found, h)
		}
	}
	return found
}

// same reports whether h and other are mounts of one hierarchy.
func (h hierarchy) same(other hierarchy) bool {
	return h.version == other.version && slices.Equal(h.controllers, other.controllers)
}

// parsePlaces maps controllers to this process's cgroup; "" is version 2.
func parsePlaces(cgroup string) map[string]string {
	places := map[string]string{}
	for line := range strings.Lines(cgroup) {
		parts := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(parts) != 3 || !strings.HasPrefix(parts[2], "/") {
			continue
		}
		if parts[0] == "0" && parts[1] == "" {
			places[""] = parts[2]
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			if controller != "" {
				places[controller] = parts[2]
			}
		}
	}
	return places
}

// directoryOf turns a place in the hierarchy into a directory, given that the
// directory root of the hierarchy is mounted at mount (as it is in containers).
func directoryOf(mount, root, place string) (string, bool) {
	if strings.Contains(place, "/..") {
		return "", false // outside of what this mount shows
	}
	if root == "/" {
		return filepath.Join(mount, place), true
	}
	rest, ok := strings.CutPrefix(place, root)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return filepath.Join(mount, rest), true
}

// unescape undoes mountinfo's octal escapes of space, tab, newline and backslash.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
