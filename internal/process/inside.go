package process

// What the programs are that a process consists of.

import "github.com/tracetax/tracetax/internal/process/inside"

// Inside is what can be seen of one of the programs that a process consists of.
type Inside = inside.Program

// Inside looks at what a process consists of at the moment. variables are the names that each
// of its programs should have started with, and folder holds files that one may have open
// or mapped; "" is none. What has ended meanwhile, or may not be read, is left out.
func (p *Process) Inside(variables []string, folder string) ([]Inside, error) {
	pids, err := p.Pids()
	if err != nil {
		return nil, err
	}
	return inside.Look(pids, variables, folder), nil
}

// Sockets are the TCP sockets that a process has at the moment.
type Sockets = inside.Sockets

// Connection is one over TCP, by its ends.
type Connection = inside.Connection

// Tables are the kernel's tables of TCP sockets at one moment.
type Tables = inside.Tables

// Sockets looks for the TCP sockets of the programs that a process consists of. What has ended meanwhile, or may not be
// read, is left out.
func (p *Process) Sockets(in *Tables) (Sockets, error) {
	pids, err := p.Pids()
	if err != nil {
		return Sockets{}, err
	}
	return in.Of(pids), nil
}

// Runtime is the virtual machine that the program runs on, such as "java 17.0.15+6
// (Debian)"; "" where nobody can tell: it is told of Java alone.
func (p *Process) Runtime() string {
	pids, err := p.Pids()
	if err != nil {
		return ""
	}
	return inside.Runtime(pids)
}
