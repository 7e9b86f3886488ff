// The copy of a Collector's configuration that a run takes: addresses are those of the run, and nothing goes to the network.

package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
)

// Copy is what became of a configuration of the user's own.
type Copy struct {
	File     string          // what the user's file is called
	Given    string          // what it says
	Changes  []Change        // what the copy has otherwise
	Receives []protocol.Name // what its receivers take in of what tracers send
	Sends    []protocol.Name // how spans leave for the sink
	Holds    time.Duration   // longest time that its processors hold a span back, as far as the file says
	Renames  bool            // a processor may give spans other names
	Varies   bool            // a time of them comes from a variable
	Routes   Routes
}

// Change is one thing that the copy has otherwise than the user's file.
type Change struct {
	Line int // of the user's file
	Text string
}

// nowhere is a free port of this machine, at which nobody asks.
const nowhere = "127.0.0.1:0"

// copyOf makes the copy of a Collector's configuration: the text that a run takes. Where it cannot be, s has a problem; file is
// the configuration's name for errors.
func (s *source) copyOf(file, text string, of *Service, all bool) (string, *Copy) {
	c := &collector{source: &source{file: file}, has: of.Components, own: of.Process.Env, copy: &Copy{File: printable(file), Given: text}}
	if all {
		c.has = nil
	}
	defer func() { s.problems = append(s.problems, c.problems...) }()
	if c.root = parseYAML(c.source, []byte(text)); c.root == nil || len(c.problems) > 0 || !c.read() {
		return text, c.copy
	}
	if c.undefined(); len(c.problems) > 0 {
		return text, c.copy
	}
	c.unheard()
	c.lacking()
	c.replaceExporters()
	c.prune()
	c.listen()
	c.sendToSink()
	c.extensions()
	c.processors()
	c.telemetry()
	c.routes()
	slices.SortStableFunc(c.copy.Changes, func(a, b Change) int { return a.Line - b.Line })
	var b strings.Builder
	c.root.lay(&b, 0)
	return b.String(), c.copy
}

// ours reports whether a text takes an address from a variable of tracetax: then it stays as it is.
func (c *collector) ours(n *node) bool {
	if n == nil {
		return false
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(c.own)), func(name string) bool { return strings.Contains(n.text, "${env:"+name+"}") })
}

// address gives a key of a component an address of the run; false where it has one already.
func (c *collector) address(n *node, way, key, to string) bool {
	old := n.get(key)
	if c.ours(old) {
		return false
	}
	from, at := "default", n.at
	if old != nil && old.kind == scalar {
		from, at = old.text, old.at
	}
	n.put(key, quotedWord(to))
	c.change(at, "%s.%s: %s → %s", way, key, from, to)
	return true
}

// takeOff takes keys out of a component that make no sense on this machine.
func (c *collector) takeOff(n *node, way string, keys ...string) {
	for _, key := range keys {
		if old := n.get(key); old != nil {
			n.drop(key)
			c.change(old.at, "%s.%s: taken off", way, key)
		}
	}
}

// entered calls with every component of a section that pipelines name, or all where that is not known.
func (c *collector) entered(section string, of func(*pipeline) *node, with func(e entry)) {
	for _, e := range c.section(section).entries {
		if c.opaque || c.named(e.key, of) {
			with(e)
		}
	}
}

// listen gives receivers the ports of the run: the first of a kind that spans come to gets what the app is told, others a
// free port.
func (c *collector) listen() {
	given := map[string]bool{}
	for _, e := range c.section(receiverSection).entries {
		for name := range c.own {
			given[name] = given[name] || e.value.mentions("${env:"+name+"}")
		}
	}
	port := func(n *node, way, variable string, traces bool) {
		to := nowhere
		if traces && !given[variable] {
			to, given[variable] = "${env:"+variable+"}", true
		}
		c.address(n, way, "endpoint", to)
		c.takeOff(n, way, "tls", "auth", "transport", "traces_url_path")
	}
	c.entered(receiverSection, receiversOf, func(e entry) {
		way := receiverSection + "." + e.key
		traces := c.opaque || slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return p.signal == "traces" && p.receivers.holds(e.key) })
		switch typeOf(e.key) {
		case "zipkin":
			port(e.value, way, "ZIPKIN", traces)
		case "otlp":
			protocols := e.value.get("protocols")
			if protocols == nil {
				return // the Collector says what is wrong
			}
			for _, p := range protocols.entries {
				variable := map[string]string{"grpc": "OTLP_GRPC", "http": "OTLP_HTTP"}[p.key]
				port(p.value, way+".protocols."+p.key, variable, traces && variable != "")
			}
		}
	})
	for variable, name := range map[string]protocol.Name{"OTLP_GRPC": protocol.OTLPGRPC, "OTLP_HTTP": protocol.OTLPHTTP, "ZIPKIN": protocol.Zipkin} {
		if given[variable] {
			c.copy.Receives = append(c.copy.Receives, name)
		}
	}
	slices.Sort(c.copy.Receives)
	if len(c.copy.Receives) == 0 {
		c.fail(c.root.get("service").get("pipelines").at, "no pipeline of traces has a receiver that spans can come to: give one of them a receiver otlp or zipkin")
	}
}

