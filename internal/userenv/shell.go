// Package userenv owns which of the variables of the user's shell a program under test
// gets: all but what switches a tracer on that no variant names. With such a one the
// baseline would be traced too, and what tracing costs would come out too small.
package userenv

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Off are the variables, NAME=value in the order of their names, that switch off tracers in a program's own code: of a
// baseline, which is called untraced, and would send spans to whoever takes them otherwise.
//
// OTEL_SDK_DISABLED is read by OpenTelemetry's SDKs for Java, Python, Node, .NET, Ruby and PHP, not by those for Go and Rust;
// Quarkus, Spring Boot (3 and 4) and Spring Cloud Sleuth have names of their own; of Elastic's, New Relic's and Jaeger's
// agents one or the other is read, by language.
var Off = []string{
	"DD_TRACE_ENABLED=false",
	"ELASTIC_APM_ACTIVE=false",
	"ELASTIC_APM_ENABLED=false",
	"JAEGER_DISABLED=true",
	"MANAGEMENT_TRACING_ENABLED=false",
	"MANAGEMENT_TRACING_EXPORT_ENABLED=false",
	"NEW_RELIC_AGENT_ENABLED=false",
	"NEW_RELIC_ENABLED=false",
	"OTEL_SDK_DISABLED=true",
	"QUARKUS_OTEL_SDK_DISABLED=true",
	"SPRING_SLEUTH_ENABLED=false",
}

// Away is what was kept away from the programs.
type Away struct {
	Name  string   `json:"name"`            // of the variable
	Words []string `json:"words,omitempty"` // of its value that were left out, without what they are set to; nil: the whole variable
}

// String is the variable, and in brackets the words of it.
func (a Away) String() string {
	if a.Words == nil {
		return a.Name
	}
	return a.Name + " (" + strings.Join(a.Words, " ") + ")"
}

// families begin the names of variables that belong to tracers.
var families = []string{
	"OTEL_", "ELASTIC_APM_", "DD_", "NEW_RELIC_", "SW_", "PINPOINT_", "SPLUNK_", "INSTANA_", "APPLICATIONINSIGHTS_",
	// Of .NET: profilers are how its tracers are attached.
	"CORECLR_ENABLE_PROFILING", "CORECLR_PROFILER", "COR_ENABLE_PROFILING", "COR_PROFILER", "DOTNET_STARTUP_HOOKS",
}

// lists are variables that hold tracers among other things, and what takes them out.
var lists = map[string]func(value string) (rest string, out []string){
	"JAVA_TOOL_OPTIONS": java, "_JAVA_OPTIONS": java, "JDK_JAVA_OPTIONS": java,
	"JAVA_OPTS": java, "CATALINA_OPTS": java, // of start scripts, such as Tomcat's
	"NODE_OPTIONS": node,
	"PYTHONPATH":   python,
	"LD_PRELOAD":   preload,
}

// Environment is what programs get of environ, in its order, and what they do not, by
// name. Variables that keep names are left as they are.
func Environment(environ, keep []string) (env []string, away []Away) {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if slices.Contains(keep, name) {
			env = append(env, pair)
			continue
		}
		if slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(name, family) }) {
			away = append(away, Away{Name: name})
			continue
		}
		if without := lists[name]; without != nil {
			rest, out := without(value)
			if out != nil {
				away = append(away, Away{name, out})
				if rest == "" {
					continue
				}
				pair = name + "=" + rest
			}
		}
		env = append(env, pair)
	}
	slices.SortFunc(away, func(a, b Away) int { return strings.Compare(a.Name, b.Name) })
	return env, away
}

// What takes the tracers out of a variable that holds other things too.

// javaSettings begin system properties that tracers read, and that would win over a variant's variables.
var javaSettings = []string{"-Dotel.", "-Delastic.apm.", "-Ddd.", "-Dnewrelic.", "-Dskywalking.", "-Dpinpoint.", "-Dsplunk."}

// java takes agents out of options of a Java virtual machine, and their settings.
func java(value string) (rest string, out []string) {
	var kept []string
	for _, w := range words(value, `"'`) {
		plain := strings.NewReplacer(`"`, "", "'", "").Replace(w)
		agent := strings.HasPrefix(plain, "-javaagent:") || strings.HasPrefix(plain, "-agentpath:")
		if !agent && !slices.ContainsFunc(javaSettings, func(s string) bool { return strings.HasPrefix(plain, s) }) {
			kept = append(kept, w)
			continue
		}
		name, _, _ := strings.Cut(plain, "=") // what follows may be secret
		if option, file, found := strings.Cut(name, ":"); found && agent {
			name = option + ":" + filepath.Base(file)
		}
		out = append(out, name)
	}
	return strings.Join(kept, " "), out
}

// tracer is what the names of modules look like that are loaded to trace. A file of the
// user's own is taken for one where it is called as OpenTelemetry's documentation calls it.
var tracer = regexp.MustCompile(`(?i)opentelemetry|otel|dd-trace|ddtrace|elastic-?apm|newrelic|instana|skywalking|pinpoint|appdynamics|dynatrace|oneagent|splunk|applicationinsights|azure-monitor|honeycomb|sentry|import-in-the-middle|tracing|tracer|telemetry|instrumentation`)

