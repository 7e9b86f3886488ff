package process

// Checks of readiness, as they are written in workload files.

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Check is how one sees that a process is ready. The zero value is ready at once.
type Check struct {
	text string
	url  string         // http and https
	addr string         // tcp
	line *regexp.Regexp // log

	Header func() (name, value string) // of each HTTP request; nil: none
}

// String is the check as it was written.
func (c Check) String() string { return c.text }

// ParseCheck understands "http://…" (any answer below 500), "tcp://HOST:PORT"
// (a connection is accepted) and "log:REGEXP" (a line of its log matches). ""
// is ready at once.
func ParseCheck(text string) (Check, error) {
	c := Check{text: text}
	switch {
	case text == "":
		return c, nil
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		u, err := url.Parse(text)
		if err != nil {
			return Check{}, fmt.Errorf("ready check %q: %w", text, err)
		}
		if u.Hostname() == "" {
			return Check{}, fmt.Errorf("ready check %q: the host is missing, as in http://127.0.0.1:8080/", text)
		}
		c.url = text
		return c, nil
	case strings.HasPrefix(text, "tcp://"):
		c.addr = strings.TrimSuffix(strings.TrimPrefix(text, "tcp://"), "/")
		if err := checkAddress(c.addr); err != nil {
			return Check{}, fmt.Errorf("ready check %q: %w, as in tcp://127.0.0.1:5432", text, err)
		}
		return c, nil
	case strings.HasPrefix(text, "log:"):
		pattern := strings.TrimPrefix(text, "log:")
		if pattern == "" {
			return Check{}, fmt.Errorf("ready check %q: the regular expression is missing, as in log:listening on", text)
		}
		line, err := regexp.Compile(pattern)
		if err != nil {
			return Check{}, fmt.Errorf("ready check %q: %w", text, err)
		}
		c.line = line
		return c, nil
	}
	return Check{}, fmt.Errorf("ready check %q: write http://HOST:PORT/PATH, tcp://HOST:PORT or log:REGEXP", text)
}

func checkAddress(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("host and port are needed")
	}
	if host == "" {
		return errors.New("the host is missing")
	}
	if n, err := net.LookupPort("tcp", port); err != nil || n == 0 {
		return fmt.Errorf("%q is not a port", port)
	}
	return nil
}

// hostPort is where a URL is asked, with the port of its scheme where it names none.
func hostPort(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
