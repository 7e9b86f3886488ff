// Processes of a workload.

package config

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
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

// The processes that a workload's or a tracer's file lists.

// processAs reads a process; what names it in errors. Before its keys, or those of the service
// that it is, stands what p has; more are keys besides; settled says at last whether it is traced,
// where nil is as the file says.
func (s *source) processAs(n *node, what string, p Process, known []string, more fields, settled func(*Process)) Process {
	p.Patience, p.Env = DefaultPatience, map[string]string{}
	service := n.get("service")
	if service != nil {
		if of, ok := s.ofService(service); ok {
			p = of
		}
	} else {
		known = without(known, "service")
	}
	var traced *bool
	keys := s.processFields(&p, &traced, known)
	keys["name"] = func(v *node) {
		p.Name = s.line(v)
		if !processName.MatchString(p.Name) {
			s.fail(v.at, "process %q: a name has lower-case letters, digits, - and _, and begins with a letter", printable(p.Name))
		}
	}
	keys["service"] = func(*node) {} // read above: the other keys win over it
	maps.Copy(keys, more)
	if !s.mapping(n, what, keys) {
		return p
	}
	switch {
	case settled != nil:
		settled(&p)
	case service == nil || n.get("role") != nil || traced != nil:
		p.settle(traced)
	}
	if n.get("name") == nil {
		s.lacks(n, "name", n.at, "a process needs a name")
	}
	if n.get("run") == nil && service == nil && !slices.Contains(n.meant, "service") {
		s.lacks(n, "run", n.at, "a process needs run: the command that starts it")
	}
	return p
}

func (s *source) processes(n *node, known []string) []Process {
	if n.kind != list {
		s.fail(n.at, "processes must be a list, not %s", n.kind)
		return nil
	}
	if len(n.items) == 0 {
		s.fail(n.at, "processes is empty; name at least the program itself")
	}
	seen := map[string]bool{}
	var out []Process
	for _, item := range n.items {
		p := s.process(item, known)
		if seen[p.Name] && p.Name != "" {
			s.fail(item.at, "a second process called %q", p.Name)
		}
		seen[p.Name] = true
		out = append(out, p)
	}
	return out
}

func (s *source) process(n *node, known []string) Process {
	var templates *node
	p := s.processAs(n, "a process", Process{Role: role.App}, known, fields{"templates": func(v *node) { templates = v }}, nil)
	if templates != nil {
		p.Templates = s.ownTemplates(templates, known)
	}
	return p
}

// processPorts are the placeholders {NAME.port} and {NAME.port.FURTHER} of those of a list of
// processes that is not read yet which are wanted; nil: of all.
func (s *source) processPorts(n *node, wanted func(*node) bool) []string {
	var out []string
	if n == nil {
		return nil
	}
	for _, item := range n.items {
		name := item.get("name")
		if name == nil || name.kind != scalar || wanted != nil && !wanted(item) {
			continue
		}
		for _, word := range append([]string{"port"}, s.ownPorts(item)...) {
			out = append(out, name.text+"."+word)
		}
	}
	return out
}

// ownPorts are the placeholders of further ports in all texts of a process that is not read yet, and in its templates.
func (s *source) ownPorts(n *node) []string {
	out := further(Placeholders(n.text))
	for _, item := range n.items {
		out = append(out, s.ownPorts(item)...)
	}
	for _, e := range n.entries {
		out = append(out, s.ownPorts(e.value)...)
	}
	if templates := n.get("templates"); templates != nil && s.files != nil {
		for _, one := range append([]*node{templates}, templates.items...) {
			out = append(out, further(Placeholders(s.templateText(one.text)))...)
		}
	}
	return out
}

// The texts of a process, and the placeholders in them.

// Words are the placeholders in all texts of a process of a plan, those of the service that it is among them.
func (p Process) Words() []string {
	all := slices.Concat(texts(p), []string{p.Page}, slices.Sorted(maps.Values(p.Templates)))
	if p.Service != nil {
		all = append(append(all, slices.Sorted(maps.Values(p.Service.Receives))...), p.Service.Metrics)
	}
	return wordsOf(all)
}

// texts are the texts of a process that may hold placeholders.
func texts(p Process) []string {
	out := append([]string{p.Ready, p.Dir}, p.Run...)
	for _, v := range p.Env {
		out = append(out, v)
	}
	return out
}

func wordsOf(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, Placeholders(text)...)
	}
	return out
}

// usesPort reports whether a process is told its port, by itself or by another one.
func usesPort(p Process, processes []Process) bool {
	if slices.Contains(p.Words(), "port") {
		return true
	}
	return slices.ContainsFunc(processes, func(q Process) bool { return slices.Contains(q.Words(), p.Name+".port") })
}

// FurtherPorts are those that the texts of a process have placeholders for, each once: port.admin.
func (p Process) FurtherPorts() []string { return further(p.Words()) }

func further(words []string) []string {
	var out []string
	for _, word := range words {
		if strings.HasPrefix(word, PortPrefix) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}
