// Bodies of requests.

package config

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"strings"
)

// maxBody is how large all bodies of a file may be together, in bytes: they are
// written into the resolved experiment, which has to be a file that can be read.
const maxBody = 256 << 10

func (s *source) limitedBody(n *node) []byte {
	body := s.body(n)
	s.bodies += len(body)
	if s.bodies > maxBody {
		s.fail(n.at, "the bodies are too large: %d bytes up to here; the most is %d together", s.bodies, maxBody)
		return nil
	}
	return body
}

// body reads a text, "@file", or {text:}, {file:} or {base64:}.
func (s *source) body(n *node) []byte {
	if n.kind != mapping {
		text := s.text(n)
		if file, ok := strings.CutPrefix(text, "@"); ok {
			return s.bodyFile(n, file)
		}
		return []byte(text)
	}
	var out []byte
	s.mapping(n, "body", fields{
		"text": func(v *node) { out = []byte(s.text(v)) },
		"file": func(v *node) { out = s.bodyFile(v, s.line(v)) },
		"base64": func(v *node) {
			var err error
			if out, err = base64.StdEncoding.DecodeString(s.text(v)); err != nil {
				s.fail(v.at, "not base64: %v", err)
			}
		},
	})
	if len(n.entries) != 1 {
		s.fail(n.at, "body has one of text, file and base64")
	}
	return out
}

func (s *source) bodyFile(n *node, file string) []byte {
	if s.open == nil {
		s.fail(n.at, "body: there is no folder to read %q from", printable(file))
		return nil
	}
	text, err := s.open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			s.fail(n.at, "body: there is no file %q beside this one; for a text that begins with @ write {text: \"@…\"}", printable(file))
			return nil
		}
		s.fail(n.at, "body: %v", err)
		return nil
	}
	return text
}
