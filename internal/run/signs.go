// Signs of a tracer of which no span came: what a user would look at next. They are looked
// for when everything has been measured, so that they cost no run anything.
package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
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

// longestSign is how much of a line is kept, in bytes.
const longestSign = 300

// lookInside notes what the processes consist of, while they are there and where no span has
// come so far.
func (s *stage) lookInside() error {
	if s.request.Plan.Silent || s.counted().Told() > 0 || !s.exporting && s.request.Folders.Tracer == "" {
		return nil
	}
	s.record.Signs = &record.Signs{}
	for i, app := range s.apps {
		planned := s.request.Plan.Processes[i]
		seen, ok := app.(visible)
		if !planned.Traced || !ok {
			continue
		}
		inside, err := seen.Inside(sinkVariables(planned), s.request.Folders.Tracer)
		if err != nil {
			return fmt.Errorf("looking at what process %s consists of: %w", app.Name(), err)
		}
		one := record.ProcessSigns{Process: app.Name()}
		for _, program := range inside {
			one.Programs = append(one.Programs, program.Program)
			if program.Lacks {
				one.Lacking++
			}
			if program.Holds {
				one.Loaded++
			}
		}
		s.record.Signs.Processes = append(s.record.Signs.Processes, one)
	}
	return nil
}

// sinkVariables are the names of the variables that tell a process where the sink is.
func sinkVariables(p spec.Process) []string {
	var names []string
	for name, value := range p.Env {
		if strings.Contains(value, "{"+protocol.Prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readSigns adds what the logs and the sink tell, when all processes have ended. Where spans
// came after all, or reached a hop, nothing is kept.
func (s *stage) readSigns(connections uint64) error {
	signs := s.record.Signs
	if signs == nil {
		return nil
	}
	reached := slices.ContainsFunc(s.record.Hops, func(h record.Hop) bool { return h.Received != nil && *h.Received > 0 })
	if reached || s.record.Life.Told()+s.record.Life.Thrown > 0 {
		s.record.Signs = nil
		return nil
	}
	signs.Connections = connections
	for i := range signs.Processes {
		one := &signs.Processes[i]
		found, err := logSigns(s.app(one.Process).Log().Lines)
		if err != nil {
			return fmt.Errorf("looking for signs of the tracer in the log of process %s: %w", one.Process, err)
		}
		secrets := replacer(s.request.Plan.Secrets)
		for j := range found {
			line := secrets.Replace(found[j].Last)
			if len(line) > longestSign {
				line = line[:longestSign] + "…"
			}
			found[j].Last = strings.ToValidUTF8(line, "�")
		}
		one.Log = found
	}
	return nil
}

// logSigns counts the lines that tell a cause. Where Python's traceback follows one, the
// exception at its end is what tells more, and is kept behind it.
func logSigns(lines func(func(string) error) error) ([]record.LogSign, error) {
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
