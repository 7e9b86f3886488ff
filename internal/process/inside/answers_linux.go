package inside

// Who answers at a port: a process of the run, or a program that the run cannot charge.

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Answers finds who takes connections at a port of a host, in the network namespace of tracetax: processes of a run, given by
// their numbers, or others. A host that is no address may be any of this machine.
func (t *Tables) Answers(host string, port uint16, run []int) Answer {
	table := t.of("/proc/self")
	if table == nil {
		return Answer{}
	}
	_, err := netip.ParseAddr(host)
	named := err != nil && host != "localhost"
	users := listenersOf(table, port, func(at netip.Addr) bool { return named || Reached(at, host) })
	hidden := false
	var a Answer
	for _, pid := range run {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		inodes := t.inodes(dir)
		hidden = hidden || inodes == nil && mayNotRead(dir)
		if anyOf(inodes, users) || len(users) == 0 && t.listensApart(dir, inodes) {
			a.Own = append(a.Own, pid)
		}
	}
	switch {
	case len(a.Own) > 0:
		a.Seen = true
	case len(users) == 0:
		a.Seen, a.Nobody = !hidden, true
	default:
		for _, a.User = range users {
		}
		a.PID = holder(users)
		a.Name, a.Seen = Name(a.PID), !hidden || a.PID > 0
	}
	return a
}

func anyOf(inodes map[string]bool, users map[string]string) bool {
	for inode := range users {
		if inodes[inode] {
			return true
		}
	}
	return false
}

// listensApart reports whether a process takes connections in a network namespace of its own: the kernel may pass to it what
// comes to a port of this one, as for containers.
func (t *Tables) listensApart(dir string, inodes map[string]bool) bool {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return false
	}
	if other, err := os.Readlink(filepath.Join(dir, "ns", "net")); err != nil || other == own {
		return false
	}
	return slices.ContainsFunc(t.of(dir), func(one socket) bool { return one.state == listening && inodes[one.inode] })
}

// mayNotRead reports whether a process is there whose files may not be looked at.
func mayNotRead(dir string) bool {
	_, err := os.ReadDir(filepath.Join(dir, "fd"))
	return errors.Is(err, fs.ErrPermission)
}

// Holder is the process that has a socket open which listens at a port; 0 where that cannot be seen.
func (t *Tables) Holder(port uint16) int {
	return holder(listenersOf(t.of("/proc/self"), port, func(netip.Addr) bool { return true }))
}

// listenersOf are the sockets of a table that listen at a port and an address, by inode: the users who made them.
func listenersOf(table []socket, port uint16, at func(netip.Addr) bool) map[string]string {
	users := map[string]string{}
	for _, one := range table {
		if one.state == listening && one.local.Port() == port && at(one.local.Addr()) {
			users[one.inode] = one.user
		}
	}
	return users
}

func holder(users map[string]string) int {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range dirs {
		if anyOf(socketInodes(dir), users) {
			pid, _ := strconv.Atoi(filepath.Base(dir)) // it is a number by the pattern
			return pid
		}
	}
	return 0
}

// Name is that of the program that a process runs; "" where it has ended.
func Name(pid int) string {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if exe, err := os.Readlink(filepath.Join(dir, "exe")); err == nil {
		return strings.TrimSuffix(filepath.Base(exe), " (deleted)")
	}
	name, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
