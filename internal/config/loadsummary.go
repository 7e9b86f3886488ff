// A load in one line.

package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Summary says how operations are made to happen: "at 400/s", "over 4 connections",
// "over 1, 2, 4 connections in turn", "as fast as it goes, 10 deep".
func (l Load) Summary() string { return l.pace() + l.shape() }

func (l Load) pace() string {
	switch {
	case len(l.Rates) > 0:
		return "at " + strings.Join(rateTexts(l.Rates), ", ") + " in turn"
	case len(l.Levels) > 0:
		return "over " + strings.Join(wholeTexts(l.Levels), ", ") + " connections in turn"
	case l.Relative != nil && l.Rate == 0:
		return "at " + l.Relative.Text()
	case l.Capacity != nil:
		return "in search of " + l.Capacity.Summary()
	case l.Rate > 0:
		return "at " + formatRate(l.Rate)
	case l.Connections == 0:
		return "as fast as it goes"
	}
	return "over " + plural(l.Connections, "connection")
}

// shape says what only self-driving workloads have.
func (l Load) shape() string {
	out := ""
	switch {
	case len(l.Depths) > 0:
		out += ", " + strings.Join(wholeTexts(l.Depths), ", ") + " deep in turn"
	case l.Depth > 0:
		out += fmt.Sprintf(", %d deep", l.Depth)
	}
	switch {
	case len(l.Crowds) > 0:
		out += ", on " + strings.Join(wholeTexts(l.Crowds), ", ") + " threads in turn"
	case l.Threads > 1:
		out += fmt.Sprintf(", on %d threads", l.Threads)
	}
	if l.Busy > 0 {
		out += ", busy for " + formatDuration(l.Busy) + " each"
	}
	if l.Calls > 0 {
		out += fmt.Sprintf(", at most %d calls", l.Calls)
	}
	return out
}

func rateTexts(rates []float64) []string {
	out := make([]string, len(rates))
	for i, r := range rates {
		out[i] = formatRate(r)
	}
	return out
}

func wholeTexts(levels []int) []string {
	out := make([]string, len(levels))
	for i, n := range levels {
		out[i] = strconv.Itoa(n)
	}
	return out
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
