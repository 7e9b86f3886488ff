// This file walks traces in which every span is a map (versions 0.3 and 0.4).

package datadog

import "github.com/tracetax/tracetax/internal/sink/tally"

// walkTraces counts an array of traces, each an array of spans.
func walkTraces(b *tally.Batch, body []byte) error {
	r := reader{rest: body}
	r.list(func() {
		r.list(func() {
			if s := r.span(); r.err == nil {
				s.count(b)
			}
		})
	})
	return r.end()
}

func (r *reader) span() (s span) {
	for n := r.pairs(); n > 0 && r.err == nil; n-- {
		switch string(r.text()) {
		case "service":
			s.service = r.text()
		case "name":
			s.name = r.text()
		case "resource":
			s.resource = r.text()
		case "trace_id":
			s.trace = r.number()
		case "span_id":
			s.id = r.number()
		case "parent_id":
			s.parent = r.number()
		case "meta":
			s.kind = r.tag(kindKey)
		default:
			r.skip()
		}
	}
	return s
}

// tag reads the tags of a span, and returns the one that is wanted.
func (r *reader) tag(wanted string) (value []byte) {
	for n := r.pairs(); n > 0 && r.err == nil; n-- {
		if string(r.text()) == wanted {
			value = r.text()
		} else {
			r.skip()
		}
	}
	return value
}
