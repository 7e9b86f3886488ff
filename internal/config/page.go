// Where a service receives spans, and the pages on which programs say what became of them.

package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
)

// page reads where a page of counters is.
func (s *source) page(n *node) string { return s.pageOf(n, runPlaceholders) }

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

func (s *source) pageOf(n *node, known []string) string {
	text := s.line(n)
	s.placeholders(n.at, text, known)
	plain := replace(text, func(string) string { return "1" }, nil, nil)
	if u, err := url.Parse(plain); err != nil || u.Scheme != "http" || u.Host == "" {
		s.fail(n.at, "%q is not a page such as http://127.0.0.1:{port.metrics}/metrics", printable(text))
	}
	return text
}

// answers reads how a backend is asked.
func (s *source) answers(n *node, known []string) Answers {
	var a Answers
	if !s.mapping(n, "answers", fields{
		"spans": func(v *node) { a.Spans = s.pageOf(v, known) },
		"none":  func(v *node) { a.None = int(s.number(v, 100, 599)) },
		"each":  func(v *node) { a.Each = strings.Split(s.line(v), ".") },
	}) {
		return a
	}
	if a.Spans == "" || slices.Contains(a.Each, "") || len(a.Each) == 0 {
		s.fail(n.at, "answers needs spans, where all spans are asked for, and each, the way to one of them: %s", answersExample)
	}
	return a
}
