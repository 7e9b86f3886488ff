package hop

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// Lines gives the lines of a process's log, one by one.
type Lines struct {
	Process string
	Speaks  bool // it is to say it: with absent: unknown its silence says nothing, and neither does what is missing of its log
	Each    func(func(line string) error) error
	// Rest goes through the lines behind what was left out of a log that became too long; cut is whether anything was. nil:
	// nothing ever is.
	Rest func(func(line string) error) (cut bool, err error)
}

// Log is what a program says in the logs of its processes.
type Log struct {
	Hop  string
	Says []config.Saying
	Logs []Lines
}

// Name implements Counter.
func (l Log) Name() string { return l.Hop }

// Read implements Counter. A log without such a line says that there was none, but for what is left out on purpose, and for
// all that was sent: of those a program tells when it ends, so that one without a line was killed before, and how many they
// were is not known. So it is of what the file says that every process ends with, and of a log of which a part was left out,
// unless a running total stands behind that: half of it is not all.
func (l Log) Read(context.Context) (record.Hop, error) {
	out := record.Hop{Name: l.Hop, Source: record.ByLog}
	figures, unknown := out.Figures(), map[string]bool{}
	for _, s := range l.Says {
		pattern, err := regexp.Compile(s.Log)
		if err != nil {
			return out, fmt.Errorf("the pattern for %s spans of %s: %w", s.What, l.Hop, err)
		}
		for _, log := range l.Logs {
			found, err := logged(log, pattern, s.Take)
			if err != nil {
				return out, fmt.Errorf("reading what process %s says of %s spans: %w", log.Process, s.What, err)
			}
			switch {
			case found.cut:
				unknown[s.What] = true
				out.Untold = "a part of the log of process " + log.Process + ", which became too long, is left out"
			case found.said || !atEnd(s):
				add(figures[s.What], found.total)
			case s.Absent == config.AbsentUnknown && log.Speaks:
				unknown[s.What] = true
			}
		}
	}
	for what := range unknown {
		*figures[what] = nil
	}
	return out, nil
}

// atEnd is whether a program says it once, when it ends.
func atEnd(s config.Saying) bool {
	return s.Absent == config.AbsentUnknown || s.What == config.SaysSampled || s.What == config.SaysSent && s.Take == takeLast
}

// takeLast is of a running total: its last line counts.
const takeLast = "last"

// found is what one process's log has of a saying.
type found struct {
	total uint64
	said  bool // there was such a line
	cut   bool // lines may be missing, so that the total is not known
}

// logged takes the numbers out of one process's log.
func logged(log Lines, pattern *regexp.Regexp, take string) (found, error) {
	var all found
	if log.Rest != nil {
		var rest found
		cut, err := log.Rest(rest.reading(pattern, takeLast))
		if err != nil || cut && rest.said && take == takeLast {
			return rest, err
		}
		all.cut = cut
	}
	err := log.Each(all.reading(pattern, take))
	all.cut = all.cut && (all.said || log.Speaks) // others, such as a database, say nothing of spans anywhere
	return all, err
}

// reading adds up what lines say.
func (f *found) reading(pattern *regexp.Regexp, take string) func(line string) error {
	group := pattern.SubexpIndex("n")
	return func(line string) error {
		match := pattern.FindStringSubmatch(line)
		if match == nil {
			return nil
		}
		n := uint64(1)
		if group > 0 {
			var err error
			if n, err = strconv.ParseUint(match[group], 10, 64); err != nil {
				return fmt.Errorf("line %q: %w", line, err)
			}
		}
		if f.said = true; take == takeLast {
			f.total = n
		} else {
			f.total += n
		}
		return nil
	}
}