// loads are Node's options that load a module first.
var loads = []string{"--require", "-r", "--import", "--experimental-loader", "--loader"}

// node takes modules that trace out of options of Node.js.
func node(value string) (rest string, out []string) {
	var kept []string
	all := words(value, `"`)
	for i := 0; i < len(all); i++ {
		option, module, joined := strings.Cut(all[i], "=")
		whole := all[i : i+1]
		if !joined && slices.Contains(loads, option) && i+1 < len(all) {
			module, whole = all[i+1], all[i:i+2]
			i++
		}
		if slices.Contains(loads, option) && tracer.MatchString(module) {
			out = append(out, option, filepath.Base(strings.Trim(module, `"`)))
			continue
		}
		kept = append(kept, whole...)
	}
	return strings.Join(kept, " "), out
}

// starts is where the code of tracers for Python lies that every program runs at its start.
var starts = regexp.MustCompile(`opentelemetry/instrumentation/auto_instrumentation/?$|ddtrace/bootstrap/?$|newrelic/bootstrap/?$`)

// says is what code at the start of a program is that a tracer wrote.
var says = regexp.MustCompile(`opentelemetry|ddtrace|elasticapm|newrelic|skywalking|pinpoint|instana|sentry_sdk`)

// python takes folders out of a path that hold code which starts a tracer.
func python(value string) (rest string, out []string) {
	var kept []string
	for _, folder := range filepath.SplitList(value) {
		if startsTracer(folder) {
			out = append(out, folder)
			continue
		}
		kept = append(kept, folder)
	}
	return strings.Join(kept, string(filepath.ListSeparator)), out
}

// preload takes libraries out that put a tracer into every program.
func preload(value string) (rest string, out []string) {
	var kept []string
	for _, file := range strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' }) {
		if injector.MatchString(file) {
			out = append(out, filepath.Base(file))
			continue
		}
		kept = append(kept, file)
	}
	return strings.Join(kept, ":"), out
}

var injector = regexp.MustCompile(`(?i)otelinject|opentelemetry|datadog|oneagent|instana|splunk|newrelic|appdynamics`)

func startsTracer(folder string) bool {
	if starts.MatchString(filepath.ToSlash(folder)) {
		return true
	}
	for _, name := range []string{"sitecustomize.py", "usercustomize.py"} {
		code, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil && says.Match(code) { // Python could not run one that cannot be read
			return true
		}
	}
	return false
}

// words splits a text at white space outside quotes, and leaves the quotes where they stand.
func words(text, quotes string) []string {
	var out []string
	var word strings.Builder
	var open rune
	for _, r := range text {
		switch {
		case open != 0 && r == open:
			open = 0
		case open == 0 && strings.ContainsRune(quotes, r):
			open = r
		case open == 0 && strings.ContainsRune(" \t\r\n\f\v", r):
			if word.Len() > 0 {
				out = append(out, word.String())
				word.Reset()
			}
			continue
		}
		word.WriteRune(r)
	}
	if word.Len() > 0 {
		out = append(out, word.String())
	}
	return out
}

// Proxies of the user's, and what they are not to stand in front of.

// here are the names of this machine for programs that ask whether a proxy is in the way.
var here = []string{"127.0.0.1", "localhost", "::1"}

// PastProxies is an environment in which no proxy stands between a program and this machine: spans for a receiver here, and
// requests between the processes of a run, would go to the user's proxy otherwise. What is there stays.
func PastProxies(env []string) []string {
	out := slices.Clone(env)
	at := func(name string) int {
		return slices.IndexFunc(out, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	}
	// Some programs read the one name and some the other: where the user has set one, the other says the same.
	lower, upper := at("no_proxy"), at("NO_PROXY")
	switch {
	case lower < 0 && upper < 0:
		out = append(out, "no_proxy=", "NO_PROXY=")
	case lower < 0:
		out = append(out, "no_proxy="+strings.TrimPrefix(out[upper], "NO_PROXY="))
	case upper < 0:
		out = append(out, "NO_PROXY="+strings.TrimPrefix(out[lower], "no_proxy="))
	}
	for _, name := range []string{"no_proxy", "NO_PROXY", "no_grpc_proxy"} { // gRPC's own wins over the others where it is set
		if i := at(name); i >= 0 {
			out[i] = name + "=" + withHere(strings.TrimPrefix(out[i], name+"="))
		}
	}
	return out
}

// withHere is a list of hosts, and this machine.
func withHere(list string) string {
	var hosts []string
	for _, host := range strings.Split(list, ",") {
		if host = strings.TrimSpace(host); host != "" {
			hosts = append(hosts, host)
		}
	}
	if slices.Contains(hosts, "*") {
		return list
	}
	for _, host := range here {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return strings.Join(hosts, ",")
}
