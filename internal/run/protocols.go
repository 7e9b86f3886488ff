// What a plan sends to: the receivers of the sink that its texts name.
package run

import (
	"net"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/spec"
)

// sinkPrefix begins the words that stand for where the sink is.
const sinkPrefix = "sink."

// Exports reports whether a variant is told where the sink is, or writes its spans to
// files that are counted.
func Exports(p *spec.Plan) bool {
	if p.Silent {
		return false
	}
	if len(p.Files) > 0 {
		return true
	}
	return p.NamesSink()
}

// protocols are those besides OTLP, as the sink's flags and the placeholders call them.
var protocols = map[string]func(sink.Addresses) string{
	"zipkin":     func(a sink.Addresses) string { return a.Zipkin },
	"elastic":    func(a sink.Addresses) string { return a.Elastic },
	"datadog":    func(a sink.Addresses) string { return a.Datadog },
	"kieker":     func(a sink.Addresses) string { return a.Kieker },
	"skywalking": func(a sink.Addresses) string { return a.SkyWalking },
	"pinpoint":   func(a sink.Addresses) string { return a.Pinpoint },
	"scouter":    func(a sink.Addresses) string { return a.Scouter },
	"glowroot":   func(a sink.Addresses) string { return a.Glowroot },
}

// protocolsOf are the protocols besides OTLP that a plan names, sorted.
func protocolsOf(p *spec.Plan) []string {
	var out []string
	for _, text := range p.Texts() {
		for _, word := range spec.Placeholders(text) {
			rest, ok := strings.CutPrefix(word, sinkPrefix)
			if !ok {
				continue
			}
			protocol, _, _ := strings.Cut(rest, ".")
			if _, known := protocols[protocol]; known {
				out = append(out, protocol)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sinkValues are what the placeholders of the sink stand for: those of the
// receivers that listen.
func sinkValues(a sink.Addresses) map[string]string {
	values := map[string]string{sinkPrefix + "otlp.grpc": a.OTLPGRPC, sinkPrefix + "otlp.http": a.OTLPHTTP}
	for name, listens := range protocols {
		address := listens(a)
		if address == "" {
			continue
		}
		values[sinkPrefix+name] = address
		if host, port, err := net.SplitHostPort(address); err == nil {
			values[sinkPrefix+name+".host"], values[sinkPrefix+name+".port"] = host, port
		}
	}
	return values
}
