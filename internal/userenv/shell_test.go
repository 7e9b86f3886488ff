package userenv

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	hooked, plain := t.TempDir(), t.TempDir()
	for folder, code := range map[string]string{hooked: "import opentelemetry.instrumentation\n", plain: "import readline\n"} {
		if err := os.WriteFile(filepath.Join(folder, "sitecustomize.py"), []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(name string) []Away { return []Away{{Name: name}} }
	part := func(name string, words ...string) []Away { return []Away{{name, words}} }
	for name, test := range map[string]struct {
		in, want string // want: "" is kept away
		keep     []string
		away     []Away
	}{
		"plain":                {in: "PATH=/bin", want: "PATH=/bin"},
		"empty":                {in: "EMPTY=", want: "EMPTY="},
		"OpenTelemetry":        {in: "OTEL_TRACES_EXPORTER=console", away: whole("OTEL_TRACES_EXPORTER")},
		"Elastic":              {in: "ELASTIC_APM_SERVER_URL=http://x", away: whole("ELASTIC_APM_SERVER_URL")},
		"Datadog":              {in: "DD_TRACE_ENABLED=true", away: whole("DD_TRACE_ENABLED")},
		"no Datadog":           {in: "DDOS=1", want: "DDOS=1"},
		"New Relic":            {in: "NEW_RELIC_LICENSE_KEY=x", away: whole("NEW_RELIC_LICENSE_KEY")},
		"SkyWalking":           {in: "SW_AGENT_NAME=x", away: whole("SW_AGENT_NAME")},
		"Pinpoint":             {in: "PINPOINT_PROFILER=x", away: whole("PINPOINT_PROFILER")},
		".NET":                 {in: "CORECLR_ENABLE_PROFILING=1", away: whole("CORECLR_ENABLE_PROFILING")},
		".NET Framework":       {in: "COR_PROFILER_PATH=x", away: whole("COR_PROFILER_PATH")},
		".NET, other":          {in: "COR_NUMBER=1", want: "COR_NUMBER=1"},
		"startup hooks":        {in: "DOTNET_STARTUP_HOOKS=x.dll", away: whole("DOTNET_STARTUP_HOOKS")},
		"kept":                 {in: "OTEL_RESOURCE_ATTRIBUTES=a=b", want: "OTEL_RESOURCE_ATTRIBUTES=a=b", keep: []string{"OTEL_RESOURCE_ATTRIBUTES"}},
		"kept with its agent":  {in: "JAVA_TOOL_OPTIONS=-javaagent:x.jar", want: "JAVA_TOOL_OPTIONS=-javaagent:x.jar", keep: []string{"JAVA_TOOL_OPTIONS"}},
		"Java without":         {in: `JAVA_TOOL_OPTIONS=-Xmx1g  -Dname="a b"`, want: `JAVA_TOOL_OPTIONS=-Xmx1g  -Dname="a b"`},
		"Java agent":           {in: `JAVA_TOOL_OPTIONS=-Xmx1g -javaagent:/opt/dd.jar=key=1 -Dname="a b"`, want: `JAVA_TOOL_OPTIONS=-Xmx1g -Dname="a b"`, away: part("JAVA_TOOL_OPTIONS", "-javaagent:dd.jar")},
		"Java agent in quotes": {in: `_JAVA_OPTIONS=-javaagent:"/my tools/dd.jar" -Xss1m`, want: "_JAVA_OPTIONS=-Xss1m", away: part("_JAVA_OPTIONS", "-javaagent:dd.jar")},
		"Java agent alone":     {in: "JDK_JAVA_OPTIONS=-agentpath:/opt/libagent.so", away: part("JDK_JAVA_OPTIONS", "-agentpath:libagent.so")},
		"a debugger":           {in: "JAVA_TOOL_OPTIONS=-agentlib:jdwp=server=y", want: "JAVA_TOOL_OPTIONS=-agentlib:jdwp=server=y"},
		"settings of an agent": {in: "JAVA_TOOL_OPTIONS=-Dotel.sdk.disabled=true -Dother=1", want: "JAVA_TOOL_OPTIONS=-Dother=1", away: part("JAVA_TOOL_OPTIONS", "-Dotel.sdk.disabled")},
		"Node without":         {in: "NODE_OPTIONS=--max-old-space-size=4096 --require ./polyfill.js", want: "NODE_OPTIONS=--max-old-space-size=4096 --require ./polyfill.js"},
		"Node, --require":      {in: `NODE_OPTIONS=--max-old-space-size=9 --require "/my tools/opentelemetry/register.js"`, want: "NODE_OPTIONS=--max-old-space-size=9", away: part("NODE_OPTIONS", "--require", "register.js")},
		"Node, -r":             {in: "NODE_OPTIONS=-r dd-trace/init --inspect", want: "NODE_OPTIONS=--inspect", away: part("NODE_OPTIONS", "-r", "init")},
		"Node, --import=":      {in: "NODE_OPTIONS=--import=./instrumentation.mjs", away: part("NODE_OPTIONS", "--import", "instrumentation.mjs")},
		"Node, a loader":       {in: "NODE_OPTIONS=--experimental-loader=@opentelemetry/instrumentation/hook.mjs -r ./a.js", want: "NODE_OPTIONS=-r ./a.js", away: part("NODE_OPTIONS", "--experimental-loader", "hook.mjs")},
		"an injector":          {in: "LD_PRELOAD=/opt/datadog-packages/launcher.preload.so:/lib/libjemalloc.so", want: "LD_PRELOAD=/lib/libjemalloc.so", away: part("LD_PRELOAD", "launcher.preload.so")},
		"a preloaded library":  {in: "LD_PRELOAD=/lib/libjemalloc.so", want: "LD_PRELOAD=/lib/libjemalloc.so"},
		"Python without":       {in: "PYTHONPATH=/lib:" + plain, want: "PYTHONPATH=/lib:" + plain},
		"Python, by its place": {in: "PYTHONPATH=/x/ddtrace/bootstrap:/lib", want: "PYTHONPATH=/lib", away: part("PYTHONPATH", "/x/ddtrace/bootstrap")},
		"Python, by its code":  {in: "PYTHONPATH=" + hooked + ":" + plain, want: "PYTHONPATH=" + plain, away: part("PYTHONPATH", hooked)},
	} {
		t.Run(name, func(t *testing.T) {
			env, away := Environment([]string{test.in}, test.keep)
			var want []string
			if test.want != "" {
				want = []string{test.want}
			}
			if diff := cmp.Diff(want, env); diff != "" {
				t.Errorf("environment (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.away, away); diff != "" {
				t.Errorf("kept away (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPastProxies(t *testing.T) {
	const all = "127.0.0.1,localhost,::1"
	for name, test := range map[string]struct{ in, want []string }{
		"nothing":       {[]string{"A=1"}, []string{"A=1", "no_proxy=" + all, "NO_PROXY=" + all}},
		"in capitals":   {[]string{"NO_PROXY=corp.example, localhost"}, []string{"NO_PROXY=corp.example,localhost,127.0.0.1,::1", "no_proxy=corp.example,localhost,127.0.0.1,::1"}},
		"the other one": {[]string{"no_proxy=corp.example"}, []string{"no_proxy=corp.example," + all, "NO_PROXY=corp.example," + all}},
		"both":          {[]string{"no_proxy=a", "NO_PROXY=b"}, []string{"no_proxy=a," + all, "NO_PROXY=b," + all}},
		"no proxy":      {[]string{"no_proxy=*", "NO_PROXY=*"}, []string{"no_proxy=*", "NO_PROXY=*"}},
		"gRPC's own":    {[]string{"no_proxy=a", "NO_PROXY=a", "no_grpc_proxy="}, []string{"no_proxy=a," + all, "NO_PROXY=a," + all, "no_grpc_proxy=" + all}},
	} {
		if diff := cmp.Diff(test.want, PastProxies(test.in)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(test.want, PastProxies(test.want)); diff != "" {
			t.Errorf("%s, again (-want +got)\n%s", name, diff)
		}
	}
}
