// What every request says besides its method and its path: which process is asked, and its headers.

package config

import (
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
)

// target checks that a request to a path has a port to go to.
func (s *source) target(o *Operation, at place, processes []Process) {
	if !strings.HasPrefix(o.URL, "/") && !strings.HasPrefix(o.URL, dataStart) || len(processes) == 0 {
		return
	}
	s.outermost(o, at, processes)
	p := o.Owner(processes)
	if p.Name != "" && p.Run != nil && !usesPort(p, processes) {
		way := fmt.Sprintf("put {port} into its run or env, or write http://127.0.0.1:PORT%s here", printable(o.URL))
		if at.flag != "" {
			way = "put {port} where the command names its port, hand it over with --env 'PORT={port}', or give a fixed one with --port"
		}
		s.fail(at, "the request goes to a path, but nothing says where process %q listens: %s", p.Name, way)
	}
	if strings.HasPrefix(o.URL, dataStart) { // the whole path comes from the data
		o.URL = "http://127.0.0.1:{port}" + o.URL
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// headers reads header fields; their names are given their usual spelling.
func (s *source) headers(n *node, known []string) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "headers") {
		name := textproto.CanonicalMIMEHeaderKey(e.key)
		switch {
		case !headerName.MatchString(e.key):
			s.fail(e.at, "%q is not the name of a header", printable(e.key))
		case slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection"}, name):
			s.fail(e.at, "the header %s is set by the load generator itself", name)
		default:
			if _, ok := out[name]; ok {
				s.fail(e.at, "header %s is here a second time", name)
			}
			out[name] = s.line(e.value)
			s.placeholders(e.value.at, withoutData(out[name]), known)
		}
	}
	return out
}
