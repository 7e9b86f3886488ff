// Package shell owns which of the variables of the user's shell a program under test
// gets: all but what switches a tracer on that no variant names. With such a one the
// baseline would be traced too, and what tracing costs would come out too small.
package shell

import (
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
