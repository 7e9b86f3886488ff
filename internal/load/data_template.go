// Finding {data.COLUMN} in the parts of a request, and what each stands for.

package load

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	placeholderStart = "{data."
	rawSuffix        = ":raw" // {data.COLUMN:raw}: as it stands in the file
)

// piece is a literal, or where gap is set a placeholder.
type piece struct {
	literal string
	gap     *gap
}

// gap is a placeholder: a column, and how its values are written in this place.
type gap struct {
	column  string
	form    form
	message *message // gRPC: the whole body
}

// key tells gaps apart that hold different values.
func (g *gap) key() string {
	if g.message != nil {
		return "message\x00" + g.message.key
	}
	return fmt.Sprintf("%d\x00%s", g.form, g.column)
}

// HasData reports whether s holds a placeholder for request data.
func HasData(s string) bool { return strings.Contains(s, placeholderStart) }

// split cuts s at its placeholders; those that do not say :raw are written in
// the given form, the others in the raw one.
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

// splitPath is split for Request.Path: a path that begins with a placeholder
// takes the whole of its target from the file.
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

// splitBody is split for Request.Body, by what kind of text it is.
func splitBody(r Request) ([]piece, error) {
	kind := bodyKind(r)
	pieces, err := split(string(r.Body), kind, plain)
	if err != nil || kind != jsonValue {
		return pieces, err
	}
	quoteJSON(pieces)
	return pieces, nil
}

// bodyKind is how values stand in a body, by its Content-Type; a body without one
// is JSON if it begins like it.
func bodyKind(r Request) form {
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

// quoteJSON finds which placeholders stand within the quotes of a JSON string.
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
