package inside

// Which TCP sockets programs have at the moment, through /proc.

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// States of a socket as the kernel's table writes them: it takes connections; its connection was closed by this end first.
const (
	listening = "0A"
)

// SocketsOf looks at the TCP sockets of processes at the moment. What has ended meanwhile, or may not be read, is left out.
func SocketsOf(pids []int) Sockets {
	tables := map[string][]socket{} // by network namespace: containers have their own
	var own []socket
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		inodes := socketInodes(dir)
		space, err := os.Readlink(filepath.Join(dir, "ns", "net"))
		if err != nil || len(inodes) == 0 {
			continue
		}
		if _, read := tables[space]; !read {
			tables[space] = slices.Concat(socketTable(filepath.Join(dir, "net", "tcp")), socketTable(filepath.Join(dir, "net", "tcp6")))
		}
		for _, one := range tables[space] {
			if inodes[one.inode] {
				own = append(own, one)
			}
		}
	}
	var all Sockets
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

// socketInodes are those of the sockets that a process has open.
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
	local, remote netip.AddrPort
	state, inode  string
}

// socketTable reads a table of sockets. One that is not there, as without IPv6, has none.
func socketTable(path string) []socket {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var all []socket
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 10 {
			continue
		}
		local, ok := end(fields[1])
		remote, too := end(fields[2])
		if ok && too { // the line above the table has words there
			all = append(all, socket{local, remote, fields[3], fields[9]})
		}
	}
	return all
}

// end reads an address and a port. The kernel writes each four bytes of an address as a number of the machine's own order.
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
