// Processes of a workload.

package config

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// DefaultPatience is how long a process may take to become ready.
const DefaultPatience = 30 * time.Second

var processName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// processFields are the keys that the process of a workload and that of a service
// have; traced is set where the file says it.
func (s *source) processFields(p *Process, traced **bool, known []string) fields {
	return fields{
		"role":     func(v *node) { p.Role = s.role(v) },
		"run":      func(v *node) { p.Run = s.command(v, known) },
		"env":      func(v *node) { maps.Copy(p.Env, s.env(v, known)) },
		"dir":      func(v *node) { p.Dir = s.dir(v, known) },
		"ready":    func(v *node) { p.Ready = s.ready(v, known) },
		"patience": func(v *node) { p.Patience = s.duration(v, time.Millisecond, time.Hour) },
		"cpus":     func(v *node) { p.CPUs = s.number(v, 0, 1024) },
		"memory":   func(v *node) { p.Memory = s.size(v) },
		"traced":   func(v *node) { on := s.flag(v); *traced = &on },
	}
}

// settle says whether a tracer applies to the process: as the file says, otherwise
// to apps.
func (p *Process) settle(traced *bool) {
	p.Traced = p.Role == role.App
	if traced != nil {
		p.Traced = *traced
	}
}

func (s *source) size(n *node) int64 {
	size, err := parseSize(s.text(n))
	if err != nil {
		s.fail(n.at, "%v", err)
	}
	return size
}

func (s *source) dir(n *node, known []string) string {
	dir := s.line(n)
	s.placeholders(n.at, dir, known)
	return filepath.FromSlash(dir)
}

// ready reads how one sees that a process is up.
func (s *source) ready(n *node, known []string) string {
	text := s.line(n)
	s.placeholders(n.at, text, known)
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case "http":
		if err := checkURL(text); err != nil {
			s.fail(n.at, "ready: %v", err)
		}
	case "tcp":
		if !strings.HasPrefix(rest, "//") || !strings.Contains(rest[2:], ":") {
			s.fail(n.at, "ready: %q is not tcp://host:port", printable(text))
		} else if err := checkURL(text); err != nil {
			s.fail(n.at, "ready: %v", err)
		}
	case "log":
		if _, err := regexp.Compile(rest); err != nil {
			s.fail(n.at, "ready: not a regular expression: %v", err)
		}
	case "unix":
		s.fail(n.at, "a Unix socket cannot be asked: have the program listen on 127.0.0.1, and write tcp://host:port (or log:REGEXP)")
	case "https":
		s.fail(n.at, "not supported yet: readiness over https; use tcp://host:port")
	default:
		s.fail(n.at, "ready must be http://…, tcp://host:port or log:REGEXP, not %q", printable(text))
	}
	return text
}

// checkURL checks an absolute URL that may hold placeholders.
func checkURL(text string) error {
	plain := replace(text, func(string) string { return "1" }, func(string) string { return "1" }, nil)
	u, err := url.Parse(plain)
	if err != nil || u.Host == "" {
		return &urlError{text}
	}
	return checkPort(u.Port(), text)
}

// checkPort checks the port of an address, "" where it has none.
func checkPort(port, address string) error {
	if port == "" {
		return nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("%q: a port is 1 to %d, not %s", printable(address), maxPort, printable(port))
	}
	return nil
}

type urlError struct{ text string }

func (e *urlError) Error() string {
	return "\"" + printable(e.text) + "\" is not a URL such as http://127.0.0.1:{port}/health"
}

// role is one that a workload may give to a process.
func (s *source) role(n *node) role.Role {
	var names []string
	for _, r := range role.Named() {
		names = append(names, string(r))
	}
	return role.Role(s.oneOf(n, "role", names...))
}
