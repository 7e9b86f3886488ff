package view

import (
	"testing"

	"github.com/tracetax/tracetax/internal/profile"
)

// Frames as profilers of each language write them.
func TestFrameName(t *testing.T) {
	for _, c := range []struct{ name, file, want, from string }{
		{"Span.end", "/v/lib/python3.11/site-packages/opentelemetry/sdk/trace/__init__.py", "opentelemetry.sdk.trace · Span.end", "/v/lib/python3.11/site-packages/opentelemetry/sdk/trace/__init__.py"},
		{"end", "/home/u/.cache/tracetax/python/1ec31d6cb1af018c6ec2cb74/opentelemetry/sdk/trace/__init__.py", "opentelemetry.sdk.trace · end", "/home/u/.cache/tracetax/python/1ec31d6cb1af018c6ec2cb74/opentelemetry/sdk/trace/__init__.py"},
		{"f", "/cache/opentelemetry/exporter/otlp/proto/common/_internal/__init__.py", "opentelemetry.exporter.otlp · f", "/cache/opentelemetry/exporter/otlp/proto/common/_internal/__init__.py"},
		{"Thread.run", "/usr/lib/python3.11/threading.py", "threading · Thread.run", "/usr/lib/python3.11/threading.py"},
		{"burn", "/home/u/shop/app.py", "app · burn", "/home/u/shop/app.py"},
		{"burn", "/home/u/shop/__init__.py", "shop · burn", "/home/u/shop/__init__.py"},
		{"_run_module_as_main", "<frozen runpy>", "runpy · _run_module_as_main", "<frozen runpy>"},
		{"_flushOneBatch", "/cache/node_modules/@opentelemetry/sdk-trace/build/src/export/B.js", "@opentelemetry/sdk-trace · _flushOneBatch", "/cache/node_modules/@opentelemetry/sdk-trace/build/src/export/B.js"},
		{"get", "/a/node_modules/x/node_modules/express/lib/a.js", "express · get", "/a/node_modules/x/node_modules/express/lib/a.js"},
		{"setTimeout", "node:internal/timers", "node:timers · setTimeout", "node:internal/timers"},
		{"describe", "/app/shop.js", "describe", "/app/shop.js"},
		{"io.opentelemetry.sdk.trace.SdkSpan.end", "", "opentelemetry.sdk.trace · SdkSpan.end", "io.opentelemetry.sdk.trace.SdkSpan.end"},
		{"io.opentelemetry.sdk.trace.export.BatchSpanProcessor$Worker.addSpan", "", "opentelemetry.sdk.trace · BatchSpanProcessor$Worker.addSpan", "io.opentelemetry.sdk.trace.export.BatchSpanProcessor$Worker.addSpan"},
		{"java.lang.Thread.run", "", "java.lang · Thread.run", "java.lang.Thread.run"},
		{"kieker.monitoring.queue.X.put", "", "kieker.monitoring.queue · X.put", "kieker.monitoring.queue.X.put"},
		{"ConnectionGraph::create_split_phi", "", "ConnectionGraph::create_split_phi", ""},
		{"calls::synthetic::wrapper", "calls", "calls::synthetic · wrapper", "calls::synthetic::wrapper calls"},
		{"go.opentelemetry.io/otel/sdk/trace.(*snapshot).Parent", "calls", "otel/sdk/trace · snapshot.Parent", "go.opentelemetry.io/otel/sdk/trace.(*snapshot).Parent calls"},
		{"github.com/tracetax/tracetax/internal/profile.cut", "/src/p.go", "tracetax/internal/profile · cut", "github.com/tracetax/tracetax/internal/profile.cut /src/p.go"},
		{"google.golang.org/grpc.(*csAttempt).recvMsg", "calls", "grpc · csAttempt.recvMsg", "google.golang.org/grpc.(*csAttempt).recvMsg calls"},
		{"encoding/json.(*decodeState).value", "/usr/local/go/src/encoding/json/decode.go", "encoding/json · decodeState.value", "encoding/json.(*decodeState).value /usr/local/go/src/encoding/json/decode.go"},
		{"runtime.usleep", "hello", "runtime · usleep", "runtime.usleep hello"},
		{"aeshashbody", "calls", "aeshashbody", "calls"},
		{"tcp_ack", "[kernel.kallsyms]", "kernel · tcp_ack", "[kernel.kallsyms]"},
		{"start_thread", "libc.so.6", "libc · start_thread", "libc.so.6"},
		{"clone3", "", "clone3", ""},
		{"(anonymous)", "", "(anonymous)", ""},
		{"", "", "", ""},
		{"..", "x", "..", "x"},
	} {
		if name, from := frameName(profile.Frame{Name: c.name, File: c.file}); name != c.want || from != c.from {
			t.Errorf("%s (%s) is %q from %q, want %q from %q", c.name, c.file, name, from, c.want, c.from)
		}
	}
}
