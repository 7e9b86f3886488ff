package packets

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// memcached reads memcached's text protocol.
type memcached struct {
	asking *exchange // its data is passed over
	mute   bool      // nothing answers it
	ends   bool      // the answer ends with the data that is passed over
}

// memcachedWith are the commands with data, by the place of its size among their words.
var memcachedWith = map[string]int{"set": 4, "add": 4, "replace": 4, "append": 4, "prepend": 4, "cas": 4, "ms": 2}

var memcachedCommands = []string{
	"get", "gets", "gat", "gats", "set", "add", "replace", "append", "prepend", "cas", "delete", "incr", "decr", "touch",
	"mg", "ms", "md", "ma", "mn", "me", "stats", "version", "verbosity", "flush_all", "quit",
}

var memcachedAnswers = []string{
	"VALUE", "END", "STORED", "NOT_STORED", "EXISTS", "NOT_FOUND", "DELETED", "TOUCHED", "OK", "VERSION", "STAT",
	"ERROR", "CLIENT_ERROR", "SERVER_ERROR", "VA", "HD", "EN", "NS", "EX", "NF", "MN", "ME", "RESET",
}

func beginsMemcached(data []byte, server bool) bool {
	at := bytes.IndexAny(data[:min(len(data), 16)], " \r")
	if at < 1 {
		return false
	}
	word := string(data[:at])
	if server {
		_, err := strconv.ParseUint(word, 10, 64) // of incr
		return err == nil || slices.Contains(memcachedAnswers, word)
	}
	return slices.Contains(memcachedCommands, word)
}

func (m *memcached) read(c *conn, server bool, data []byte) (int, error) {
	s := c.client
	if server {
		s = c.server
	}
	line := s.line(data)
	if line == nil {
		if len(data) > mostLine {
			return 0, errLost
		}
		return 0, nil
	}
	words := strings.Fields(string(line))
	if len(words) == 0 || !beginsMemcached(line, server) {
		return 0, errLost
	}
	if server {
		return len(line), m.answer(c, words, s.pos+int64(len(line)))
	}
	return len(line), m.request(c, words, s.pos+int64(len(line)))
}

func (m *memcached) request(c *conn, words []string, pos int64) error {
	x := c.ask(Memcached)
	x.Method = words[0]
	if x.Method == "gets" {
		x.Method = "get" // with a number of the version
	}
	m.asking = x
	m.mute = words[len(words)-1] == "noreply" || words[0] == "quit"
	if place, has := memcachedWith[words[0]]; has {
		size, err := sizeAt(words, place)
		if err != nil {
			return err
		}
		c.client.skip = size + 2
		return nil
	}
	m.asked(c, pos)
	return nil
}

func (m *memcached) asked(c *conn, pos int64) {
	if c.asked(m.asking, pos); m.mute {
		c.unanswered(m.asking)
	}
	m.asking = nil
}

// sizeAt is the size of data that this word says.
func sizeAt(words []string, place int) (int64, error) {
	if len(words) <= place {
		return 0, errLost
	}
	n, err := strconv.ParseInt(words[place], 10, 40)
	if err != nil || n < 0 {
		return 0, errLost
	}
	return n, nil
}

func (m *memcached) answer(c *conn, words []string, pos int64) error {
	x := c.oldest()
	if x == nil {
		return errLost
	}
	c.answers(x)
	if x.Status == "" {
		x.Status = "OK"
	}
	var place int
	switch words[0] {
	case "VALUE":
		place, m.ends = 3, false
	case "VA":
		place, m.ends = 1, true
	case "STAT":
		return nil
	case "ERROR", "CLIENT_ERROR", "SERVER_ERROR":
		x.Status = words[0]
	}
	if place > 0 {
		size, err := sizeAt(words, place)
		c.server.skip = size + 2
		return err
	}
	c.answered(x, pos)
	return nil
}

func (m *memcached) passed(c *conn, server bool) {
	switch {
	case !server:
		m.asked(c, c.client.pos)
	case m.ends && c.oldest() != nil:
		c.answered(c.oldest(), c.server.pos)
	}
}

func (m *memcached) closed(*conn, bool) {}
