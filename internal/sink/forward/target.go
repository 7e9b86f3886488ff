// This file reads where requests are passed on to.

package forward

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Target reads the address of a backend: http://host:port or https://host:port, over
// HTTP with a path to be put before those of the requests. Scouter's is host:port.
func Target(name protocol.Name, text string) (*url.URL, error) {
	if row, known := protocol.Of(name); !known || !row.Forward {
		return nil, fmt.Errorf("cannot forward %q; choose one of %s", name, strings.Join(forwarded(), ", "))
	}
	if name == protocol.Scouter {
		return collector(text)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("forwarding %s: %w", name, err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("forwarding %s: %q is no address; write http://host:port", name, text)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf("forwarding %s: %q has more than host, port and path", name, u.Redacted())
	case (name == protocol.OTLPGRPC || name == protocol.SkyWalking) && (strings.Trim(u.Path, "/") != "" || u.Port() == ""):
		return nil, fmt.Errorf("forwarding %s: %q is no address of gRPC; write http://host:port", name, text)
	}
	return u, nil
}

// forwarded are the names of the protocols that can be passed on.
func forwarded() []string {
	var names []string
	for _, r := range protocol.Table {
		if r.Forward {
			names = append(names, string(r.Name))
		}
	}
	return names
}

// collector reads the address of a Scouter server.
func collector(text string) (*url.URL, error) {
	host, port, err := net.SplitHostPort(text)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || host == "" || strings.Contains(text, "/") {
		return nil, fmt.Errorf("forwarding %s: %q is no address of a Scouter server; write host:port, without http://", protocol.Scouter, text)
	}
	return &url.URL{Host: text}, nil
}
