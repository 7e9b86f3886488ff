// Where a service receives spans, and the pages on which programs say what became of them.
package spec

import (
	"net/url"
	"slices"

	"github.com/tracetax/tracetax/internal/protocol"
)

// page reads where a page of counters is.
func (s *source) page(n *node) string {
	text := s.line(n)
	s.placeholders(n.at, text, runPlaceholders)
	plain := replace(text, func(string) string { return "1" }, nil, nil)
	if u, err := url.Parse(plain); err != nil || u.Scheme != "http" || u.Host == "" {
		s.fail(n.at, "%q is not a page such as http://127.0.0.1:{port.metrics}/metrics", printable(text))
	}
	return text
}

// receives reads which protocols a service takes spans in by, each with its address.
func (s *source) receives(n *node) map[protocol.Name]string {
	out := map[protocol.Name]string{}
	var words []string
	for _, r := range protocol.Table {
		words = append(words, r.Word)
	}
	for _, e := range s.entries(n, "receives") {
		i := slices.Index(words, e.key)
		if i < 0 {
			s.fail(e.at, "%s", unknown("protocol", printable(e.key), words))
			continue
		}
		text := s.line(e.value)
		s.placeholders(e.value.at, text, runPlaceholders)
		out[protocol.Table[i].Name] = text
	}
	return out
}
