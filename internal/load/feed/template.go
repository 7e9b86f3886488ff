// Finding {data.COLUMN} in the parts of a request.

package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
)

const (
	placeholderStart = "{data."
	rawSuffix        = ":raw" // {data.COLUMN:raw}: as it stands in the file
)

// piece is a literal, or a placeholder if gap is set.
type piece struct {
	literal string
	gap     *gap
}

// gap is a placeholder: a column, and the form of its values in this place.
type gap struct {
	column  string
	form    form
	message *message // gRPC: the whole body
}

// key differs between gaps that hold different values.
func (g *gap) key() string {
	if g.message != nil {
		return "message\x00" + g.message.key
	}
	return fmt.Sprintf("%d\x00%s", g.form, g.column)
}

// HasData reports whether s holds a placeholder for request data.
func HasData(s string) bool { return strings.Contains(s, placeholderStart) }

// split cuts s at its placeholders; those without :raw are written in the usual form, the others in the raw one.
func split(s string, usual, raw form) ([]piece, error) {
	var pieces []piece
	for {
		before, rest, found := strings.Cut(s, placeholderStart)
		pieces = append(pieces, piece{literal: before})
		if !found {
			return pieces, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || strings.ContainsAny(name, "{\r\n") {
			return nil, fmt.Errorf("the placeholder %.40q is not closed with }", placeholderStart+rest)
		}
		g := &gap{column: name, form: usual}
		if column, ok := strings.CutSuffix(name, rawSuffix); ok {
			g.column, g.form = column, raw
		}
		if g.column == "" {
			return nil, fmt.Errorf("the placeholder %s%s} names no column", placeholderStart, name)
		}
		pieces = append(pieces, piece{gap: g})
		s = after
	}
}

// without returns s with every placeholder replaced.
func without(s, by string) (string, error) {
	pieces, err := split(s, plain, plain)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range pieces {
		if p.gap != nil {
			b.WriteString(by)
		}
		b.WriteString(p.literal)
	}
	return b.String(), nil
}

// splitPath is split for Request.Path: a path that begins with a placeholder takes the whole of its target from the file.
func splitPath(path string) ([]piece, error) {
	pieces, err := split(path, percent, targetPart)
	if err != nil || len(pieces) < 2 || pieces[0].literal != "" {
		return pieces, err
	}
	first := pieces[1].gap
	if first.form != targetPart {
		return nil, fmt.Errorf("path %q: want it to begin with /, or with {data.%s:raw} where the file holds whole paths", path, first.column)
	}
	first.form = target0
	return pieces, nil
}

// splitBody is split for Request.Body, by the kind of its text.
func splitBody(r load.Request) ([]piece, error) {
	kind := bodyKind(r)
	pieces, err := split(string(r.Body), kind, plain)
	if err != nil || kind != jsonValue {
		return pieces, err
	}
	quoteJSON(pieces)
	return pieces, nil
}

// bodyKind returns the form of values in a body, by its Content-Type; a body without one is JSON if it begins like it.
func bodyKind(r load.Request) form {
	for _, h := range r.Headers {
		if !strings.EqualFold(h.Name, "content-type") {
			continue
		}
		kind, _, _ := strings.Cut(strings.ToLower(h.Value), ";")
		switch kind = strings.TrimSpace(kind); {
		case strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "ndjson"):
			return jsonValue
		case kind == "application/x-www-form-urlencoded":
			return percent
		}
		return plain
	}
	start := bytes.TrimLeft(r.Body, " \t\r\n")
	if len(start) > 0 && (start[0] == '[' || start[0] == '{' && !bytes.HasPrefix(start, []byte(placeholderStart))) {
		return jsonValue
	}
	return plain
}

// gaps are placeholders that rows of data and earlier answers fill.
var gaps = regexp.MustCompile(`\{(?:data|take)\.[^{}]*\}`)

// IsJSON reports whether the body of a request without a Content-Type is JSON, whatever fills its placeholders.
func IsJSON(r load.Request) bool {
	named := slices.ContainsFunc(r.Headers, func(h load.Header) bool { return strings.EqualFold(h.Name, "content-type") })
	return !named && !r.GRPC && bodyKind(r) == jsonValue && json.Valid(gaps.ReplaceAll(r.Body, []byte("0")))
}