// mentions reports whether a text stands anywhere in a tree.
func (n *node) mentions(text string) bool {
	return strings.Contains(n.text, text) || slices.ContainsFunc(n.items, func(item *node) bool { return item.mentions(text) }) ||
		slices.ContainsFunc(n.entries, func(e entry) bool { return e.value.mentions(text) })
}

// networkExporters are those whose address is rewritten; others that are not local are replaced by one of them.
var (
	networkExporters = []string{"otlp_grpc", "otlp_http", "zipkin", "load_balancing"}
	localExporters   = []string{"debug", "nop"}
)

// replaceExporters puts an exporter over OTLP in the place of those that would send to a vendor, write a file or wait to be asked.
func (c *collector) replaceExporters() {
	section := c.section(exporterSection)
	for i, e := range section.entries {
		kind := component(e.key)
		if slices.Contains(networkExporters, kind) || slices.Contains(localExporters, kind) && typeOf(e.key) != "logging" {
			continue
		}
		id, value := c.exporterType("otlp_grpc")+"/"+strings.ReplaceAll(e.key, "/", "-"), &node{kind: mapping, at: e.at}
		if kind == "debug" {
			id = "debug/" + strings.ReplaceAll(e.key, "/", "-")
		} else {
			value.put("endpoint", quotedWord("${env:SINK}"))
			value.put("tls", table("insecure", bareWord("true")))
		}
		for _, key := range []string{"sending_queue", "retry_on_failure", "timeout"} {
			if old := e.value.get(key); old != nil && kind != "debug" {
				value.put(key, old)
			}
		}
		section.entries[i] = entry{id, e.at, value}
		if c.rename(e.key, id) || c.opaque {
			c.change(e.at, "exporters.%s: replaced by %s, nothing goes to the network", e.key, id)
		}
	}
}

// rename gives an exporter another id in all pipelines; false where none has it.
func (c *collector) rename(from, to string) bool {
	found := false
	for _, p := range c.pipelines {
		for _, id := range p.exporters.items {
			if id.text == from {
				id.text, found = to, true
			}
		}
	}
	return found
}

// exporterType is how a type of exporter is called: a program of the PATH may not know its present name.
func (c *collector) exporterType(now string) string {
	if c.has == nil {
		for former, present := range renamedComponents {
			if present == now {
				return former
			}
		}
	}
	return now
}

// sendToSink gives exporters the addresses of the sink.
func (c *collector) sendToSink() {
	c.entered(exporterSection, exportersOf, func(e entry) {
		way := exporterSection + "." + e.key
		if queue := e.value.get("sending_queue"); queue != nil && queue.get("batch") != nil {
			c.holdsFor(queue.get("batch"), "flush_timeout", 200*time.Millisecond)
		}
		switch component(e.key) {
		case "otlp_grpc":
			if c.address(e.value, way, "endpoint", "${env:SINK}") {
				c.plainText(e.value, way)
			}
		case "otlp_http":
			if c.address(e.value, way, "endpoint", "http://${env:SINK_HTTP}") {
				c.takeOff(e.value, way, "tls", "auth", "proxy_url", "traces_endpoint", "metrics_endpoint", "logs_endpoint", "profiles_endpoint")
			}
		case "zipkin":
			if c.address(e.value, way, "endpoint", "http://${env:SINK_ZIPKIN}/api/v2/spans") {
				c.takeOff(e.value, way, "tls", "auth", "proxy_url")
			}
		case "load_balancing":
			c.balanced(e.value, way)
		}
	})
}

// plainText has an exporter over gRPC send without TLS.
func (c *collector) plainText(n *node, way string) {
	if tls := n.get("tls"); tls == nil || len(tls.entries) != 1 || tls.get("insecure") == nil || tls.get("insecure").text != "true" {
		at := n.at
		if tls != nil {
			at = tls.at
		}
		n.put("tls", table("insecure", bareWord("true")))
		c.change(at, "%s.tls: taken off", way)
	}
	c.takeOff(n, way, "auth")
}

// balanced has an exporter that spreads its spans over several others send to the one that there is.
func (c *collector) balanced(n *node, way string) {
	resolver := n.get("resolver")
	if c.ours(resolver) || resolver != nil && resolver.mentions("${env:SINK}") {
		return
	}
	at := n.at
	if resolver != nil {
		at = resolver.at
	}
	n.put("resolver", table("static", table("hostnames", row(quotedWord("${env:SINK}")))))
	c.change(at, "%s.resolver: the one address ${env:SINK}", way)
	c.plainText(n.below("protocol").below("otlp"), way+".protocol.otlp")
}

