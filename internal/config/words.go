// Commands as people write them: a list of words, or one line split as a shell does.

package config

import (
	"errors"
	"strings"

	"github.com/mattn/go-shellwords"
)

// command reads a list of words or a line. A command must have a first word.
func (s *source) command(n *node, known []string) []string {
	var words []string
	switch n.kind {
	case list:
		words = s.texts(n)
	case scalar:
		var err error
		if words, err = splitWords(s.text(n)); err != nil {
			s.fail(n.at, "%v", err)
			return nil
		}
	default:
		s.fail(n.at, "expected a command: a list of words, or one line of text")
		return nil
	}
	if len(words) == 0 || strings.TrimSpace(words[0]) == "" {
		s.fail(n.at, "the command is empty")
		return nil
	}
	for i, w := range words {
		at := n.at
		if n.kind == list {
			at = n.items[i].at
		}
		s.placeholders(at, w, known)
	}
	return words
}

// splitWords splits as a shell does, quotes and backslashes included, and expands nothing.
func splitWords(line string) ([]string, error) {
	parser := shellwords.NewParser()
	parser.ParseEnv, parser.ParseBacktick = false, false
	words, err := parser.Parse(line)
	if err != nil {
		return nil, errors.New("the command cannot be split into words (an open quote, or brackets?); write it as a list: [program, argument, …]")
	}
	if parser.Position >= 0 {
		return nil, errors.New(`a command is started without a shell, so ; & | < > have no meaning; write [sh, -c, "…"]`)
	}
	return words, nil
}
