package afar

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/usage/node"
)

// A container beside the program that has ended keeps what it used; of one that was never read nothing is known.
func TestSidecarThatEnds(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	root := t.TempDir()
	at := filepath.Join(root, "pod", id)
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(root, "cgroup.controllers"): "cpu memory", filepath.Join(at, "cpu.stat"): "usage_usec 5\n", filepath.Join(at, "memory.stat"): "anon 7\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = node.New(root).Serve(t.Context(), l, "secret") }()
	meter, err := node.Dial(t.Context(), l.Addr().String(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	defer meter.Close()
	of := &pod{meter: meter, command: process.Command{Name: "shop"}, runs: Runs{Beside: []Sidecar{{Name: "proxy", Container: id}}}}
	proxy := of.Beside()[0].(*sidecar)
	for range 2 {
		r, err := proxy.Read()
		memory, memoryErr := proxy.Memory()
		if err != nil || memoryErr != nil || r.CPU != 5*time.Microsecond || memory != 7 || proxy.Name() != "proxy@shop" {
			t.Errorf("%s used %v and %d bytes, %v, %v", proxy.Name(), r.CPU, memory, err, memoryErr)
		}
		if err := os.RemoveAll(filepath.Join(root, "pod")); err != nil { // it ends
			t.Fatal(err)
		}
	}
	if _, err := of.Beside()[0].(*sidecar).Read(); err == nil || !strings.Contains(err.Error(), "container proxy@shop") {
		t.Errorf("of one that was never read: %v", err)
	}
}
