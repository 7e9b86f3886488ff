package tools

// This file writes what the sink counted for a person to read.

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/record"
)

func progressLine(c record.Counts) string {
	line := fmt.Sprintf("%d %s in %d %s, %d bytes", c.Spans, console.Noun(int(c.Spans), "span"), c.Requests, console.Noun(int(c.Requests), "request"), c.Bytes)
	for _, extra := range []struct {
		n    uint64
		name string
	}{
		{c.Metrics, "data points"}, {c.Logs, "log records"}, {c.Rejected, "rejected"}, {c.Malformed, "requests refused"},
		{c.Duplicate, "duplicates"}, {c.Orphans, "orphans"}, {c.Thrown, "thrown away"},
		{c.Merged, "merged by the tracer"}, {c.Suppressed, "suppressed by the tracer"},
	} {
		if extra.n > 0 {
			line += fmt.Sprintf(", %d %s", extra.n, extra.name)
		}
	}
	return line
}

// printCounts writes the summary that a person reads.
func printCounts(w io.Writer, c record.Counts) error {
	var b strings.Builder
	row := func(name string, n uint64) { fmt.Fprintf(&b, "%-16s %12d\n", name, n) }
	row("requests", c.Requests)
	row("bytes", c.Bytes)
	row("spans", c.Spans)
	row("root spans", c.Roots)
	if c.Checking {
		row("traces", c.Traces)
		row("duplicates", c.Duplicate)
		row("orphans", c.Orphans)
		row("evicted", c.Evicted)
	}
	for _, extra := range []struct {
		name string
		n    uint64
	}{
		{"thrown away", c.Thrown}, {"merged by tracer", c.Merged}, {"suppressed", c.Suppressed},
	} {
		if extra.n > 0 {
			row(extra.name, extra.n)
		}
	}
	row("rejected spans", c.Rejected)
	row("refused requests", c.Malformed)
	row("data points", c.Metrics)
	row("log records", c.Logs)
	for _, by := range []struct {
		title string
		names map[string]uint64
	}{
		{"refused requests by reason", c.Refusals}, {"requests by protocol", c.Protocols}, {"spans by service", c.Services}, {"spans by kind", c.Kinds}, {"roots by name", c.RootNames},
	} {
		printNames(&b, by.title, by.names)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printNames writes the most frequent names of one kind.
func printNames(b *strings.Builder, title string, counts map[string]uint64) {
	const shown = 20
	if len(counts) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	fmt.Fprintf(b, "\n%s\n", title)
	for _, name := range names[:min(shown, len(names))] {
		fmt.Fprintf(b, "%14d  %s\n", counts[name], printable(name))
	}
	if len(names) > shown {
		fmt.Fprintf(b, "%14s  and %d more\n", "", len(names)-shown)
	}
}

// printable writes out what a terminal would obey rather than show: names come
// from whoever sends.
func printable(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}
