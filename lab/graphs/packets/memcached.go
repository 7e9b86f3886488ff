package packets

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// memcachedData are the words that begin a line before data, by the place of its size in bytes among the words of the line.
var memcachedData = map[string]int{
	"set": 4, "add": 4, "replace": 4, "append": 4, "prepend": 4, "cas": 4, "ms": 2,
	"VALUE": 3, "VA": 1,
}

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

// readMemcached reads memcached's text protocol.
func readMemcached(s *stream, data []byte) (taken, error) {
	line, err := s.line(data)
	if line == nil {
		return taken{}, err
	}
	words := strings.Fields(string(line))
	if len(words) == 0 || !beginsMemcached(line, s.serves()) {
		return taken{}, errLost
	}
	out := taken{n: len(line)}
	if s.serves() {
		if out.of = s.conn.oldest(); out.of == nil {
			return taken{}, errLost
		}
		s.conn.answers(out.of)
		switch word := words[0]; {
		case word == "VALUE" || word == "STAT":
			out.of.Status, out.of = "OK", nil // there is more of the answer
		case strings.HasSuffix(word, "ERROR"):
			out.of.Status = word
		default:
			out.of.Status = "OK"
		}
	} else {
		out.of = s.conn.ask(Memcached)
		out.of.Method, out.of.mute = words[0], words[len(words)-1] == "noreply" || words[0] == "quit"
		if words[0] == "gets" {
			out.of.Method = "get" // with a number of the version
		}
	}
	place, has := memcachedData[words[0]]
	if !has {
		return out, nil
	}
	if len(words) <= place {
		return taken{}, errLost
	}
	size, err := strconv.ParseInt(words[place], 10, 40)
	if err != nil || size < 0 {
		return taken{}, errLost
	}
	out.skip = size + 2
	return out, nil
}
