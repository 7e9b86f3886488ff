package packets

import (
	"bytes"
	"strconv"
	"strings"
)

// resp reads one direction of Redis' protocol, its versions 2 and 3.
type resp struct {
	levels []respLevel
	of     *exchange // the call of the message; nil is none
	names  bool      // the command's name comes next
}

// respLevel is a value with values in it.
type respLevel struct {
	left int64 // values that are yet to come
	note bool  // it precedes the value that it is about
}

// Kinds of values of a server: those of a line, those whose length in bytes a line tells, and those of other values.
const (
	respLines  = "+-:_#,("
	respBytes  = "$=!"
	respValues = "*~>%|"
	respKinds  = respLines + respBytes + respValues
)

const mostName = 64 // bytes of a command's name

func beginsRESP(data []byte, server bool) bool {
	if len(data) < 2 {
		return false
	}
	if server {
		return strings.IndexByte(respKinds, data[0]) >= 0
	}
	return data[0] == '*' && data[1] >= '1' && data[1] <= '9'
}

func (r *resp) read(s *stream, data []byte) (taken, error) {
	line, err := s.line(data)
	if line == nil {
		return taken{}, err
	}
	text := bytes.TrimRight(line[:min(len(line), 128)], "\r\n")
	if len(text) == 0 {
		return taken{}, errLost
	}
	kind, count := text[0], int64(0)
	ofBytes, ofValues := strings.IndexByte(respBytes, kind) >= 0, strings.IndexByte(respValues, kind) >= 0
	if (ofBytes || ofValues) && string(text[1:]) != "?" {
		if count, err = strconv.ParseInt(string(text[1:]), 10, 62); err != nil {
			return taken{}, errLost
		}
	}
	out := taken{n: len(line)}
	switch {
	case r.names && kind == '$' && count >= 0 && count <= mostName:
		end := len(line) + int(count)
		if len(data) < end+2 {
			return taken{}, nil
		}
		r.of.Method, r.names = strings.ToLower(string(data[len(line):end])), false
		s.conn.pushes = s.conn.pushes || strings.HasSuffix(r.of.Method, "subscribe") || r.of.Method == "monitor"
		return taken{n: end + 2, of: r.value()}, nil
	case len(r.levels) > 0:
		r.names = false
	case !s.serves():
		err = r.ask(s.conn, kind, text)
	default:
		err = r.answer(s.conn, kind, text)
	}
	switch {
	case err != nil || ofValues && len(r.levels) >= deepest:
		return taken{}, errLost
	case ofBytes && count >= 0:
		out.skip = count + 2
	case ofValues && count > 0:
		if kind == '%' || kind == '|' {
			count *= 2
		}
		r.levels = append(r.levels, respLevel{count, kind == '|'})
		return out, nil
	}
	out.of = r.value()
	return out, nil
}

// ask begins a request with its first line.
func (r *resp) ask(c *conn, kind byte, text []byte) error {
	if kind != '*' && (kind < 'A' || kind > 'z') {
		return errLost
	}
	r.of, r.names = c.ask(Redis), kind == '*'
	if kind != '*' { // a command as a person types it
		word, _, _ := bytes.Cut(text, []byte{' '})
		r.of.Method = strings.ToLower(string(word))
	}
	return nil
}

// answer begins an answer with its first line, or what is none.
func (r *resp) answer(c *conn, kind byte, text []byte) error {
	x := c.oldest()
	switch {
	case strings.IndexByte(respKinds, kind) < 0 || x == nil && kind != '>' && !c.pushes:
		return errLost
	case x == nil || kind == '>':
		return nil
	}
	c.answers(x)
	r.of, x.Status = x, "OK"
	switch kind {
	case '-':
		word, _, _ := bytes.Cut(text[1:], []byte{' '})
		x.Status = string(word)
	case '!':
		x.Status = "ERR"
	}
	return nil
}

// value ends a value, and what ends with it: the call of a whole message is returned, nil where there is none.
func (r *resp) value() *exchange {
	for len(r.levels) > 0 {
		top := &r.levels[len(r.levels)-1]
		if top.left--; top.left > 0 {
			return nil
		}
		note := top.note
		r.levels = r.levels[:len(r.levels)-1]
		if note {
			return nil
		}
	}
	x := r.of
	r.of, r.names = nil, false
	return x
}
