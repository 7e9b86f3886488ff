// Package mesh owns the configuration of an Envoy before and behind a process, or between all: its listeners and
// clusters, and its certificates. There is no control plane: all of it is in one file. It must not know how Envoy is started,
// nor what is measured.
package mesh

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Proxy is one Envoy.
type Proxy struct {
	Name     string         // the process that it stands before and behind; "": it is between all
	Host     string         // the address that it calls from; "": whichever the system takes
	Listen   string         // host:port at which calls of the process come
	To       string         // host:port of the process
	Admin    string         // host:port of the page of counters
	Peers    []program.Peer // all processes
	Parses   string         // a word of Parsed: what is parsed; the rest is passed on as TCP
	TLS      *TLS           // between proxies; nil: none
	Receiver string         // host:port that takes Envoy's own spans as OTLP over gRPC; "": it makes none
	Delay    time.Duration  // longest time that it holds a span
}

// Parsed are the words for what a proxy parses, and the protocols of each.
var Parsed = map[string][]string{
	"auto":   {"http", "grpc", "thrift"},
	"http":   {"http", "grpc"},
	"thrift": {"thrift"},
	"tcp":    {},
}

// Names of Envoy's statistics: Counted of the calls that come to processes, if all of them are parsed.
const (
	Counted   = "calls"
	uncounted = "some"
	outgoing  = "out"
	receiver  = "receiver"
)

// object is one of Envoy's messages, as JSON has it.
type object = map[string]any

const typePrefix = "type.googleapis.com/envoy."

func typed(name, kind string, fields object) object {
	config := object{"@type": typePrefix + kind}
	for key, value := range fields {
		config[key] = value
	}
	return object{"name": name, "typed_config": config}
}

// Config is the file of the proxy.
func (p Proxy) Config() ([]byte, error) {
	if _, known := Parsed[p.Parses]; !known {
		return nil, fmt.Errorf("nobody parses %q; it is auto, http, thrift or tcp", p.Parses)
	}
	if p.TLS != nil && p.Name == "" {
		return nil, errors.New("one proxy between all has no other to speak TLS with: mtls goes with a proxy for each process")
	}
	b := builder{Proxy: p, prefix: Counted}
	for _, peer := range p.incoming() {
		if p.parses(peer) == program.UnknownProtocol {
			b.prefix = uncounted // a part is not all
		}
	}
	for _, peer := range p.Peers {
		switch {
		case p.Name == "" && peer.Listen != "":
			b.inbound(peer, peer.Listen, net.JoinHostPort(peer.Host, peer.Port))
		case peer.Name == p.Name:
			b.inbound(peer, p.Listen, p.To)
		case peer.Listen != "":
			b.outbound(peer)
		}
	}
	if p.Name != "" && len(p.incoming()) == 0 {
		return nil, fmt.Errorf("the list of processes has no %q", p.Name)
	}
	if p.Receiver != "" {
		b.cluster(receiver, p.Receiver, "grpc", nil)
	}
	if b.err != nil {
		return nil, b.err
	}
	out := object{
		"node":             object{"id": "proxy~" + p.service(), "cluster": p.service()},
		"admin":            object{"address": b.address(p.Admin)},
		"static_resources": object{"listeners": b.listeners, "clusters": b.clusters},
	}
	if p.Receiver != "" {
		out["layered_runtime"] = object{"layers": []any{object{"name": "tracetax", "static_layer": object{
			"tracing.opentelemetry.flush_interval_ms": p.Delay.Milliseconds(),
		}}}}
	}
	text, err := json.MarshalIndent(out, "", " ")
	return text, errors.Join(err, b.err)
}

// service is the service name in the proxy's spans.
func (p Proxy) service() string {
	if p.Name == "" {
		return "node"
	}
	return p.Name
}

// incoming lists the processes that others call through the proxy.
func (p Proxy) incoming() []program.Peer {
	return slices.DeleteFunc(slices.Clone(p.Peers), func(peer program.Peer) bool {
		return p.Name != "" && peer.Name != p.Name || p.Name == "" && peer.Listen == ""
	})
}

// parses returns the protocol as which the calls of a process are parsed.
func (p Proxy) parses(peer program.Peer) string {
	if slices.Contains(Parsed[p.Parses], peer.Protocol) {
		return peer.Protocol
	}
	return program.UnknownProtocol
}

// builder puts the file together. The first error stays.
type builder struct {
	Proxy
	prefix              string // of the statistics of what comes in
	listeners, clusters []any
	err                 error
}

