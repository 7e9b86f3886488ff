// Self-driving programs asked over their socket, as tracetax asks them.

package e2e

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
)

// startAsked starts a self-driving program in a folder, "" for the test's own, and returns how to ask it over its socket. It has to
// end by itself with the test.
func startAsked(t *testing.T, command []string, dir string) func(line string) string {
	t.Helper()
	ports, err := process.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	words := filled(command, "{port}", strconv.Itoa(ports[0]))
	c := exec.Command(words[0], words[1:]...)
	c.Dir, c.Stderr = dir, os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the program ended: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the program does not end by itself")
			_ = c.Process.Kill()
		}
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
	var connection net.Conn
	await(t, "the program listens", func() bool {
		look, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		look.Close() // a look whether it is ready does not end it
		connection, err = net.Dial("tcp", address)
		return err == nil
	})
	t.Cleanup(func() { connection.Close() })
	answers := bufio.NewReader(connection)
	return func(line string) string {
		if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := connection.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return strings.TrimSuffix(answer, "\n")
	}
}
