// This file reads where requests are passed on to.
package forward

import (
	"fmt"
	"net/url"
	"slices"
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
)

var protocols = []string{OTLPGRPC, OTLPHTTP, Zipkin, Elastic, Datadog, SkyWalking}

// Target reads the address of a backend: http://host:port or https://host:port, over
// HTTP with a path to be put before those of the requests.
func Target(protocol, text string) (*url.URL, error) {
	if !slices.Contains(protocols, protocol) {
		return nil, fmt.Errorf("cannot forward %q; choose one of %s", protocol, strings.Join(protocols, ", "))
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
