// Several shares of what the slowest variant can do, in turn: rate: [33%, 67%, 100%] of slowest.

package config

import (
	"slices"
	"strings"
)

// ParameterShare is what a sweep over shares varies: a rate differs from operation to operation, and is found.
const ParameterShare = "share"

// ofSlowest reports whether a list has shares of the slowest, and not rates.
func ofSlowest(n *node) bool {
	return n.kind == list && slices.ContainsFunc(n.items, func(item *node) bool { return strings.HasSuffix(item.text, " of slowest") })
}

// sharesIn reads [33% of slowest, 100% of slowest].
func (s *source) sharesIn(n *node) *Relative {
	shares := levels(s, n, "shares of the slowest", func(item *node) float64 {
		share, _ := strings.CutSuffix(s.text(item), " of slowest")
		return s.shareOf(item, share)
	})
	return &Relative{Shares: shares, Search: defaultSearch()}
}

// shares reads 50%, or, as one text with a list in it, [33%, 67%, 100%].
func (s *source) shares(n *node, text string) *Relative {
	within, opens := strings.CutPrefix(text, "[")
	within, closes := strings.CutSuffix(within, "]")
	if !opens || !closes {
		return &Relative{Share: s.shareOf(n, text), Search: defaultSearch()}
	}
	of := &node{kind: list, at: n.at}
	for share := range strings.SplitSeq(within, ",") {
		of.items = append(of.items, &node{kind: scalar, text: strings.TrimSpace(share), at: n.at})
	}
	return s.sharesIn(of)
}

func (s *source) shareOf(n *node, text string) float64 {
	v, err := parseShare(text)
	switch {
	case err != nil:
		s.fail(n.at, "%v", err)
	case v == 0:
		s.fail(n.at, "the share of the slowest is more than 0%%, at most 100%%")
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
		out = append(out, Level{one, map[string]string{ParameterShare: formatShare(share)}})
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
	return inline[string](texts)
}

// Text is "50% of slowest", or "33%, 100% of slowest in turn".
func (r Relative) Text() string {
	if len(r.Shares) == 0 {
		return formatShare(r.Share) + " of slowest"
	}
	texts := make([]string, len(r.Shares))
	for i, share := range r.Shares {
		texts[i] = formatShare(share)
	}
	return strings.Join(texts, ", ") + " of slowest in turn"
}
