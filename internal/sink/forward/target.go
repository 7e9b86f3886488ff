// This file reads where requests are passed on to.
package forward

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The protocols that can be passed on, by the names that their flags have.
const (
	OTLPGRPC   = "otlp-grpc"
	OTLPHTTP   = "otlp-http"
	Zipkin     = "zipkin"
	Elastic    = "elastic"
	Datadog    = "datadog"
	SkyWalking = "skywalking"
	Scouter    = "scouter"
)

var protocols = []string{OTLPGRPC, OTLPHTTP, Zipkin, Elastic, Datadog, SkyWalking, Scouter}

// Target reads the address of a backend: http://host:port or https://host:port, over
// HTTP with a path to be put before those of the requests. Scouter's is host:port.
func Target(protocol, text string) (*url.URL, error) {
	if !slices.Contains(protocols, protocol) {
		return nil, fmt.Errorf("cannot forward %q; choose one of %s", protocol, strings.Join(protocols, ", "))
	}
	if protocol == Scouter {
		return collector(text)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("forwarding %s: %w", protocol, err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("forwarding %s: %q is no address; write http://host:port", protocol, text)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("forwarding %s: %q has more than host, port and path", protocol, u.Redacted())
	case (protocol == OTLPGRPC || protocol == SkyWalking) && (strings.Trim(u.Path, "/") != "" || u.Port() == ""):
		return nil, fmt.Errorf("forwarding %s: %q is no address of gRPC; write http://host:port", protocol, text)
	}
	return u, nil
}

// collector reads the address of a Scouter server.
func collector(text string) (*url.URL, error) {
	host, port, err := net.SplitHostPort(text)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || host == "" || strings.Contains(text, "/") {
		return nil, fmt.Errorf("forwarding %s: %q is no address of a Scouter server; write host:port, without http://", Scouter, text)
	}
	return &url.URL{Host: text}, nil
}
