package tools_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// full returns the address of a socket that listens and never accepts, and whose
// queue is full.
func full(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}
	c, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return addr.String()
}

// Where no connection can be opened, none of them is said to be busy, and the
// time-out is not blamed.
func TestLoadOfAServerThatDoesNotAccept(t *testing.T) {
	_, out, _ := loadCommand("http://"+full(t)+"/", "--rate", "50/s", "--count", "5", "--timeout", "200ms")
	for _, want := range []string{
		"never sent  5: no connection could be opened within their time-out", "0 connections opened",
		"\nNo connection could be opened: the server does not accept any",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	if strings.Contains(out, "too short") || strings.Contains(out, "came free") || strings.Contains(out, " 0 ns of CPU") {
		t.Errorf("none was opened, and CPU was used: %s", out)
	}
}

func TestConnectionsOfTheWarmUpAreTold(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	_, out, errOut := loadCommand(s.URL, "--connections", "2", "--count", "10", "--warmup", "50ms", "--status", "404")
	if !regexp.MustCompile(`, 2 connections opened in the warm-up, 0 after it\n`).MatchString(out) {
		t.Errorf("%s%s", out, errOut)
	}
	_, out, errOut = loadCommand(s.URL, "--connections", "2", "--count", "10", "--status", "404")
	if !strings.Contains(out, ", 2 connections opened\n") {
		t.Errorf("%s%s", out, errOut)
	}
}
