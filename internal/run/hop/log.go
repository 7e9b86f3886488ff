package hop

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// Lines gives the lines of a process's log, one by one.
type Lines struct {
	Process string
	Ends    bool // it is a process that ends with what every process ends with: with absent: unknown its silence says nothing
	Each    func(func(line string) error) error
}

// Log is what a program says in the logs of its processes.
type Log struct {
	Hop  string
	Says []spec.Saying
	Logs []Lines
}

// Name implements Counter.
func (l Log) Name() string { return l.Hop }

// Read implements Counter. A log without such a line says that there was none, but for what is left out on purpose, and for
// all that was sent: of those a program tells when it ends, so that one without a line was killed before, and how many they
// were is not known. So it is of what the file says that every process ends with: half of it is not all.
func (l Log) Read(context.Context) (record.Hop, error) {
	out := record.Hop{Name: l.Hop, Source: byLog}
	figures, unknown := out.Figures(), map[string]bool{}
	for _, s := range l.Says {
		pattern, err := regexp.Compile(s.Log)
		if err != nil {
			return out, fmt.Errorf("the pattern for %s spans of %s: %w", s.What, l.Hop, err)
		}
		for _, log := range l.Logs {
			n, said, err := logged(log, pattern, s.Take)
			if err != nil {
				return out, fmt.Errorf("reading what process %s says of %s spans: %w", log.Process, s.What, err)
			}
			switch {
			case said || !atEnd(s):
				add(figures[s.What], n)
			case s.Absent == spec.AbsentUnknown && log.Ends:
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
func atEnd(s spec.Saying) bool {
	return s.Absent == spec.AbsentUnknown || s.What == spec.SaysSampled || s.What == spec.SaysSent && s.Take == "last"
}

// logged takes the numbers out of one process's log; said is whether there was any.
func logged(log Lines, pattern *regexp.Regexp, take string) (total uint64, said bool, err error) {
	group := pattern.SubexpIndex("n")
	err = log.Each(func(line string) error {
		found := pattern.FindStringSubmatch(line)
		if found == nil {
			return nil
		}
		said = true
		n := uint64(1)
		if group > 0 {
			var err error
			if n, err = strconv.ParseUint(found[group], 10, 64); err != nil {
				return fmt.Errorf("line %q: %w", line, err)
			}
		}
		if take == "last" {
			total = n
		} else {
			total += n
		}
		return nil
	})
	return total, said, err
}
