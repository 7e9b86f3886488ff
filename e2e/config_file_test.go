// What the rule rests on that a configuration file is refused beside a tracer.

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// The agent of OpenTelemetry sends to where its configuration file says, and ignores the
// variable that a tracer sets. Its older file of properties does not win over the variable.
func TestAConfigurationFileWinsOverVariables(t *testing.T) {
	more(t, "OTLP")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	agent := fetchAgent(t, "otel-agent.jar")
	for name, test := range map[string]struct {
		env, options []string
		theirs       bool
	}{
		"a file, by variable":   {env: []string{"OTEL_CONFIG_FILE={file}"}, theirs: true},
		"a file, by property":   {options: []string{"-Dotel.config.file={file}"}, theirs: true},
		"a file of properties":  {options: []string{"-Dotel.javaagent.configuration-file={properties}"}},
		"under an earlier name": {options: []string{"-Dotel.experimental.config.file={file}"}},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := startSink(t, sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}}), startSink(t, sink.Config{Listen: protocol.Addresses{protocol.OTLPHTTP: "127.0.0.1:0"}})
			to := "http://" + theirs.Addresses()[protocol.OTLPHTTP]
			files := map[string]string{
				"{file}": "file_format: \"1.2\"\ntracer_provider:\n  processors:\n    - batch: {schedule_delay: 100, exporter: {otlp_http: {endpoint: " + to + "/v1/traces}}}\n" +
					"instrumentation/development: {java: {methods: {include: \"calls.Recursion[call]\"}}}\n",
				"{properties}": "otel.exporter.otlp.endpoint=" + to + "\n",
			}
			dir := t.TempDir()
			fill := func(words []string) []string {
				var out []string
				for _, word := range words {
					for key, text := range files {
						if at := len(word) - len(key); at >= 0 && word[at:] == key {
							file := filepath.Join(dir, key[1:len(key)-1])
							if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
								t.Fatal(err)
							}
							word = word[:at] + file
						}
					}
					out = append(out, word)
				}
				return out
			}
			env := append(fill(test.env), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+ours.Addresses()[protocol.OTLPHTTP], "OTEL_METRICS_EXPORTER=none", "OTEL_LOGS_EXPORTER=none",
				"OTEL_BSP_SCHEDULE_DELAY=100", "OTEL_INSTRUMENTATION_METHODS_INCLUDE=calls.Recursion[call]")
			p := startCalls(t, env, append(fill(test.options), "-javaagent:"+agent)...)
			p.call(t)
			p.end(t)
			if o, th := ours.Snapshot().Counts.Spans, theirs.Snapshot().Counts.Spans; (th > 0) != test.theirs || (o > 0) == test.theirs {
				t.Errorf("%d spans came to the endpoint of the variable, and %d to that of the file", o, th)
			}
		})
	}
}
