package finding

import "testing"

func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[35mpurple\x1b[0m words":              "purple words",
		"\x1b[1;31;48;5;12mx\x1b[m":                "x",
		"\x1b]0;a title\x07after":                  "after",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"[35m is no sequence by itself":            "[35m is no sequence by itself",
		"plain":                                    "plain",
		"\x1b[2K\x1b[1Ggone":                       "gone",
	} {
		if got := PlainText(text); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMetricName(t *testing.T) {
	for metric, want := range map[string]string{
		"latency_mean": "latency mean", "latency_p75": "latency p75", "latency_p999": "latency p99.9", "cpu_per_operation": "CPU per operation", "made_up_metric": "made up metric",
	} {
		if got := MetricName(metric); got != want {
			t.Errorf("%s is %q, want %q", metric, got, want)
		}
	}
}
