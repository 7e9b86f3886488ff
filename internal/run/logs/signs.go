package logs

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
)

// told are what programs and their tracers write when tracing fails, by its cause. They are
// patterns of the tracers in the catalog and of the runtimes that load them.
var told = []struct {
	cause   record.Cause
	pattern *regexp.Regexp
}{
	{record.TracerFailed, regexp.MustCompile(`ModuleNotFoundError: |ImportError: |Error: Cannot find module |ERR_MODULE_NOT_FOUND` +
		`|Failed to auto initialize |Configuration of \S+ failed|configuration failed|Instrumenting of \S+ failed|Importing of \S+ failed` +
		`|Error opening zip file or JAR manifest missing|agent library failed|OpenTelemetry Javaagent failed|Could not find agent library` +
		`|Exception in thread "main" java\.lang\.\S*(?:NoClassDefFoundError|ClassNotFoundException|UnsupportedClassVersionError)` +
		`|Failed to start (?:Elastic APM|agent)|ERROR .*(?:agent|tracer).* (?:not|failed to) (?:start|load|initiali[sz]e)`)},
	{record.ExportFailed, regexp.MustCompile(`(?i)failed to export|error .* while exporting|exception while exporting|exporter.* error:|OTLPExporterError` +
		`|traces export: |connection refused|ECONNREFUSED|StatusCode\.UNAVAILABLE|error (?:trying to connect|sending|communicating) .*(?:apm|collector|agent)`)},
}

// Signs counts the lines that tell a cause. Where Python's traceback follows one, the
// exception at its end is what tells more, and is kept behind it.
func Signs(lines func(func(string) error) error) ([]record.LogSign, error) {
	counted := make([]record.LogSign, len(told))
	before, traced := -1, -1 // the sign of the line before, and that of the traceback that goes on
	err := lines(func(line string) error {
		switch {
		case before >= 0 && strings.HasPrefix(line, "Traceback "):
			before, traced = -1, before
			return nil
		case traced >= 0 && strings.HasPrefix(line, " "):
			return nil
		case traced >= 0:
			counted[traced].Last += ": " + line
			before, traced = -1, -1
			return nil
		}
		before = -1
		for i, t := range told {
			if t.pattern.MatchString(line) {
				counted[i].Cause, counted[i].Last = t.cause, line
				counted[i].Lines++
				before = i
				break
			}
		}
		return nil
	})
	return slices.DeleteFunc(counted, func(l record.LogSign) bool { return l.Lines == 0 }), err
}
