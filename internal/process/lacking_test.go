//go:build linux

package process

// What a machine cannot do: the only reason to leave a test out. It is read from the
// kernel, not asked of the code under test.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// withoutGroups says what this machine lacks for a way of accounting, "" where nothing.
func withoutGroups(accounting string) string {
	kind := map[string]string{AccountingV1: "cgroup", AccountingV2: "cgroup2"}[accounting]
	if kind == "" {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return err.Error()
	}
	found := false
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[2] != kind {
			continue
		}
		if accounting == AccountingV1 && !slices.Contains(strings.Split(fields[3], ","), "cpuacct") {
			continue
		}
		found = true
		for _, dir := range []string{fields[1], filepath.Join(fields[1], ownGroup(accounting))} {
			if unix.Access(dir, unix.W_OK) == nil {
				return ""
			}
		}
	}
	if found {
		return fmt.Sprintf("this user may not write to a %s of this machine", accounting)
	}
	return fmt.Sprintf("this machine has no %s", accounting)
}

// ownGroup is the group of this process, as the kernel calls it.
func ownGroup(accounting string) string {
	text, _ := os.ReadFile("/proc/self/cgroup") // without it, the root is looked at alone
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		v1 := slices.Contains(strings.Split(fields[1], ","), "cpuacct")
		if accounting == AccountingV1 && v1 || accounting == AccountingV2 && fields[0] == "0" {
			return fields[2]
		}
	}
	return ""
}

// withoutController says why a launcher cannot have a controller, "" where it can.
func withoutController(l *Launcher, controller string) string {
	switch l.Accounting() {
	case AccountingV1:
		mounts, err := os.ReadFile("/proc/self/mounts")
		if err != nil {
			return err.Error()
		}
		for line := range strings.Lines(string(mounts)) {
			fields := strings.Fields(line)
			if len(fields) >= 4 && fields[2] == "cgroup" && slices.Contains(strings.Split(fields[3], ","), controller) {
				return ""
			}
		}
		return "no cgroup v1 of this machine has the controller " + controller
	case AccountingV2:
		// What the kernel hands on to the launcher's group, that one can hand on in turn.
		text, err := os.ReadFile(filepath.Join(l.tree.Dirs()[0], "cgroup.controllers"))
		if err != nil {
			return err.Error()
		}
		if slices.Contains(strings.Fields(string(text)), controller) {
			return ""
		}
		return "the cgroup v2 that this process is in does not hand on the controller " + controller
	}
	return "without cgroups there is no controller " + controller
}
