// This file asks whether anything happens in a window of the load.

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// checkAtLeastOne complains of a rate at which nothing happens in the measured window.
func checkAtLeastOne(s *program.Source, n *program.Node, l Load) {
	rate := n.Get("rate")
	if rate == nil {
		return
	}
	complain := func(at *program.Node, perSecond float64) {
		if happens(perSecond, l.Duration) {
			return
		}
		text := program.Printable(at.Text)
		if !strings.Contains(text, "/") {
			text = program.FormatRate(perSecond)
		}
		s.Fail(at.At, "%s for %s is no operation; ask for more, or for longer", text, program.FormatDuration(l.Duration))
	}
	complain(rate, l.Rate)
	if len(l.Rates) == len(rate.Items) {
		for i, perSecond := range l.Rates {
			complain(rate.Items[i], perSecond)
		}
	}
}

// happens reports whether at least one operation falls due at a rate per second; 0 is no rate.
func happens(rate float64, length time.Duration) bool {
	const rounding = 1e-9
	return rate <= 0 || rate*length.Seconds() >= 1-rounding
}

// CheckWindow says which operation is asked for less than once in the measured
// window, nil if none is. Whoever changes the load of an experiment asks it again.
func (e *Experiment) CheckWindow() error {
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			if rate := cmp.Or(o.Rate, level.Load.Rate); !happens(rate, e.Load.For(o).Duration) {
				return fmt.Errorf("operation %q: %s for %s is no operation; ask for more, or for longer",
					program.Printable(o.Name), program.FormatRate(rate), program.FormatDuration(e.Load.For(o).Duration))
			}
		}
	}
	if c := e.Load.search(); c != nil && !happens(c.From, e.Load.Duration) {
		return fmt.Errorf("a probe of %s at %s, from which the search sets out, is no operation; ask for more, or for longer",
			program.FormatDuration(e.Load.Duration), program.FormatRate(c.From))
	}
	return nil
}

// search is the search that the load makes, in its phases or in its pilots; nil
// where there is none.
func (l *Load) search() *RateSearch {
	if l.Relative != nil {
		return &l.Relative.Search
	}
	return l.Capacity
}

// A load in one line.

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
		return "at " + program.FormatRate(l.Rate)
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
	if l.Calls > 0 {
		out += fmt.Sprintf(", at most %d calls", l.Calls)
	}
	return out
}

func rateTexts(rates []float64) []string {
	out := make([]string, len(rates))
	for i, r := range rates {
		out[i] = program.FormatRate(r)
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

// Several shares of what the slowest variant can do, in turn: rate: [33%, 67%, 100%] of slowest.

// ParameterShare is the parameter of a sweep over shares of a rate that differs between operations and is found first.
const ParameterShare = "share"

// ofSlowest reports whether a list has shares of the slowest, and not rates.
func ofSlowest(n *program.Node) bool {
	return n.Kind == program.List && slices.ContainsFunc(n.Items, func(item *program.Node) bool { return strings.HasSuffix(item.Text, " of slowest") })
}

// readSharesIn reads [33% of slowest, 100% of slowest].
func readSharesIn(s *program.Source, n *program.Node) *Relative {
	shares := program.Levels(s, n, "shares of the slowest", func(item *program.Node) float64 {
		share, _ := strings.CutSuffix(s.Text(item), " of slowest")
		return readShareOf(s, item, share)
	})
	return &Relative{Shares: shares, Search: defaultSearch()}
}

// readShares reads 50%, or, as one text with a list in it, [33%, 67%, 100%].
func readShares(s *program.Source, n *program.Node, text string) *Relative {
	within, opens := strings.CutPrefix(text, "[")
	within, closes := strings.CutSuffix(within, "]")
	if !opens || !closes {
		return &Relative{Share: readShareOf(s, n, text), Search: defaultSearch()}
	}
	of := &program.Node{Kind: program.List, At: n.At}
	for share := range strings.SplitSeq(within, ",") {
		of.Items = append(of.Items, &program.Node{Kind: program.Scalar, Text: strings.TrimSpace(share), At: n.At})
	}
	return readSharesIn(s, of)
}

func readShareOf(s *program.Source, n *program.Node, text string) float64 {
	v, err := program.ParseShare(text)
	switch {
	case err != nil:
		s.Fail(n.At, "%v", err)
	case v == 0:
		s.Fail(n.At, "the share of the slowest is more than 0%%, at most 100%%")
	}
	return v
}

// levels are the load at each of several shares; none where there is one.
func (r *Relative) levels(l Load) []Level {
	if r == nil {
		return nil
	}
	var out []Level
	for _, share := range r.Shares {
		one, at := l, Relative{Share: share, Search: r.Search}
		one.Relative = &at
		out = append(out, Level{one, map[string]string{ParameterShare: program.FormatShare(share)}})
	}
	return out
}

// written is the rate as it stands in a file: 50% of slowest, or a list of such.
func (r Relative) written() any {
	if len(r.Shares) == 0 {
		return r.Text()
	}
	texts := make([]string, len(r.Shares))
	for i, share := range r.Shares {
		texts[i] = Relative{Share: share}.Text()
	}
	return program.Inline[string](texts)
}

// Text is "50% of slowest", or "33%, 100% of slowest in turn".
func (r Relative) Text() string {
	if len(r.Shares) == 0 {
		return program.FormatShare(r.Share) + " of slowest"
	}
	texts := make([]string, len(r.Shares))
	for i, share := range r.Shares {
		texts[i] = program.FormatShare(share)
	}
	return strings.Join(texts, ", ") + " of slowest in turn"
}
