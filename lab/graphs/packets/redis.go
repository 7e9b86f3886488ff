package packets

import (
	"bytes"
	"strconv"
	"strings"
)

// resp reads Redis' protocol, its versions 2 and 3.
type resp struct {
	sides  [2]respSide
	pushes bool // the server sends more than answers
}

// respSide holds the place of a stream in a value.
type respSide struct {
	levels []respLevel
	of     *exchange
	pushed bool // it is no answer
	names  bool // the command's name comes next
}

// respLevel is a value with values in it.
type respLevel struct {
	left int64 // values that are yet to come
	note bool  // it precedes the value that it is about
}

const mostName = 64 // bytes of a command's name

func beginsRESP(data []byte, server bool) bool {
	if len(data) < 2 {
		return false
	}
	if server {
		return bytes.IndexByte([]byte("+-:$*_#,(%~>=!|"), data[0]) >= 0
	}
	return data[0] == '*' && data[1] >= '1' && data[1] <= '9'
}

func (r *resp) side(c *conn, server bool) (*respSide, *stream) {
	if server {
		return &r.sides[1], c.server
	}
	return &r.sides[0], c.client
}

func (r *resp) read(c *conn, server bool, data []byte) (int, error) {
	side, s := r.side(c, server)
	line := s.line(data)
	if line == nil {
		if len(data) > mostLine {
			return 0, errLost
		}
		return 0, nil
	}
	size := len(line)
	text := strings.TrimRight(string(line[:min(size, 128)]), "\r\n")
	if text == "" {
		return 0, errLost
	}
	kind, count := text[0], int64(0)
	if bytes.IndexByte([]byte("$=!*~>%|"), kind) >= 0 {
		var err error
		if count, err = strconv.ParseInt(text[1:], 10, 62); err != nil && text[1:] != "?" {
			return 0, errLost
		}
	}
	if side.names && kind == '$' && count >= 0 && count <= mostName {
		if int64(len(data)) < int64(size)+count+2 {
			return 0, nil
		}
		side.of.Method = strings.ToLower(string(data[size : size+int(count)]))
		r.pushes = r.pushes || strings.HasSuffix(side.of.Method, "subscribe") || side.of.Method == "monitor"
		size += int(count) + 2
		side.names = false
		r.value(c, server, s.pos+int64(size))
		return size, nil
	}
	if len(side.levels) == 0 {
		if err := r.begin(c, server, kind, text); err != nil {
			return 0, err
		}
	} else {
		side.names = false
	}
	switch kind {
	case '$', '=', '!':
		if count >= 0 {
			s.skip = count + 2
			return size, nil
		}
	case '*', '~', '>', '%', '|':
		if kind == '%' || kind == '|' {
			count *= 2
		}
		if count > 0 {
			if len(side.levels) >= deepest {
				return 0, errLost
			}
			side.levels = append(side.levels, respLevel{count, kind == '|'})
			return size, nil
		}
	}
	r.value(c, server, s.pos+int64(size))
	return size, nil
}

// begin begins a message with its first line.
func (r *resp) begin(c *conn, server bool, kind byte, text string) error {
	side, _ := r.side(c, server)
	if !server {
		if kind != '*' && (kind < 'A' || kind > 'z') {
			return errLost
		}
		side.of, side.names = c.ask(Redis), kind == '*'
		if kind != '*' { // a command as a person types it
			word, _, _ := strings.Cut(text, " ")
			side.of.Method = strings.ToLower(word)
		}
		return nil
	}
	if !beginsRESP([]byte(text+"\r\n"), true) {
		return errLost
	}
	if side.pushed = kind == '>'; side.pushed {
		return nil
	}
	x := c.oldest()
	if x == nil {
		if !r.pushes {
			return errLost
		}
		side.pushed = true
		return nil
	}
	c.answers(x)
	side.of, x.Status = x, "OK"
	if kind == '-' {
		x.Status, _, _ = strings.Cut(text[1:], " ")
	}
	if kind == '!' {
		x.Status = "ERR"
	}
	return nil
}

// value ends a value with the byte before pos, and what ends with it.
func (r *resp) value(c *conn, server bool, pos int64) {
	side, _ := r.side(c, server)
	for len(side.levels) > 0 {
		top := &side.levels[len(side.levels)-1]
		if top.left--; top.left > 0 {
			return
		}
		note := top.note
		side.levels = side.levels[:len(side.levels)-1]
		if note {
			return
		}
	}
	x := side.of
	side.of, side.names = nil, false
	switch {
	case side.pushed || x == nil:
		side.pushed = false
	case server:
		c.answered(x, pos)
	default:
		c.asked(x, pos)
	}
}

func (r *resp) passed(c *conn, server bool) {
	_, s := r.side(c, server)
	r.value(c, server, s.pos)
}

func (r *resp) closed(*conn, bool) {}
