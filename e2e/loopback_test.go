// Nothing listens beyond loopback.

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sockets are the inodes of the sockets that processes hold.
func sockets(pids []string) map[string]bool {
	held := map[string]bool{}
	for _, pid := range pids {
		links, _ := filepath.Glob("/proc/" + pid + "/fd/*")
		for _, link := range links {
			if to, err := os.Readlink(link); err == nil {
				if inode, found := strings.CutPrefix(to, "socket:["); found {
					held[strings.TrimSuffix(inode, "]")] = true
				}
			}
		}
	}
	return held
}

// listening are the addresses at which the sockets listen, as the kernel writes
// them.
func listening(t *testing.T, held map[string]bool) []string {
	t.Helper()
	const stateListen = "0A"
	var addresses []string
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			fields := strings.Fields(line)
			if len(fields) > 9 && fields[3] == stateListen && held[fields[9]] {
				address, _, _ := strings.Cut(fields[1], ":")
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}

// onlyLoopback looks at where a run of hello/go that has started listens.
func onlyLoopback(t *testing.T, c *command) {
	t.Helper()
	const loopback = "0100007F" // 127.0.0.1, as the kernel writes it
	seen := 0
	await(t, "its sink and its services listen", func() bool {
		var pids []string
		for _, one := range c.left() {
			pid, _, _ := strings.Cut(one, " ")
			pids = append(pids, pid)
		}
		addresses := listening(t, sockets(pids))
		for _, address := range addresses {
			if address != loopback {
				t.Errorf("something listens at %s", address)
			}
		}
		seen = max(seen, len(addresses))
		return seen >= 4 // OTLP over gRPC and HTTP, and the two processes of hello/go
	})
}
