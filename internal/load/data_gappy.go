// Requests with gaps, which rows of data fill.

package load

import (
	"bytes"
	"errors"
	"fmt"
)

// gappy is an operation whose request a row fills.
type gappy struct {
	op      *operation
	request Request
	path    []piece
	headers [][]piece
	head    []piece // as it goes over the wire, path and headers in it
	body    []piece
}

// newGappy finds the gaps in r.
func newGappy(r Request, op *operation) (*gappy, error) {
	u := &gappy{op: op, request: r}
	var err error
	if u.path, err = splitPath(r.Path); err != nil {
		return nil, err
	}
	for _, h := range r.Headers {
		value, err := split(h.Value, field, field)
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", h.Name, err)
		}
		u.headers = append(u.headers, value)
	}
	if r.GRPC {
		u.body, err = splitMessage(r)
	} else {
		u.body, err = splitBody(r)
	}
	if err != nil {
		return nil, err
	}
	u.head = u.splitHead()
	return u, nil
}

// splitHead renders the request with a mark for each gap, and cuts it there.
func (u *gappy) splitHead() []piece {
	const mark = 0 // which neither a path nor a header may hold
	var gaps []piece
	marked := func(pieces []piece) string {
		var b bytes.Buffer
		for _, p := range pieces {
			b.WriteString(p.literal)
			if p.gap != nil {
				b.WriteByte(mark)
				gaps = append(gaps, p)
			}
		}
		return b.String()
	}
	r := u.request
	r.Path = marked(u.path)
	r.Headers = make([]Header, len(u.headers))
	for i, value := range u.headers {
		r.Headers[i] = Header{Name: u.request.Headers[i].Name, Value: marked(value)}
	}
	parts := bytes.Split(renderHead(r), []byte{mark})
	pieces := []piece{{literal: string(parts[0])}}
	for i, part := range parts[1:] {
		pieces = append(pieces, gaps[i], piece{literal: string(part)})
	}
	return pieces
}

// rows returns what u sends, with the values from t.
func (u *gappy) rows(t *table, seed uint64) *rows {
	return &rows{
		table:   t,
		random:  u.request.Order == Random,
		seed:    seed,
		head:    t.text(u.head),
		body:    t.text(u.body),
		hasBody: saysLength(u.request),
	}
}

// checkData says what is wrong with the placeholders and with a message in JSON,
// as far as it can be told without the data.
func (r Request) checkData() error {
	if r.Data != "" {
		_, err := newGappy(r, nil)
		return err
	}
	_, err := r.encoded()
	return err
}

// splitMessage is splitBody for a gRPC operation: lengths within a message depend
// on what it holds, so that it cannot have gaps itself.
func splitMessage(r Request) ([]piece, error) {
	if r.Schema != nil {
		m, err := newMessage(r)
		if err != nil {
			return nil, err
		}
		return []piece{{gap: &gap{message: m}}}, nil
	}
	if HasData(string(r.Body)) {
		return nil, errors.New("a message with {data.COLUMN} in it needs the descriptor set of its service, and is written in JSON")
	}
	return []piece{{literal: string(r.Body)}}, nil
}

// text turns pieces into a text whose gaps are columns of t.
func (t *table) text(pieces []piece) text {
	x := text{literals: []string{""}}
	for _, p := range pieces {
		if p.gap == nil {
			x.literals[len(x.literals)-1] += p.literal
			continue
		}
		x.gaps = append(x.gaps, t.index[p.gap.key()])
		x.literals = append(x.literals, "")
	}
	return x
}
