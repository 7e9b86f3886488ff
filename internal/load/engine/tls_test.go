// HTTPS against the TLS of the standard library.

package engine

import (
	"bufio"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// tlsServer serves h over TLS and returns its address and a file of the authority
// that signed its certificate, which is for example.com and loopback.
func tlsServer(t *testing.T, h http.HandlerFunc, change func(*tls.Config)) (address, authority string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{}
	if change != nil {
		change(s.TLS)
	}
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	s.EnableHTTP2 = true                           // offered, and not to be taken
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	authority = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return s.Listener.Addr().String(), authority
}

func TestHTTPS(t *testing.T) {
	var seen counter
	big := strings.Repeat("x", 300<<10)
	addr, ca := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.TLS == nil || r.ProtoMajor != 1 || r.URL.Path == "/big" && string(body) != big {
			http.Error(w, "not as sent", http.StatusBadRequest)
			return
		}
		seen.add(r.URL.Path)
		if r.URL.Path == "/big" {
			io.WriteString(w, big)
		}
		if r.URL.Path == "/close" {
			w.Header().Set("Connection", "close")
		}
	}, nil)
	secure := &load.TLS{CA: ca}
	for _, task := range []load.Task{
		{Operations: []load.Request{{Path: "/"}}, Connections: 5, Count: 500},
		{Operations: []load.Request{{Path: "/"}}, Rate: 2000, Count: 500, Connections: 20},
		{Operations: []load.Request{{Path: "/"}}, Connections: 6, Count: 200, Threads: 2},
		{Operations: []load.Request{{Path: "/big", Method: "POST", Body: []byte(big)}}, Connections: 3, Count: 30},
		{Operations: []load.Request{{Path: "/close"}}, Connections: 3, Count: 30},
	} {
		task.Operations[0].Address, task.Operations[0].TLS = addr, secure
		eachEngine(t, func(t *testing.T, g *Generator) {
			l := do(t, g, task)
			if got := seen.take()[task.Operations[0].Path]; l.Completed != task.Count || got != task.Count || l.Started != task.Count {
				t.Errorf("%s: %d of %d completed, the server saw %d, errors %v", task.Operations[0].Path, l.Completed, task.Count, got, l.Errors)
			}
		})
	}
}

// One handshake in full, the other connections resume it; and a kept one needs none.
func TestSessionsAreResumed(t *testing.T) {
	var whole, resumed atomic.Int64
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		addr, ca := tlsServer(t, func(w http.ResponseWriter, r *http.Request) {
			if r.TLS.DidResume {
				resumed.Add(1)
			} else {
				whole.Add(1)
			}
			w.Header().Set("Connection", "close")
		}, func(c *tls.Config) { c.MaxVersion = version })
		eachEngine(t, func(t *testing.T, g *Generator) {
			whole.Store(0)
			resumed.Store(0)
			task := load.Task{Operations: []load.Request{{Address: addr, TLS: &load.TLS{CA: ca}}}, Count: 5}
			do(t, g, task)
			do(t, g, task)
			if whole.Load() != 1 || resumed.Load() != 9 {
				t.Errorf("TLS %x: %d full handshakes and %d resumed, want 1 and 9", version, whole.Load(), resumed.Load())
			}
		})
	}
}

func TestFailuresOfTLS(t *testing.T) {
	nothing := func(http.ResponseWriter, *http.Request) {}
	addr, ca := tlsServer(t, nothing, nil)
	strict, strictCA := tlsServer(t, nothing, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert })
	old, oldCA := tlsServer(t, nothing, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11; c.MinVersion = tls.VersionTLS10 })
	plain := httpServer(t, nothing)
	closes := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) { _, _ = r.ReadByte() })
	for _, c := range []struct {
		name, address string
		tls           load.TLS
		kind          string
	}{
		{"unknown authority", addr, load.TLS{}, "tls: certificate signed by an unknown authority"},
		{"another host", addr, load.TLS{CA: ca, ServerName: "shop.test"}, "tls: certificate is for another host"},
		{"named host", addr, load.TLS{CA: ca, ServerName: "example.com"}, ""},
		{"not checked", addr, load.TLS{Insecure: true, ServerName: "shop.test"}, ""},
		{"no TLS at all", plain, load.TLS{}, "tls: the server does not speak TLS"},
		{"closes at once", closes, load.TLS{}, "tls: connection closed in the handshake"},
		{"wants a certificate", strict, load.TLS{CA: strictCA}, "tls: the server refused: certificate required"},
		{"too old", old, load.TLS{CA: oldCA}, "tls: the server refused: protocol version not supported"},
	} {
		eachEngine(t, func(t *testing.T, g *Generator) {
			task := load.Task{Operations: []load.Request{{Address: c.address, TLS: &c.tls}}, Connections: 2, Count: 4}
			l := do(t, g, task)
			if c.kind == "" && l.Completed != 4 || c.kind != "" && l.Errors[c.kind] != 4 {
				t.Errorf("%s: %d completed, errors %v, want %q", c.name, l.Completed, l.Errors, c.kind)
			}
			if strings.HasPrefix(c.kind, "tls: cert") && l.Started != 0 {
				t.Errorf("%s: %d requests went to a server that is not trusted", c.name, l.Started)
			}
		})
	}
}

// A handshake that is never answered ends with the time-out, and cancelling does
// not wait for it either.
func TestHandshakeNeverAnswered(t *testing.T) {
	addr := rawServer(t, func(_ int, c net.Conn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) })
	eachEngine(t, func(t *testing.T, g *Generator) {
		task := load.Task{Operations: []load.Request{{Address: addr, TLS: &load.TLS{}}}, Connections: 3, Count: 6, Timeout: 50 * time.Millisecond}
		if l := do(t, g, task); l.TimedOut != 6 || l.Started != 0 {
			t.Errorf("%d of 6 timed out, %d started, errors %v", l.TimedOut, l.Started, l.Errors)
		}
	})
}

func TestAuthoritiesThatCannotBeRead(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.pem")
	if err := os.WriteFile(bad, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{bad: "no certificate in PEM", bad + ".gone": "no such file"} {
		task := load.Task{Operations: []load.Request{{Address: "127.0.0.1:1", TLS: &load.TLS{CA: file}}}, Count: 1}
		if _, err := planned(t.Context(), task); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// borrowed is the certificate that tlsServer has.
func borrowed(t *testing.T) tls.Certificate {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	return s.TLS.Certificates[0]
}
