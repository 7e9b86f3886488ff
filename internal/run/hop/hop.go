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

// Counter is one program's word.
type Counter interface {
	Name() string
	// Read is what it says until now. A program that cannot be asked is no error: what it says is then unreported.
	Read(ctx context.Context) (record.Hop, error)
}

// Of is a program's word by all that it says, by its page at an address and by its logs.
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

// Counted are the sayings that are counters of a page.
func Counted(says []program.Saying) []program.Saying {
	return slices.DeleteFunc(slices.Clone(says), func(s program.Saying) bool { return s.Metrics == "" })
}

// Logged are those that are lines of a log.
func Logged(says []program.Saying) []program.Saying {
	return slices.DeleteFunc(slices.Clone(says), func(s program.Saying) bool { return s.Log == "" })
}

// several are words of one program; those of a kind add up.
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

// Together is what one program says by words of several kinds: figures add up. Where it says one in several ways and a
// word lacks it, it is unreported: half of it is not all.
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

// Seen reports whether any of its counters was ever there: lines of a log do not make up for a page without them.
func (n named) Seen() bool {
	return !slices.ContainsFunc(n.several, func(c Counter) bool { return !Seen(c) })
}

// Seen reports whether a program ever said anything of itself. A page that never has any of its counters tells nothing,
// though it can be read.
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
	Speaks  bool // it is to say it: with absent: unknown its silence says nothing, and neither does what is missing of its log
	Each    func(context.Context, func(line string) error) error
	// Rest goes through the lines behind what was left out of a log that became too long; cut is whether anything was. nil:
	// nothing ever is.
	Rest func(context.Context, func(line string) error) (cut bool, err error)
}

// Log is what a program says in the logs of its processes.
type Log struct {
	Hop  string
	Says []program.Saying
	Logs []Lines
}

// Name implements Counter.
func (l Log) Name() string { return l.Hop }

// Read implements Counter. A log without such a line says that there was none, but for what is left out on purpose, and for
// all that was sent: of those a program tells when it ends, so one without a line was killed before, and how many they
// were is not known. So it is of what the file says that every process ends with, and of a log of which a part was left out,
// unless a running total stands behind that: half of it is not all.
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

// atEnd is whether a program says it once, when it ends.
func atEnd(s program.Saying) bool {
	return s.Absent == program.AbsentUnknown || s.What == program.SaysSampled || s.What == program.SaysSent && s.Take == takeLast
}

// takeLast is of a running total: its last line counts.
const takeLast = "last"

// found is what one process's log has of a saying.
type found struct {
	total uint64
	said  bool // there was such a line
	cut   bool // lines may be missing, so the total is not known
}

// logged takes the numbers out of one process's log.
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
	all.cut = all.cut && (all.said || log.Speaks) // others, such as a database, say nothing of spans anywhere
	return all, err
}

// reading adds up what lines say.
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