// The extensions, the processors and the telemetry in the copy of a Collector's configuration.

// extensions gives those that listen a free port, and those that keep files a folder of the run.
func (c *collector) extensions() {
	on := c.root.get("service").get(extensionSection)
	for _, e := range c.section(extensionSection).entries {
		if on == nil || on.kind == list && !on.holds(e.key) {
			continue
		}
		way := extensionSection + "." + e.key
		switch component(e.key) {
		case "health_check", "pprof", "zpages":
			c.address(e.value, way, "endpoint", nowhere)
			c.takeOff(e.value, way, "tls", "auth", "save_to_file")
		case "file_storage":
			if c.address(e.value, way, "directory", "${env:STORAGE}/"+strings.ReplaceAll(e.key, "/", "-")) {
				e.value.put("create_directory", bareWord("true"))
				c.takeOff(e.value, way, "compaction")
			}
		}
	}
}

// localDetectors are the detectors that ask nothing beyond this machine.
var localDetectors = []string{"env", "system"}

// processors keeps those that ask the surroundings of the user's Collector from asking.
func (c *collector) processors() {
	c.entered(processorSection, func(p *pipeline) *node { return p.processors }, func(e entry) {
		way := processorSection + "." + e.key
		switch component(e.key) {
		case "k8s_attributes":
			if old := e.value.get("passthrough"); old == nil || old.text != "true" {
				e.value.put("passthrough", bareWord("true"))
				for _, key := range []string{"auth_type", "filter", "kube_config_path", "context"} {
					e.value.drop(key)
				}
				c.change(e.at, "%s.passthrough: true, there is no Kubernetes to ask: it adds the address of the pod alone", way)
			}
		case "resource_detection":
			detectors := e.value.get("detectors")
			if detectors == nil || detectors.kind != list {
				return
			}
			before := len(detectors.items)
			detectors.items = slices.DeleteFunc(detectors.items, func(d *node) bool { return !slices.Contains(localDetectors, d.text) })
			if len(detectors.items) == 0 {
				detectors.items = []*node{bareWord("env")}
			}
			if len(detectors.items) < before || before == 0 {
				c.change(detectors.at, "%s.detectors: those alone that ask nothing beyond this machine", way)
			}
		}
		c.holds(e)
		c.copy.Renames = c.copy.Renames || renames(e)
	})
}

// renames reports whether a processor may give spans other names, or is one of which that is not known.
func renames(e entry) bool {
	switch kind := component(e.key); {
	case kind == "span":
		return true
	case kind == "transform":
		return e.value.mentions("name")
	default:
		return !slices.Contains(passingProcessors, kind) && !slices.Contains(samplingProcessors, kind)
	}
}

// holds adds how long a processor holds spans back.
func (c *collector) holds(e entry) {
	of := map[string]struct {
		key   string
		usual time.Duration
		more  time.Duration
	}{
		"batch":         {"timeout", 200 * time.Millisecond, 0},
		"tail_sampling": {"decision_wait", 30 * time.Second, time.Second}, // it decides once a second
		"groupbytrace":  {"wait_duration", time.Second, 0},
	}
	held, holds := of[component(e.key)]
	if holds && slices.ContainsFunc(c.pipelines, func(p *pipeline) bool { return p.signal == "traces" && p.processors.holds(e.key) }) {
		c.copy.Holds += held.more
		c.holdsFor(e.value, held.key, held.usual)
	}
}

// holdsFor adds the time that a key of a component says, or that it has without.
func (c *collector) holdsFor(n *node, key string, usual time.Duration) {
	if said := n.get(key); said != nil {
		d, err := time.ParseDuration(said.text)
		if err != nil {
			c.copy.Varies = true // it is a variable's: the hop's settings say it
			return
		}
		usual = d
	}
	c.copy.Holds += usual
}

// telemetry has the Collector show its counters where tracetax reads them, and send nothing about itself.
func (c *collector) telemetry() {
	service := c.root.get("service")
	own := service.below("telemetry")
	c.takeOff(own, "service.telemetry", "traces")
	if logs := own.get("logs"); logs != nil {
		c.takeOff(logs, "service.telemetry.logs", "output_paths", "error_output_paths", "processors")
	}
	metrics := own.below("metrics")
	c.takeOff(metrics, "service.telemetry.metrics", "address", "views")
	readers := metrics.get("readers")
	if readers != nil && readers.mentions("${env:METRICS_PORT}") {
		return
	}
	at := metrics.at
	if readers != nil {
		at = readers.at
	}
	prometheus := table("host", quotedWord("127.0.0.1"))
	prometheus.put("port", bareWord("${env:METRICS_PORT}"))
	metrics.put("readers", row(table("pull", table("exporter", table("prometheus", prometheus)))))
	c.change(at, "service.telemetry.metrics.readers: one at 127.0.0.1:${env:METRICS_PORT}, from which tracetax reads the counters")
}
