// This file reads the keys of a load that may be one value or a list of them to sweep.

package config

import (
	"slices"
	"strings"
)

// loadRate reads 400/s, [100/s, 200/s] or 50% of slowest.
func (s *source) loadRate(n *node, l *Load) {
	if ofSlowest(n) {
		l.Relative = s.sharesIn(n)
		return
	}
	if n.kind == list {
		l.Rates = levels(s, n, "rates", s.rate)
		return
	}
	text := s.text(n)
	share, of, relative := strings.Cut(text, " of ")
	if !relative && strings.HasSuffix(text, "slowest") {
		s.fail(n.at, "%q is not a rate; write 50%% of slowest", printable(text))
		return
	}
	if !relative {
		l.Rate = s.rate(n)
		return
	}
	if of = strings.TrimSpace(of); of != "slowest" {
		s.fail(n.at, "%s (a rate is a share of what the slowest variant can do: 50%% of slowest)", unknown("reference", printable(of), []string{"slowest"}))
		return
	}
	l.Relative = s.shares(n, strings.TrimSpace(share))
}

// connections reads 4, or [1, 2, 4].
func (s *source) connections(n *node, l *Load) {
	read := func(v *node) int { return s.whole(v, 1, maxConnections) }
	if n.kind == list {
		l.Levels = levels(s, n, "numbers of connections", read)
		return
	}
	l.Connections = read(n)
}

// oneOrMore reads a whole number from 1, or a list of them.
func (s *source) oneOrMore(n *node, what string, most int) (one int, several []int) {
	read := func(v *node) int { return s.whole(v, 1, most) }
	if n.kind == list {
		return 0, levels(s, n, what, read)
	}
	return read(n), nil
}

// levels reads the list of what is swept; each is there once.
func levels[T comparable](s *source, n *node, what string, read func(*node) T) []T {
	if len(n.items) == 0 || len(n.items) > maxLevels {
		s.fail(n.at, "a list of %s has 1 to %d of them, not %d", what, maxLevels, len(n.items))
		return nil
	}
	out := make([]T, 0, len(n.items))
	for _, item := range n.items {
		before := len(s.problems)
		v := read(item)
		if len(s.problems) > before {
			continue
		}
		if slices.Contains(out, v) {
			s.fail(item.at, "%s is here a second time", printable(item.text))
		}
		out = append(out, v)
	}
	return out
}

// swept are the keys of which the load has several values.
func (l *Load) swept() []string {
	var out []string
	shares := 0
	if l.Relative != nil {
		shares = len(l.Relative.Shares)
	}
	for _, one := range []struct {
		key string
		n   int
	}{{"rate", len(l.Rates) + shares}, {"connections", len(l.Levels)}, {"depth", len(l.Depths)}, {"threads", len(l.Crowds)}} {
		if one.n > 0 {
			out = append(out, one.key)
		}
	}
	return out
}
