package mesh

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// of is a proxy of cart, which calls stock over gRPC, users over Thrift and kept, which is not in the mesh, over HTTP.
func of(change func(*Proxy)) Proxy {
	p := Proxy{Name: "cart", Host: "127.1.0.2", Listen: "127.1.0.2:20", To: "127.1.0.2:21", Admin: "127.1.0.2:22", Parses: "auto", Peers: []program.Peer{
		{Name: "cart", Host: "127.1.0.2", Port: "20", Protocol: "grpc", Front: true},
		{Name: "stock", Host: "127.1.0.3", Port: "30", Protocol: "grpc", Front: true, Listen: "127.1.0.2:23"},
		{Name: "users", Host: "127.1.0.4", Port: "40", Protocol: "thrift", Front: true, Listen: "127.1.0.2:24"},
		{Name: "kept", Host: "127.1.0.5", Port: "50", Protocol: "http", Listen: "127.1.0.2:25"},
		{Name: "others", Host: "127.1.0.6", Port: "60", Protocol: "http", Front: true},
	}}
	if change != nil {
		change(&p)
	}
	return p
}

// file is what a test reads of Envoy's file.
type file struct {
	Static struct {
		Listeners []struct {
			Name, Direction string
			Address         socket
			Chains          []struct {
				Filters []struct {
					Name   string
					Config map[string]any `json:"typed_config"`
				}
				Security map[string]any `json:"transport_socket"`
			} `json:"filter_chains"`
		}
		Clusters []struct {
			Name       string
			Security   map[string]any `json:"transport_socket"`
			Options    map[string]any `json:"typed_extension_protocol_options"`
			From       map[string]any `json:"upstream_bind_config"`
			Assignment struct {
				Endpoints []struct {
					Lb []struct{ Endpoint struct{ Address socket } } `json:"lb_endpoints"`
				}
			} `json:"load_assignment"`
		}
	} `json:"static_resources"`
	Runtime map[string]any `json:"layered_runtime"`
}

type socket struct {
	Socket struct {
		Address string
		Port    int `json:"port_value"`
	} `json:"socket_address"`
}

func (s socket) String() string { return fmt.Sprintf("%s:%d", s.Socket.Address, s.Socket.Port) }

