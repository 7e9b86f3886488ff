// A build of your own of an agent, and an agent that tracetax knows nothing of, as docs/calls.md
// has them.

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestCallsOfYourOwnAgent(t *testing.T) {
	more(t, "calls")
	t.Parallel() // it mostly waits, and asks for counts, not for times
	needJava(t)
	page, err := os.ReadFile("../docs/calls.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)<!-- e2e: own agent -->\n```yaml\n(.*?)```.*?```yaml\n(.*?)```").FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/calls.md has no example of your own agent")
	}
	jar := fetchAgent(t, "otel-agent.jar")
	experiment, variant := string(found[1]), string(found[2])
	for _, change := range []struct{ text, by string }{
		{"/builds/branch/opentelemetry-javaagent.jar", jar},
		{"\nload: ", "\n" + variant + "load: "},
		{"/builds/mine.jar", jar},
		// Of an agent that takes its orders from variables of its own.
		{`OTEL_EXPORTER_OTLP_ENDPOINT: `, `OTEL_METRICS_EXPORTER: none, OTEL_LOGS_EXPORTER: none, OTEL_BSP_SCHEDULE_DELAY: 200, OTEL_INSTRUMENTATION_METHODS_INCLUDE: "tracetax.calls.Recursion[monitoredMethod]", OTEL_EXPORTER_OTLP_ENDPOINT: `},
		{"rate: 3000/s, duration: 6s, warmup: 10s", "rate: 100/s, duration: 2s, warmup: 500ms"},
		{"blocks: 12", "blocks: 1"},
	} {
		if strings.Count(experiment, change.text) != 1 {
			t.Fatalf("the example has %q not once", change.text)
		}
		experiment = strings.Replace(experiment, change.text, change.by, 1)
	}
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, tracetax(t, "run", write(t, experiment), "--json", "--out", out).exit(t, 0, 3, 4))
	runs := measuredRuns(t, out)
	for _, name := range []string{"released", "branch", "mine"} {
		l, r := ledger(t, doc, "call", name), runs[name]
		if want := int64(l.Operations * callsDepth); want == 0 || entry(l, "expected") != want {
			t.Errorf("%s: %+v, want %d spans expected", name, l, want)
		}
		// On a busy machine the spans of the first call may come after the next one's.
		if want := callsOf(r) * callsDepth; r.Life.Spans != want {
			t.Errorf("%s: %d spans came over its life, want %d", name, r.Life.Spans, want)
		}
	}
	written, err := os.ReadFile(filepath.Join(out, "experiment.yaml"))
	if err != nil || !strings.Contains(string(written), jar) {
		t.Errorf("the results do not say which agent it was: %v", err)
	}
}
