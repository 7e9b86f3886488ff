package inspect

import (
	"bytes"
	"debug/buildinfo"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Look describes the programs of processes now. variables: names that should be in the environment of each; folder: its files
// may be open or mapped, "" is none. Processes that have ended or may not be read are left out.
func Look(pids []int, variables []string, folder string) []Program {
	if real, err := filepath.EvalSymlinks(folder); folder != "" && err == nil {
		folder = real
	}
	var all []Program
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		program, err := os.Readlink(filepath.Join(dir, "exe"))
		if err != nil {
			continue // a zombie, for one
		}
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil {
			continue
		}
		one := Program{Program: strings.TrimSuffix(filepath.Base(program), " (deleted)")}
		for _, name := range variables {
			one.Lacks = one.Lacks || !startedWith(environ, name)
		}
		if folder != "" {
			command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
			if err != nil {
				continue
			}
			one.Whole = strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " "))
			one.Command, one.Worker = cut(one.Whole), worker.MatchString(one.Whole)
			one.Holds, one.Start = holds(dir, folder), start(dir)
			one.Names = bytes.Contains(environ, []byte(folder)) || bytes.Contains(command, []byte(folder))
		}
		all = append(all, one)
	}
	return all
}

// KindOf returns the kind of runtime of a process.
func KindOf(pid int) Kind {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	program, err := os.Readlink(filepath.Join(dir, "exe"))
	if err != nil {
		return Unseen
	}
	maps, err := os.ReadFile(filepath.Join(dir, "maps"))
	if err != nil {
		return Unseen
	}
	kind := kindOf(strings.TrimSuffix(filepath.Base(program), " (deleted)"), string(maps))
	if kind != Native {
		return kind
	}
	if _, err := buildinfo.ReadFile(filepath.Join(dir, "exe")); err == nil {
		return Go
	}
	return Native
}

// longestCommand limits the kept part of a command line, in bytes.
const longestCommand = 80

func cut(command string) string {
	if len(command) > longestCommand {
		command = command[:longestCommand] + "…"
	}
	return strings.ToValidUTF8(command, "�")
}

// start returns the address at which the kernel put a process's environment, random for each program start: the 50th field of
// its status. Processes that fork share it.
func start(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return ""
	}
	behind := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // from the third field on
	const at = 50 - 3
	if len(behind) <= at || behind[at] == "0" { // 0: may not be read
		return ""
	}
	return behind[at]
}

func startedWith(environ []byte, name string) bool {
	entry := []byte(name + "=")
	return bytes.HasPrefix(environ, entry) || bytes.Contains(environ, append([]byte{0}, entry...))
}

// holds reports whether a process has a file below a folder mapped or open; false if that cannot be read.
func holds(dir, folder string) bool {
	below := folder + string(filepath.Separator)
	if maps, err := os.ReadFile(filepath.Join(dir, "maps")); err == nil && bytes.Contains(maps, []byte(" "+below)) {
		return true
	}
	open, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range open {
		if file, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && strings.HasPrefix(file, below) {
			return true
		}
	}
	return false
}

// Runtime returns the virtual machine of the first of the processes that has one, such as "java 17.0.15+6 (Debian)"; "" if
// unknown: only Java is recognised.
func Runtime(pids []int) string {
	for _, pid := range pids {
		program, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil || filepath.Base(program) != "java" {
			continue
		}
		release, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "release"))
		if err != nil {
			continue
		}
		if text := javaText(release); text != "" {
			return text
		}
	}
	return ""
}

// The TCP sockets of programs at the moment, through /proc.

// listening is the state of a listening socket in the kernel's table.
const listening = "0A"

// Tables holds the kernel's tables of TCP sockets at one moment. Each is read once, for any number of processes: the kernel
// takes milliseconds, however few sockets there are.
type Tables struct {
	read map[string][]socket        // by network namespace: containers have their own
	open map[string]map[string]bool // by process: the inodes of its sockets
}

// inodes returns the inodes of a process's open sockets, read once; nil if it has ended or may not be read.
func (t *Tables) inodes(dir string) map[string]bool {
	all, read := t.open[dir]
	if !read {
		if t.open == nil {
			t.open = map[string]map[string]bool{}
		}
		all = socketInodes(dir)
		t.open[dir] = all
	}
	return all
}

// of returns the sockets in the network namespace of a process; nil if it has ended or may not be read.
func (t *Tables) of(dir string) []socket {
	space, err := os.Readlink(filepath.Join(dir, "ns", "net"))
	if err != nil {
		return nil
	}
	all, read := t.read[space]
	if !read {
		if own, err := os.Readlink("/proc/self/ns/net"); err == nil && own == space {
			dir = "/proc/self" // it does not end meanwhile
		}
		if all = socketTable(filepath.Join(dir, "net", "tcp")); all != nil {
			all = append(all, socketTable(filepath.Join(dir, "net", "tcp6"))...)
		}
		if t.read == nil {
			t.read = map[string][]socket{}
		}
		t.read[space] = all
	}
	return all
}

// Of returns the TCP sockets of processes. Processes that have ended or may not be read are left out.
func (t *Tables) Of(pids []int) Sockets {
	var all Sockets
	var own []socket
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		inodes := t.inodes(dir)
		table := t.of(dir)
		all.Seen = all.Seen || inodes != nil && table != nil
		for _, one := range table {
			if inodes[one.inode] {
				own = append(own, one)
			}
		}
	}
	for _, one := range own {
		if one.state == listening {
			all.Listening = append(all.Listening, one.local)
		}
	}
	for _, one := range own {
		came := slices.ContainsFunc(all.Listening, func(l netip.AddrPort) bool { return l.Port() == one.local.Port() })
		if one.state != listening && one.remote.Port() != 0 && !came {
			all.Connected = append(all.Connected, Connection{one.local, one.remote})
		}
	}
	return all
}

// socketInodes returns the inodes of a process's open sockets; nil if it has ended or may not be read.
func socketInodes(dir string) map[string]bool {
	open, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return nil
	}
	inodes := map[string]bool{}
	for _, fd := range open {
		file, err := os.Readlink(filepath.Join(dir, "fd", fd.Name()))
		if inode, is := strings.CutPrefix(file, "socket:["); err == nil && is {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return inodes
}

// socket is a line of the kernel's table.
type socket struct {
	local, remote      netip.AddrPort
	state, user, inode string
}

// socketTable reads a table of sockets; nil if it is missing, as without IPv6, or may not be read.
func socketTable(path string) []socket {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	all := []socket{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 10 {
			continue
		}
		local, ok := end(fields[1])
		remote, too := end(fields[2])
		if ok && too { // the header line has words there
			all = append(all, socket{local, remote, fields[3], fields[7], fields[9]})
		}
	}
	return all
}

// end parses an address and a port. The kernel writes each four bytes of an address as a number in the machine's byte order.
func end(text string) (netip.AddrPort, bool) {
	address, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(address)
	if err != nil || len(bytes)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(bytes); i += 4 {
		binary.NativeEndian.PutUint32(bytes[i:], binary.BigEndian.Uint32(bytes[i:]))
	}
	ip, ok := netip.AddrFromSlice(bytes)
	number, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)), ok && err == nil
}
