// The operations of a plan that use data: where the gaps in their requests are.

package load

import (
	"bytes"
	"context"
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

// readData reads the files that the operations of p use, and gives each its rows.
func (p *plan) readData(ctx context.Context, files *dataFiles) error {
	var users []*gappy
	byFile := map[string][]*gappy{}
	for i, r := range p.task.Operations {
		if r.Data == "" {
			continue
		}
		u, err := newGappy(r, &p.ops[i])
		if err != nil {
			return fmt.Errorf("operation %q: %w", r.Name, err)
		}
		users = append(users, u)
		byFile[r.Data] = append(byFile[r.Data], u)
	}
	for name := range files.kept {
		if byFile[name] == nil {
			delete(files.kept, name)
		}
	}
	for name, of := range byFile {
		if err := files.read(ctx, name, of); err != nil {
			return err
		}
	}
	for _, u := range users {
		u.op.rows = u.rows(files.kept[u.request.Data].table, p.task.Seed)
	}
	return nil
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

// splitMessage is splitBody for a gRPC operation: lengths within a message depend
// on what it holds, so that it cannot have gaps itself.
func splitMessage(r Request) ([]piece, error) {
	if r.Schema != nil {
		m, err := newMessage(r)
		if err != nil {
			return nil, err
		}
		return []piece{{gap: &gap{form: protobuf, message: m}}}, nil
	}
	pieces, err := split(string(r.Body), protobuf, protobuf)
	switch {
	case err != nil:
		return nil, err
	case len(pieces) == 1:
		return pieces, nil
	case len(pieces) != 3 || pieces[0].literal+pieces[2].literal != "":
		return nil, fmt.Errorf("a message with {data.COLUMN} in it needs the descriptor set of its service; without one it must be a single {data.COLUMN}, whose values are whole messages as hex:… or base64:…")
	}
	return pieces, nil
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
