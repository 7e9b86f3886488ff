// Package hop owns what programs on the way of spans say that they did with them: in their logs, on a page of counters,
// and by the files that they leave. It must not know how the programs are started, nor what their
// word is used for.
package hop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/record"
)

// Counter reads the counts of one program.
type Counter interface {
	Name() string
	// Read returns its counts until now. A program that cannot be asked is no error: its counts are then unreported.
	Read(ctx context.Context) (record.Hop, error)
}

// Of returns the counter of a program: by its page at an address, by its logs, or by both.
func Of(name string, says []program.Saying, page string, logs []Lines) Counter {
	var all several
	if counted := Counted(says); len(counted) > 0 {
		all = append(all, &Page{Hop: name, URL: page, Says: counted})
	}
	if logged := Logged(says); len(logged) > 0 {
		all = append(all, Log{Hop: name, Says: logged, Logs: logs})
	}
	if len(all) == 1 {
		return all[0]
	}
	return named{name, says, all}
}

// Counted returns the sayings that are counters of a page.
func Counted(says []program.Saying) []program.Saying {
	return slices.DeleteFunc(slices.Clone(says), func(s program.Saying) bool { return s.Metrics == "" })
}

// Logged returns the sayings that are lines of a log.
func Logged(says []program.Saying) []program.Saying {
	return slices.DeleteFunc(slices.Clone(says), func(s program.Saying) bool { return s.Log == "" })
}

// several are counters of one program; figures of a kind add up.
type several []Counter

type named struct {
	name string
	says []program.Saying
	several
}

// Name implements Counter.
func (n named) Name() string { return n.name }

// Read implements Counter.
func (n named) Read(ctx context.Context) (record.Hop, error) {
	var words []record.Hop
	var errs error
	for _, c := range n.several {
		one, err := c.Read(ctx)
		errs = errors.Join(errs, err)
		words = append(words, one)
	}
	return Together(n.name, n.says, words), errs
}

// Together adds up the counts of one program by several sources. A figure that it reports in several ways is unreported if one
// lacks it: a part is not the whole.
func Together(name string, says []program.Saying, words []record.Hop) record.Hop {
	out, told := record.Hop{Name: name}, map[string]int{}
	var sources, unreported []string
	for _, one := range words {
		if one.Source != "" {
			sources = append(sources, one.Source)
		}
		if one.Unreported != "" {
			unreported = append(unreported, one.Unreported)
		}
		into := out.Figures()
		for name, figure := range one.Figures() {
			if *figure != nil {
				add(into[name], **figure)
				told[name]++
			}
		}
	}
	for what, figure := range out.Figures() {
		ways := 0
		for _, some := range [][]program.Saying{Counted(says), Logged(says)} {
			if slices.ContainsFunc(some, func(s program.Saying) bool { return s.What == what }) {
				ways++
			}
		}
		if told[what] < ways {
			*figure = nil
		}
	}
	out.Source, out.Unreported = strings.Join(sources, " and "), strings.Join(unreported, "; ")
	return out
}

// Seen reports whether each of its counters was ever there: lines of a log do not replace a page without counters.
func (n named) Seen() bool {
	return !slices.ContainsFunc(n.several, func(c Counter) bool { return !Seen(c) })
}

// Seen reports whether a program ever reported counts. A page without any of its counters has none, though it can be read.
func Seen(c Counter) bool {
	if page, is := c.(interface{ Seen() bool }); is {
		return page.Seen()
	}
	return true
}

func add(to **uint64, n uint64) {
	if *to != nil {
		n += **to
	}
	*to = &n
}

// Lines gives the lines of a process's log, one by one.
type Lines struct {
	Process string
	Speaks  bool // it should report: with absent: unknown, a log without such a line leaves the count unknown, as does one that was cut
	Each    func(context.Context, func(line string) error) error
	// Rest goes through the lines after the part left out of a log that became too long; cut reports whether any was. nil: no part
	// ever is.
	Rest func(context.Context, func(line string) error) (cut bool, err error)
}

// Log reads the counts of a program in the logs of its processes.
type Log struct {
	Hop  string
	Says []program.Saying
	Logs []Lines
}

// Name implements Counter.
func (l Log) Name() string { return l.Hop }

// Read implements Counter. A log without a matching line counts as none, except for spans left out on purpose, and for all that
// were sent: a program reports those when it ends, so one without a line was killed before, and their number is unknown. It is
// also unknown if a process lacks the line that by the file each ends with, or if a part of a log is left out, unless a running
// total follows it: a part is not the whole.
func (l Log) Read(ctx context.Context) (record.Hop, error) {
	out := record.Hop{Name: l.Hop, Source: record.ByLog}
	figures, unknown := out.Figures(), map[string]bool{}
	for _, s := range l.Says {
		pattern, err := output.Compile(s.Log)
		if err != nil {
			return out, fmt.Errorf("the pattern for %s spans of %s: %w", s.What, l.Hop, err)
		}
		for _, log := range l.Logs {
			found, err := logged(ctx, log, pattern, s.Take)
			if err != nil {
				return out, fmt.Errorf("reading what process %s says of %s spans: %w", log.Process, s.What, err)
			}
			switch {
			case found.cut:
				unknown[s.What] = true
				out.Unreported = "a part of the log of process " + log.Process + ", which became too long, is left out"
			case found.said || !atEnd(s):
				add(figures[s.What], found.total)
			case s.Absent == program.AbsentUnknown && log.Speaks:
				unknown[s.What] = true
			}
		}
	}
	for what := range unknown {
		*figures[what] = nil
	}
	return out, nil
}

// atEnd reports whether a program writes it once, when it ends.
func atEnd(s program.Saying) bool {
	return s.Absent == program.AbsentUnknown || s.What == program.SaysSampled || s.What == program.SaysSent && s.Take == takeLast
}

// takeLast marks a running total: its last line counts.
const takeLast = "last"

// found is the result for one process's log.
type found struct {
	total uint64
	said  bool // there was a matching line
	cut   bool // lines may be missing: the total is unknown
}

// logged adds up the numbers in one process's log.
func logged(ctx context.Context, log Lines, pattern *output.Pattern, take string) (found, error) {
	var all found
	if log.Rest != nil {
		var rest found
		cut, err := log.Rest(ctx, rest.reading(pattern, takeLast))
		if err != nil || cut && rest.said && take == takeLast {
			return rest, err
		}
		all.cut = cut
	}
	err := log.Each(ctx, all.reading(pattern, take))
	all.cut = all.cut && (all.said || log.Speaks) // others, such as a database, never report spans
	return all, err
}

// reading returns a function that adds the number in a line, if the pattern matches it, to the sum.
func (f *found) reading(pattern *output.Pattern, take string) func(line string) error {
	group := pattern.SubexpIndex("n")
	return func(line string) error {
		match := pattern.Find(line)
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
