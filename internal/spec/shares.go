// Several shares of what the slowest variant can do, in turn: rate: [33%, 67%, 100%] of slowest.
package spec

import (
	"regexp"
	"slices"
	"strings"
)

// ParameterShare is what a sweep over shares varies: a rate differs from operation to operation, and is found.
const ParameterShare = "share"

// sharesText is a list of them, as one text: to YAML it is a list with something behind it, and so it has quotes there.
var sharesText = regexp.MustCompile(`^\[([^\[\]]*)\]$`)

// shares reads 50%, or [33%, 67%, 100%].
func (s *source) shares(n *node, text string) (r Relative) {
	list := sharesText.FindStringSubmatch(strings.TrimSpace(text))
	parts := []string{text}
	if list != nil {
		parts = strings.Split(list[1], ",")
	}
	if len(parts) > maxLevels {
		s.fail(n.at, "a list of shares has 1 to %d of them, not %d", maxLevels, len(parts))
		return r
	}
	for _, part := range parts {
		v, err := parseShare(strings.TrimSpace(part))
		switch {
		case err != nil:
			s.fail(n.at, "%v", err)
		case v == 0:
			s.fail(n.at, "the share of the slowest is more than 0%%, at most 100%%")
		case slices.Contains(r.Shares, v):
			s.fail(n.at, "%s is here a second time", printable(strings.TrimSpace(part)))
		}
		r.Shares = append(r.Shares, v)
	}
	if list == nil {
		r.Share, r.Shares = r.Shares[0], nil
	}
	return r
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

// text is the rate as it is written: "50% of slowest", "[33%, 100%] of slowest".
func (r Relative) text() string {
	if len(r.Shares) == 0 {
		return formatShare(r.Share) + " of slowest"
	}
	texts := make([]string, len(r.Shares))
	for i, share := range r.Shares {
		texts[i] = formatShare(share)
	}
	return "[" + strings.Join(texts, ", ") + "] of slowest"
}
