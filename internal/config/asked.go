// Which process an operation is asked of, and which answers are right.

package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/role"
)

// statuses reads 200, or [200, 500].
func (s *source) statuses(n *node) []int {
	read := func(v *node) int { return s.whole(v, 100, 599) }
	if n.kind != list {
		return []int{read(n)}
	}
	return levels(s, n, "statuses", read)
}

// Owner is the process that the operation is asked of: the named one (outermost names it where
// there are several of role app), else the first of role app, else the first. There must be at least one.
func (o Operation) Owner(processes []Process) Process {
	is := func(p Process) bool { return p.Role == role.App }
	if o.Process != "" {
		is = func(p Process) bool { return p.Name == o.Process }
	}
	return processes[max(0, slices.IndexFunc(processes, is))]
}

// outermost names the process of an operation that names none where there are several of role app: the one whose port
// no other is given. A callee stands before its caller, so that the first of them is the innermost.
func (s *source) outermost(o *Operation, at place, processes []Process) {
	var apps, outer []string
	for _, p := range processes {
		if p.Role != role.App {
			continue
		}
		apps = append(apps, p.Name)
		if !givenTo(p, processes) {
			outer = append(outer, p.Name)
		}
	}
	if o.Process != "" || len(apps) < 2 {
		return
	}
	if len(outer) != 1 {
		if len(s.problems) > 0 {
			return // that may come of processes which could not be read
		}
		s.fail(at, "the request goes to a path, and several processes could be asked: %s; name one with process: NAME", strings.Join(apps, ", "))
		return
	}
	o.Process = outer[0]
}

// givenTo reports whether another process is told the port of p.
func givenTo(p Process, processes []Process) bool {
	return slices.ContainsFunc(processes, func(q Process) bool {
		return q.Name != p.Name && slices.ContainsFunc(texts(q), func(t string) bool { return slices.Contains(Placeholders(t), p.Name+".port") })
	})
}

func (s *source) processOf(n *node, processes []Process) string {
	name := s.line(n)
	var known []string
	for _, p := range processes {
		known = append(known, p.Name)
	}
	if !slices.Contains(known, name) {
		s.fail(n.at, "%s", unknown("process", printable(name), known))
	}
	return name
}

// spans reads 3, 2..5, or {default: 3, otel-go: 2..5}.
func (s *source) spans(n *node) map[string]Number {
	if n.kind != mapping {
		return map[string]Number{"": s.spanNumber(n)}
	}
	out := map[string]Number{}
	for _, e := range n.entries {
		name := e.key
		if name == "default" {
			name = ""
		}
		out[name] = s.spanNumber(e.value)
	}
	return out
}

func (s *source) spanNumber(n *node) Number {
	low, high, interval := strings.Cut(s.text(n), "..")
	if !interval {
		high = low
	}
	a, err1 := strconv.ParseFloat(low, 64)
	b, err2 := strconv.ParseFloat(high, 64)
	if err1 != nil || err2 != nil || !(a >= 0 && b >= a) || math.IsInf(b, 0) {
		s.fail(n.at, "%q is not a number of spans such as 3, or 2..5", printable(n.text))
		return Number{}
	}
	return Number{a, b}
}
