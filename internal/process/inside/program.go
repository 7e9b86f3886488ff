// Package inside owns what can be seen of running programs from outside: what they were started with, what they have
// open, the virtual machine that they run on. It must not know why that is asked.
package inside

import "net/netip"

// Program is what can be seen of one program.
type Program struct {
	Program string // base name of its executable
	Command string // its command line, cut
	Start   string // the same of processes that forked from one another and run no other program since; "" where that is not told
	Names   bool   // its command line or its environment names the folder
	Lacks   bool   // it started without one of the variables
	Holds   bool   // it has a file of the folder open, or mapped
}

// Sockets are the TCP sockets of programs.
type Sockets struct {
	Listening []netip.AddrPort // where they take connections
	Connected []Connection     // that they opened, or are opening
}

// Connection is one over TCP, by its ends.
type Connection struct{ Local, Remote netip.AddrPort }
