// Package inside owns what can be seen of running programs from outside: what they were started with, what they have
// open, the virtual machine that they run on. It must not know why that is asked.
package inside

import (
	"bufio"
	"bytes"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Program is what can be seen of one program.
type Program struct {
	Program string // base name of its executable
	Command string // its command line, cut
	Whole   string // the same, whole
	Worker  bool   // another one of the run started it by a library, to share its work
	Start   string // the same of processes that forked from one another and run no other program since; "" where that is not told
	Names   bool   // its command line or its environment names the folder
	Lacks   bool   // it started without one of the variables
	Holds   bool   // it has a file of the folder open, or mapped
}

// Sockets are the TCP sockets of programs.
type Sockets struct {
	Seen      bool             // some of them could be looked at
	Listening []netip.AddrPort // where they take connections
	Connected []Connection     // that they opened, or are opening
}

// Connection is one over TCP, by its ends.
type Connection struct{ Local, Remote netip.AddrPort }

// worker is of command lines of programs that libraries start, each to share the work of the one that started it: Python's
// multiprocessing (and so uvicorn's and hypercorn's workers), and joblib's.
var worker = regexp.MustCompile(`\bfrom multiprocessing\.\w+ import |-m joblib\.externals\.loky\.`)

// Answer is who takes connections at a port of this machine, by the processes of a run that might.
type Answer struct {
	Seen   bool   // it can be told whose the sockets are
	Nobody bool   // no program takes any, in the network namespace of tracetax
	Own    []int  // processes of the run that do
	PID    int    // a process of no run that does; 0: it cannot be seen which
	Name   string // of its program
	User   string // the number of the user who made its socket
}

// Reached reports whether whoever listens at an address is reached at a host of this machine.
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

// Which virtual machine a program runs on, by its files: of several that are
// installed, the one that the program was really started with.

// javaText reads the release file that lies in every JDK since 8: the version of the run
// time, and its vendor. "" if it gives no version.
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

// Kind is what runs a program, which decides how its stacks can be read.
type Kind string

// The kinds.
const (
	Unseen Kind = ""       // it has ended, or may not be looked at
	Shell  Kind = "shell"  // it waits for other programs
	Java   Kind = "Java"   // a virtual machine
	DotNet Kind = ".NET"   // likewise
	Node   Kind = "Node"   // an interpreter
	Python Kind = "Python" // likewise
	Go     Kind = "Go"     // machine code
	Native Kind = "native" // machine code of any other compiler
)

// kinds are told by the names of programs, without their versions; libraries that a program has mapped tell it where the name
// does not, as of one that has an interpreter in it.
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

// kindOf is what runs a program of a name, with these files mapped.
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
