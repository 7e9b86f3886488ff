package inspect

// The holder of a port: a process of the run, or a program that the run cannot charge.

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

// Answers finds the programs that listen at a port of a host, in the network namespace of tracetax: processes of a run, given
// by PID, or others. A host name may stand for any address of this machine.
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

// listensApart reports whether a process listens in a network namespace of its own: as for containers, the kernel may pass
// connections to a port of this one on to it.
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

// mayNotRead reports whether a process exists, and its files may not be read.
func mayNotRead(dir string) bool {
	_, err := os.ReadDir(filepath.Join(dir, "fd"))
	return errors.Is(err, fs.ErrPermission)
}

// Holder returns the PID of a process that listens at a port; 0 if unknown.
func (t *Tables) Holder(port uint16) int {
	return holder(listenersOf(t.of("/proc/self"), port, func(netip.Addr) bool { return true }))
}

// listenersOf maps the inodes of the sockets that listen at a port and an address to the users who made them.
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

// Name returns the name of a process's program; "" if it has ended.
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
