package node

// Finding the cgroup of a container below a folder of cgroups.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// containerID matches the ID that containerd, CRI-O and Docker give a container.
var containerID = regexp.MustCompile(`^[0-9a-f]{32,128}$`)

// deepest bounds how far below the root a container's cgroup lies: a slice in a slice, the pod, the container.
const deepest = 12

// GoneError reports that there is no cgroup of a container: it has ended, or never was on this node.
type GoneError struct{ Container string }

func (e *GoneError) Error() string {
	return fmt.Sprintf("container %.12s has no cgroup on this node: it has ended, or runs on another node", e.Container)
}

// version is that of the cgroups below a root, as the source of a reading.
func version(root string) string {
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		return "cgroup v2"
	}
	return "cgroup v1"
}

// find returns the directories of a container's cgroup by controller, as usage.Target has them. The kubelet's drivers name its
// folder differently (ID, cri-containerd-ID.scope), below folders that depend on the pod's class: it is looked for by the ID.
func find(root, container string) (map[string]string, error) {
	if version(root) == "cgroup v2" {
		dir, err := below(root, container)
		if err != nil {
			return nil, err
		}
		return map[string]string{"unified": dir, "memory": dir}, nil
	}
	groups := map[string]string{}
	for _, controller := range []string{"cpuacct", "cpu", "memory"} {
		top, err := filepath.EvalSymlinks(filepath.Join(root, controller)) // to cpu,cpuacct
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("looking for the cgroup controller %s: %w", controller, err)
		}
		if groups[controller], err = below(top, container); err != nil {
			return nil, err
		}
	}
	if groups["cpuacct"] == "" {
		return nil, fmt.Errorf("%s holds no cgroups: mount /sys/fs/cgroup of the node there", root)
	}
	return groups, nil
}

// below returns the topmost folder whose name has the container's ID.
func below(top, container string) (string, error) {
	found := ""
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil // another one ended meanwhile, or is none of ours
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case strings.Contains(d.Name(), container):
			found = path
			return fs.SkipAll
		case strings.Count(strings.TrimPrefix(path, top), string(filepath.Separator)) >= deepest:
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("looking for the cgroup of container %.12s: %w", container, err)
	}
	if found == "" {
		return "", &GoneError{container}
	}
	return found, nil
}
