package sidecar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/mesh"
)

// A sidecar writes what Envoy reads, and starts nothing where that cannot be.
func TestSidecarWrites(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*sidecar)
		want   string // of the error; "": none
		holds  string // the file
	}{
		"plain":                {holds: `"127.1.0.2"`},
		"with spans":           {change: func(s *sidecar) { s.tracing, s.Receiver = "on", "127.0.0.1:4317" }, holds: "OpenTelemetryConfig"},
		"TLS":                  {change: func(s *sidecar) { s.mtls = "on" }, holds: "key.pem"},
		"no spans asked for":   {change: func(s *sidecar) { s.Receiver = "127.0.0.1:4317" }, holds: `"127.1.0.2"`},
		"nobody takes spans":   {change: func(s *sidecar) { s.tracing = "on" }, want: "give --receiver"},
		"no address":           {change: func(s *sidecar) { s.Listen = "here" }, want: "--listen: address here"},
		"no processes":         {change: func(s *sidecar) { s.peers += ".not" }, want: "reading the processes that calls go to"},
		"TLS with nobody":      {change: func(s *sidecar) { s.Name, s.mtls = "", "on" }, want: "no other to speak TLS with"},
		"it is not among them": {change: func(s *sidecar) { s.Name = "other" }, want: `the sidecar of other: the list of processes has no "other"`},
	} {
		dir := t.TempDir()
		s := sidecar{folder: filepath.Join(dir, "own"), shared: dir, peers: filepath.Join(dir, "peers.json"), mtls: "off", tracing: "off"}
		s.Proxy = mesh.Proxy{Name: "cart", Listen: "127.1.0.2:20", To: "127.1.0.2:21", Admin: "127.1.0.2:22", Parses: "auto"}
		if err := os.WriteFile(s.peers, []byte(`[{"name": "cart", "host": "127.1.0.2", "port": "20", "protocol": "http"}]`), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.change != nil {
			c.change(&s)
		}
		file, err := s.write()
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		text, readErr := os.ReadFile(file)
		if err != nil || readErr != nil || !strings.Contains(string(text), c.holds) {
			t.Errorf("%s: %v %v: %s", name, err, readErr, text)
		}
		if traces := strings.Contains(string(text), "OpenTelemetry"); traces != (s.tracing == "on") {
			t.Errorf("%s: it makes spans: %t", name, traces)
		}
	}
}
