// The extensions, the processors and the telemetry in the copy of a Collector's configuration.

package config

import (
	"slices"
	"strings"
	"time"
)

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
