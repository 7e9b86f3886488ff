// This file walks spans in JSON.

package zipkin

import (
	"bytes"

	"github.com/tracetax/tracetax/internal/sink/tally"
	"github.com/tracetax/tracetax/internal/sink/wire"
)

// walkJSON counts a list of spans.
func walkJSON(b *tally.Batch, body []byte) error {
	w := walker{JSON: wire.NewJSON(body)}
	w.endpoint = w.Only("serviceName", func() error { return w.copied(&w.service) })
	return w.List(func() error {
		if err := w.readSpan(); err != nil {
			return err
		}
		w.count(b)
		return nil
	})
}

// walker holds what is known of the span that is being read.
type walker struct {
	*wire.JSON
	span
	endpoint func(name []byte) error
}

func (w *walker) readSpan() error {
	w.span = span{name: w.name[:0], service: w.service[:0]}
	return w.Object(w.member)
}

func (w *walker) member(name []byte) error {
	switch string(name) {
	case "traceId":
		return w.id(w.trace[:], &w.badTrace)
	case "id":
		return w.id(w.span.id[:], &w.badID)
	case "parentId":
		return w.id(w.parent[:], &w.badOwner)
	case "name":
		return w.copied(&w.name)
	case "kind":
		return w.readKind()
	case "localEndpoint":
		return w.Object(w.endpoint)
	case "shared":
		var err error
		w.shared, err = w.Bool()
		return err
	}
	return w.Skip()
}

// id reads an id in hexadecimal digits; null is none.
func (w *walker) id(room []byte, bad *bool) error {
	digits, err := w.Text()
	*bad = err == nil && digits != nil && !wire.Hex(room, digits)
	return err
}

func (w *walker) copied(to *[]byte) error {
	text, err := w.Text()
	*to = append((*to)[:0], text...)
	return err
}

func (w *walker) readKind() error {
	text, err := w.Text()
	w.kind, _ = tally.KindNamed(string(bytes.ToLower(text)))
	return err
}