func read(t *testing.T, p Proxy) (out file) {
	t.Helper()
	text, err := p.Config()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// ways are the ways of calls through a proxy: where they come, as what and counted as what, and where they go on to.
func (f file) ways() []string {
	to := map[string]string{}
	for _, c := range f.Static.Clusters {
		at := c.Assignment.Endpoints[0].Lb[0].Endpoint.Address.String()
		if c.Options != nil {
			text, _ := json.Marshal(c.Options)
			for option, version := range map[string]string{"http_protocol_options": "1.1", "http2_protocol_options": "2"} {
				if strings.Contains(string(text), `"`+option+`"`) {
					at += " HTTP/" + version
				}
			}
		}
		if c.Security != nil {
			at += " by TLS"
		}
		to[c.Name] = at
	}
	var out []string
	for _, l := range f.Static.Listeners {
		filter := l.Chains[0].Filters[0]
		name := strings.TrimPrefix(filter.Name, "envoy.filters.network.")
		peer := l.Name[strings.LastIndex(l.Name, " ")+1:]
		way := fmt.Sprintf("%s %s %s as %s: %s", l.Address, name, filter.Config["stat_prefix"], peer, to[peer])
		if len(l.Chains) == 2 && l.Chains[0].Security != nil && l.Chains[1].Security == nil && reflect.DeepEqual(l.Chains[0].Filters, l.Chains[1].Filters) {
			way = "TLS or plain " + way
		} else if len(l.Chains) > 1 || l.Chains[0].Security != nil {
			way = fmt.Sprintf("%d ways to ", len(l.Chains)) + way
		}
		out = append(out, way)
	}
	return out
}

func TestWays(t *testing.T) {
	const manager, thrift, tcp = "http_connection_manager", "thrift_proxy", "tcp_proxy"
	for name, c := range map[string]struct {
		of   Proxy
		want []string
	}{
		"auto": {of(nil), []string{
			"127.1.0.2:20 " + manager + " calls as cart: 127.1.0.2:21 HTTP/2",
			"127.1.0.2:23 " + manager + " out as stock: 127.1.0.3:30 HTTP/2",
			"127.1.0.2:24 " + thrift + " out as users: 127.1.0.4:40",
			"127.1.0.2:25 " + manager + " out as kept: 127.1.0.5:50 HTTP/1.1",
		}},
		"http": {of(func(p *Proxy) { p.Parses = "http" }), []string{
			"127.1.0.2:20 " + manager + " calls as cart: 127.1.0.2:21 HTTP/2",
			"127.1.0.2:23 " + manager + " out as stock: 127.1.0.3:30 HTTP/2",
			"127.1.0.2:24 " + tcp + " out as users: 127.1.0.4:40",
			"127.1.0.2:25 " + manager + " out as kept: 127.1.0.5:50 HTTP/1.1",
		}},
		"thrift": {of(func(p *Proxy) { p.Parses = "thrift" }), []string{ // its own calls are counted by nobody
			"127.1.0.2:20 " + tcp + " some as cart: 127.1.0.2:21",
			"127.1.0.2:23 " + tcp + " out as stock: 127.1.0.3:30",
			"127.1.0.2:24 " + thrift + " out as users: 127.1.0.4:40",
			"127.1.0.2:25 " + tcp + " out as kept: 127.1.0.5:50",
		}},
		"tcp by TLS": {of(func(p *Proxy) { p.Parses, p.TLS = "tcp", &TLS{} }), []string{ // kept has no proxy to speak it
			"TLS or plain 127.1.0.2:20 " + tcp + " some as cart: 127.1.0.2:21",
			"127.1.0.2:23 " + tcp + " out as stock: 127.1.0.3:30 by TLS",
			"127.1.0.2:24 " + tcp + " out as users: 127.1.0.4:40 by TLS",
			"127.1.0.2:25 " + tcp + " out as kept: 127.1.0.5:50",
		}},
		"between all": {of(func(p *Proxy) { p.Name, p.Host = "", "" }), []string{
			"127.1.0.2:23 " + manager + " calls as stock: 127.1.0.3:30 HTTP/2",
			"127.1.0.2:24 " + thrift + " calls as users: 127.1.0.4:40",
			"127.1.0.2:25 " + manager + " calls as kept: 127.1.0.5:50 HTTP/1.1",
		}},
		"between all, not all parsed": {of(func(p *Proxy) { p.Name, p.Host, p.Parses = "", "", "http" }), []string{ // a part is not all
			"127.1.0.2:23 " + manager + " some as stock: 127.1.0.3:30 HTTP/2",
			"127.1.0.2:24 " + tcp + " some as users: 127.1.0.4:40",
			"127.1.0.2:25 " + manager + " some as kept: 127.1.0.5:50 HTTP/1.1",
		}},
	} {
		if got := read(t, c.of).ways(); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestSpans(t *testing.T) {
	without := read(t, of(nil))
	with := read(t, of(func(p *Proxy) { p.Receiver, p.Delay = "127.0.0.1:4317", 200*time.Millisecond }))
	for i, l := range with.Static.Listeners {
		of := l.Chains[0].Filters[0]
		_, traces := of.Config["tracing"]
		if parsed := strings.HasSuffix(of.Name, "http_connection_manager"); traces != parsed {
			t.Errorf("%s makes spans: %t, and is HTTP: %t", l.Name, traces, parsed)
		}
		if without.Static.Listeners[i].Chains[0].Filters[0].Config["tracing"] != nil {
			t.Errorf("%s makes spans without a receiver", l.Name)
		}
	}
	last := with.Static.Clusters[len(with.Static.Clusters)-1]
	if last.Name != "receiver" || last.Assignment.Endpoints[0].Lb[0].Endpoint.Address.String() != "127.0.0.1:4317" || last.From != nil {
		t.Errorf("spans go to %+v", last)
	}
	if text := fmt.Sprint(with.Runtime); !strings.Contains(text, "flush_interval_ms:200") || without.Runtime != nil {
		t.Errorf("the delay: %s; without spans: %v", text, without.Runtime)
	}
	if from := read(t, of(nil)).Static.Clusters[0].From; !reflect.DeepEqual(from, map[string]any{"source_address": map[string]any{"address": "127.1.0.2", "port_value": 0.0}}) {
		t.Errorf("it calls from %v", from)
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Proxy){
		`nobody parses "htpp"`:                 func(p *Proxy) { p.Parses = "htpp" },
		`"127.1.0.2" is no address`:            func(p *Proxy) { p.To = "127.1.0.2" },
		`"127.1.0.2:x" is no address`:          func(p *Proxy) { p.Admin = "127.1.0.2:x" },
		`the list of processes has no "other"`: func(p *Proxy) { p.Name = "other" },
		"no other to speak TLS with":           func(p *Proxy) { p.Name, p.TLS = "", &TLS{} },
	} {
		if _, err := of(change).Config(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// Proxies that begin at once are signed by the same authority, each for its own name.
func TestCertificates(t *testing.T) {
	shared, all := t.TempDir(), make([]*TLS, 8)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			own := filepath.Join(shared, fmt.Sprint(i))
			if err := os.Mkdir(own, 0o755); err != nil {
				t.Error(err)
				return
			}
			var err error
			if all[i], err = NewTLS(shared, own, fmt.Sprintf("node-%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	if group.Wait(); t.Failed() {
		return
	}
	roots := x509.NewCertPool()
	text, err := os.ReadFile(all[0].Authority)
	if err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatalf("no authority: %v", err)
	}
	for i, one := range all {
		text, err := os.ReadFile(one.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode(text)
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if want := fmt.Sprintf("spiffe://tracetax/node-%d", i); len(certificate.URIs) != 1 || certificate.URIs[0].String() != want {
			t.Errorf("it is of %v, want %s", certificate.URIs, want)
		}
		if info, err := os.Stat(one.Key); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its key: %v, %v", info.Mode(), err)
		}
	}
	if rest, err := filepath.Glob(filepath.Join(shared, "authority-*")); err != nil || len(rest) > 0 {
		t.Errorf("files are left: %v, %v", rest, err)
	}
}
