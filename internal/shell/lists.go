// What takes the tracers out of a variable that holds other things too.

package shell

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

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
