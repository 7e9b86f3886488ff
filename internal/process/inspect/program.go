// Package inspect owns what can be seen of running programs from outside: what they were started with, what they have
// open, the virtual machine that they run on. It must not know why that is asked.
package inspect

import (
	"bufio"
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Program is the visible state of one program.
type Program struct {
	Program string // base name of its executable
	Command string // its command line, cut
	Whole   string // the same, whole
	Worker  bool   // a library started it from another program of the run, to share its work
	Start   string // equal for processes that forked from one another and executed no other program since; "" if unknown
	Names   bool   // its command line or its environment names the folder
	Lacks   bool   // it started without one of the variables
	Holds   bool   // it has a file of the folder open, or mapped
}

// Sockets are the TCP sockets of programs.
type Sockets struct {
	Seen      bool             // at least one program was readable
	Listening []netip.AddrPort // their listening addresses
	Connected []Connection     // connections that they opened, or are opening
}

// Connection is one over TCP, by its ends.
type Connection struct{ Local, Remote netip.AddrPort }

// worker matches command lines of workers that libraries start to share a program's work: Python's multiprocessing (and so
// uvicorn's and hypercorn's workers), and joblib's.
var worker = regexp.MustCompile(`\bfrom multiprocessing\.\w+ import |-m joblib\.externals\.loky\.`)

// Answer names the listener at a port of this machine, among the processes of a run or others.
type Answer struct {
	Seen   bool   // the owner of the sockets is known
	Nobody bool   // no program listens, in the network namespace of tracetax
	Own    []int  // processes of the run that listen
	PID    int    // a process outside the run that listens; 0: unknown
	Name   string // of its program
	User   string // user ID of the socket's owner
}

// Reached reports whether a listener at an address is reachable by a host of this machine.
func Reached(at netip.Addr, host string) bool {
	var asked []netip.Addr
	if one, err := netip.ParseAddr(host); err == nil {
		asked = append(asked, one.Unmap())
	} else if host == "localhost" {
		asked = append(asked, netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback())
	}
	for _, one := range asked {
		if at == one || at.IsUnspecified() && (at.Is4() == one.Is4() || at.Is6()) {
			return true
		}
	}
	return false
}

// The virtual machine of a program, by its files: of several installed ones, the one that runs it.

// javaText parses the release file of a JDK, present since Java 8: the version of the run time, and its vendor. "" without a
// version.
func javaText(release []byte) string {
	values := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(release)); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), "=")
		if value, err := strconv.Unquote(strings.TrimSpace(text)); err == nil {
			values[name] = value
		}
	}
	version := values["JAVA_RUNTIME_VERSION"]
	if version == "" {
		version = values["JAVA_VERSION"]
	}
	switch {
	case version == "":
		return ""
	case values["IMPLEMENTOR"] == "":
		return "java " + version
	}
	return "java " + version + " (" + values["IMPLEMENTOR"] + ")"
}

// Kind is the runtime of a program; it decides the way to read its stacks.
type Kind string

// The kinds.
const (
	Unseen Kind = ""       // it has ended, or may not be read
	Shell  Kind = "shell"  // it waits for other programs
	Java   Kind = "Java"   // a virtual machine
	DotNet Kind = ".NET"   // likewise
	Node   Kind = "Node"   // an interpreter
	Python Kind = "Python" // likewise
	Go     Kind = "Go"     // machine code
	Native Kind = "native" // machine code of any other compiler
)

// kinds are recognised by the names of programs, without their versions, otherwise by a mapped library, as in programs that
// embed an interpreter.
var kinds = []struct {
	kind     Kind
	programs []string
	library  string
}{
	{Java, []string{"java"}, "/libjvm.so"},
	{DotNet, []string{"dotnet"}, "/libcoreclr.so"},
	{Node, []string{"node", "nodejs"}, "/libnode.so"},
	{Python, []string{"python"}, "/libpython"},
	{Shell, []string{"sh", "bash", "dash", "busybox", "zsh", "env", "tini"}, ""},
}

// kindOf returns the kind of a program, by its name and its mapped files.
func kindOf(name, maps string) Kind {
	for _, k := range kinds {
		if slices.Contains(k.programs, strings.TrimRight(name, "0123456789.-")) {
			return k.kind
		}
	}
	for _, k := range kinds {
		if k.library != "" && strings.Contains(maps, k.library) {
			return k.kind
		}
	}
	return Native
}