func (b *builder) inbound(peer program.Peer, from, to string) {
	b.cluster(peer.Name, to, b.parses(peer), nil)
	b.listener("to "+peer.Name, from, "INBOUND", b.filter(peer, b.prefix))
	if b.TLS == nil {
		return
	}
	// The load, and whoever else has no sidecar, comes without TLS: both are taken, as meshes do unless told otherwise.
	last := b.listeners[len(b.listeners)-1].(object)
	plain := last["filter_chains"].([]any)[0].(object)
	last["listener_filters"] = []any{typed("envoy.filters.listener.tls_inspector", "extensions.filters.listener.tls_inspector.v3.TlsInspector", nil)}
	last["filter_chains"] = []any{
		object{"filter_chain_match": object{"transport_protocol": "tls"}, "filters": plain["filters"], "transport_socket": b.TLS.server()},
		object{"filter_chain_match": object{"transport_protocol": "raw_buffer"}, "filters": plain["filters"]},
	}
}

func (b *builder) outbound(peer program.Peer) {
	var security any
	if b.TLS != nil && peer.Front {
		security = b.TLS.client(peer.Name)
	}
	b.cluster(peer.Name, net.JoinHostPort(peer.Host, peer.Port), b.parses(peer), security)
	b.listener("out to "+peer.Name, peer.Listen, "OUTBOUND", b.filter(peer, outgoing))
}

func (b *builder) listener(name, address, direction string, filter object) {
	b.listeners = append(b.listeners, object{
		"name": name, "address": b.address(address), "traffic_direction": direction, "filter_chains": []any{object{"filters": []any{filter}}},
	})
}

// filter takes the calls of a process and passes them on to its cluster.
func (b *builder) filter(peer program.Peer, prefix string) object {
	switch protocol := b.parses(peer); protocol {
	case "http", "grpc":
		codec := map[string]string{"http": "HTTP1", "grpc": "HTTP2"}[protocol]
		manager := object{
			"stat_prefix": prefix, "codec_type": codec,
			"route_config": object{"name": peer.Name, "virtual_hosts": []any{object{"name": peer.Name, "domains": []string{"*"}, "routes": []any{
				object{"match": object{"prefix": "/"}, "route": object{"cluster": peer.Name, "timeout": "0s"}},
			}}}},
			"http_filters": []any{typed("envoy.filters.http.router", "extensions.filters.http.router.v3.Router", nil)},
		}
		if b.Receiver != "" {
			manager["tracing"] = object{"random_sampling": object{"value": 100}, "provider": typed("envoy.tracers.opentelemetry", "config.trace.v3.OpenTelemetryConfig", object{
				"grpc_service": object{"envoy_grpc": object{"cluster_name": receiver}, "timeout": "1s"}, "service_name": b.service(),
			})}
		}
		return typed("envoy.filters.network.http_connection_manager", "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", manager)
	case "thrift":
		return typed("envoy.filters.network.thrift_proxy", "extensions.filters.network.thrift_proxy.v3.ThriftProxy", object{
			"stat_prefix": prefix, "transport": "FRAMED", "protocol": "BINARY",
			"route_config":   object{"name": peer.Name, "routes": []any{object{"match": object{"method_name": ""}, "route": object{"cluster": peer.Name}}}},
			"thrift_filters": []any{typed("envoy.filters.thrift.router", "extensions.filters.network.thrift_proxy.router.v3.Router", nil)},
		})
	}
	return typed("envoy.filters.network.tcp_proxy", "extensions.filters.network.tcp_proxy.v3.TcpProxy", object{"stat_prefix": prefix, "cluster": peer.Name})
}

// cluster is the destination of calls. Its limits are out of the way: a load that is too much is the program's to refuse.
func (b *builder) cluster(name, address, protocol string, security any) {
	const most = 1 << 20
	limits := object{"max_connections": most, "max_pending_requests": most, "max_requests": most}
	out := object{
		"name": name, "type": "STATIC", "connect_timeout": "5s", "circuit_breakers": object{"thresholds": []any{limits}},
		"load_assignment": object{"cluster_name": name, "endpoints": []any{object{"lb_endpoints": []any{object{"endpoint": object{"address": b.address(address)}}}}}},
	}
	if b.Host != "" && name != receiver {
		out["upstream_bind_config"] = object{"source_address": object{"address": b.Host, "port_value": 0}}
	}
	if security != nil {
		out["transport_socket"] = security
	}
	if versions := map[string]string{"http": "http_protocol_options", "grpc": "http2_protocol_options"}; versions[protocol] != "" {
		const options = "extensions.upstreams.http.v3.HttpProtocolOptions"
		out["typed_extension_protocol_options"] = object{"envoy." + options: object{
			"@type": typePrefix + options, "explicit_http_config": object{versions[protocol]: object{}},
		}}
	}
	b.clusters = append(b.clusters, out)
}

func (b *builder) address(text string) object {
	host, port, err := net.SplitHostPort(text)
	number, e := strconv.ParseUint(port, 10, 16)
	if err = errors.Join(err, e); err != nil && b.err == nil {
		b.err = fmt.Errorf("%q is no address such as 127.0.0.1:8080: %w", text, err)
	}
	return object{"socket_address": object{"address": strings.Trim(host, "[]"), "port_value": number}}
}
