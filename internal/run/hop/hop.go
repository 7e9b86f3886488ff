// Package hop owns what programs on the way of spans say that they did with them: in their logs, on a page of counters,
// and by the files that they leave. It must not know how the programs are started, nor what their
// word is used for.
package hop

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// Counter is one program's word.
type Counter interface {
	Name() string
	// Read is what it says until now. A program that cannot be asked is no error: what it says is then untold.
	Read(ctx context.Context) (record.Hop, error)
}

// Of is a program's word by all that it says, by its page at an address and by its logs.
func Of(name string, says []config.Saying, page string, logs []Lines) Counter {
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
func Counted(says []config.Saying) []config.Saying {
	return slices.DeleteFunc(slices.Clone(says), func(s config.Saying) bool { return s.Metrics == "" })
}

// Logged are those that are lines of a log.
func Logged(says []config.Saying) []config.Saying {
	return slices.DeleteFunc(slices.Clone(says), func(s config.Saying) bool { return s.Log == "" })
}

// several are words of one program; those of a kind add up.
type several []Counter

type named struct {
	name string
	says []config.Saying
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
// word lacks it, it is untold: half of it is not all.
func Together(name string, says []config.Saying, words []record.Hop) record.Hop {
	out, told := record.Hop{Name: name}, map[string]int{}
	var sources, untold []string
	for _, one := range words {
		sources = append(sources, one.Source)
		if one.Untold != "" {
			untold = append(untold, one.Untold)
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
		for _, some := range [][]config.Saying{Counted(says), Logged(says)} {
			if slices.ContainsFunc(some, func(s config.Saying) bool { return s.What == what }) {
				ways++
			}
		}
		if told[what] < ways {
			*figure = nil
		}
	}
	out.Source, out.Untold = strings.Join(sources, " and "), strings.Join(untold, "; ")
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
