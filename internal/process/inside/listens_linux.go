package inside

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

// Listens are the addresses at which processes listen for TCP at the moment; false where that cannot be seen.
func Listens(pids []int) (all []Listener, seen bool) {
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		open, err := os.ReadDir(filepath.Join(dir, "fd"))
		if err != nil {
			continue // it has ended, or may not be read
		}
		own := map[string]bool{}
		for _, fd := range open {
			if file, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil {
				if inode, is := strings.CutPrefix(file, "socket:["); is {
					own[strings.TrimSuffix(inode, "]")] = true
				}
			}
		}
		for _, table := range []string{"tcp", "tcp6"} { // as its own network namespace has them
			text, err := os.ReadFile(filepath.Join(dir, "net", table))
			if err != nil {
				continue
			}
			seen = true
			for line := range strings.Lines(string(text)) {
				if l, inode, is := Listening(line); is && own[inode] && !slices.Contains(all, l) {
					all = append(all, l)
				}
			}
		}
	}
	return all, seen
}

// Listening reads a line of /proc/net/tcp or tcp6: local address in field 1, state in field 3 (0A is listening), inode in
// field 9.
func Listening(line string) (l Listener, inode string, is bool) {
	fields := strings.Fields(line)
	if len(fields) < 10 || fields[3] != "0A" {
		return l, "", false
	}
	address, port, _ := strings.Cut(fields[1], ":")
	raw, err := hex.DecodeString(address)
	number, bad := strconv.ParseUint(port, 16, 16)
	if err != nil || bad != nil || len(raw)%4 != 0 {
		return l, "", false
	}
	for word := range slices.Chunk(raw, 4) { // words of 32 bits, in the order of this machine
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	at, ok := netip.AddrFromSlice(raw)
	return Listener{Address: at.Unmap(), Port: strconv.FormatUint(number, 10)}, fields[9], ok
}