// quoteJSON marks the placeholders within the quotes of a JSON string.
func quoteJSON(pieces []piece) {
	quoted, escaped := false, false
	for _, p := range pieces {
		if p.gap != nil {
			if quoted && p.gap.form == jsonValue {
				p.gap.form = jsonQuoted
			}
			continue
		}
		for i := range len(p.literal) {
			switch c := p.literal[i]; {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = quoted
			case c == '"':
				quoted = !quoted
			}
		}
	}
}

// Requests with gaps, which rows of data fill.

// gappy is a request that a row fills.
type gappy struct {
	request load.Request
	path    []piece
	headers [][]piece
	head    []piece // as sent, with path and headers
	body    []piece
}

// newGappy finds the gaps in r.
func newGappy(r load.Request) (*gappy, error) {
	u := &gappy{request: r}
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
	const mark = 0 // not allowed in a path or a header
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
	r.Headers = make([]load.Header, len(u.headers))
	for i, value := range u.headers {
		r.Headers[i] = load.Header{Name: u.request.Headers[i].Name, Value: marked(value)}
	}
	parts := bytes.Split(renderHead(r), []byte{mark})
	pieces := []piece{{literal: string(parts[0])}}
	for i, part := range parts[1:] {
		pieces = append(pieces, gaps[i], piece{literal: string(part)})
	}
	return pieces
}

// rows returns the requests of u, with the values from t.
func (u *gappy) rows(t *table, seed uint64) *Rows {
	return &Rows{
		table:   t,
		random:  u.request.Order == load.Random,
		seed:    seed,
		head:    t.text(u.head),
		body:    t.text(u.body),
		hasBody: saysLength(u.request),

		ByConnection: u.request.Order == load.ByConnection,
	}
}

// splitMessage is splitBody for a gRPC operation: lengths within a message depend on its values, so it cannot have gaps itself.
func splitMessage(r load.Request) ([]piece, error) {
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

// The forms of a data file's value in each part of a request.

// form is a way of writing a value.
type form int

const (
	plain      form = iota // as it stands
	percent                // percent-encoded: in a path, a query or a form
	target0                // as it stands at the beginning of a path: /a?b
	targetPart             // as it stands within a path
	field                  // as it stands in a header
	jsonQuoted             // within the quotes of a JSON string
	jsonValue              // a JSON value of its own
)

// cell is a value of a data file.
type cell struct {
	text string
	json []byte // the value as JSON; nil in CSV, which has no types
}

// append writes c in the form f.
func (f form) append(b []byte, c cell) ([]byte, error) {
	switch f {
	case percent:
		return appendPercent(b, c.text), nil
	case target0, targetPart:
		return appendTarget(b, c.text, f == target0)
	case field:
		if !isValue(c.text) {
			return nil, errors.New("holds control characters, which a header must not")
		}
	case jsonQuoted:
		return appendQuoted(b, c.text)
	case jsonValue:
		if c.json != nil {
			return append(b, c.json...), nil
		}
	}
	return append(b, c.text...), nil
}

// Percent returns a value as it stands in a path or a query.
func Percent(value string) string { return string(appendPercent(nil, value)) }

// BodyWith returns the body of r with values in the place of each {NAME}, in the form of its kind: escaped in JSON, percent-encoded
// in a form.
func BodyWith(r load.Request, values map[string]string) ([]byte, error) {
	kind := bodyKind(r)
	if kind == jsonValue {
		kind = jsonQuoted // outside of quotes stand values that need no escapes
	}
	var pairs []string
	for name, value := range values {
		text, err := kind.append(nil, cell{text: value})
		if err != nil {
			return nil, fmt.Errorf("{%s}: %w", name, err)
		}
		pairs = append(pairs, "{"+name+"}", string(text))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(r.Body))), nil
}

// appendPercent encodes all but the unreserved characters of RFC 3986, section 2.3.
func appendPercent(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hex[c>>4], hex[c&15])
	}
	return b
}

func appendTarget(b []byte, s string, first bool) ([]byte, error) {
	if first && !strings.HasPrefix(s, "/") {
		return nil, fmt.Errorf("is %.40q: want a path that begins with /", s)
	}
	if hasBlank(s) {
		return nil, fmt.Errorf("is %.40q: spaces and control characters must be percent-encoded", s)
	}
	return append(b, s...), nil
}

// hasBlank reports whether s holds bytes that are not allowed in a request's target.
func hasBlank(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f })
}

// appendQuoted escapes s for the inside of a JSON string.
func appendQuoted(b []byte, s string) ([]byte, error) {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("cannot be written in JSON: %w", err)
	}
	q := bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))
	return append(b, q[1:len(q)-1]...), nil
}
