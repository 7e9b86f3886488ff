// What an operation can fail of, in the words of Load.Errors.

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/tracetax/tracetax/internal/excerpt"
)

// Failures of a connection that have no error of the kernel.
var (
	errClosedEarly = errors.New("connection closed before the response")
	errCutShort    = errors.New("connection closed in the response")
	errCancelled   = errors.New("cancelled")
	errUnasked     = errors.New("bytes that nobody asked for") // of an idle connection: nothing fails of it
)

// kernelErrors names the errors of connect, read and write that one may meet.
var kernelErrors = map[syscall.Errno]string{
	syscall.ECONNREFUSED:  "connection refused",
	syscall.ECONNRESET:    "connection reset",
	syscall.EPIPE:         "connection reset",
	syscall.ETIMEDOUT:     "connection timed out",
	syscall.EHOSTUNREACH:  "host unreachable",
	syscall.ENETUNREACH:   "network unreachable",
	syscall.EADDRNOTAVAIL: "no local port free",
	syscall.EMFILE:        "too many open files",
	syscall.ENFILE:        "too many open files",
	syscall.EACCES:        "not permitted",
	syscall.EPERM:         "not permitted",
}

// kindOf is the kind of failure that err is counted under. The kinds are few,
// whatever a server does.
func kindOf(err error) string {
	var bad badResponse
	if errors.As(err, &bad) {
		return bad.Error()
	}
	var secure tlsFailure
	if errors.As(err, &secure) {
		return secure.Error()
	}
	if remoteAlert(err) != "" {
		return tlsError(err).Error()
	}
	for _, known := range []error{errClosedEarly, errCutShort, errCancelled} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if kind, ok := kernelErrors[errno]; ok {
			return kind
		}
		return errno.Error()
	}
	return "other"
}

// isTimeout reports whether err is a deadline that passed.
func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &ne) && ne.Timeout()
}

// wrong is the kind of failure of an unexpected status.
func (p *response) wrong() string { return "status " + p.told() }

// redirects reports whether an answer leads elsewhere.
func (p *response) redirects() bool {
	return p.status >= 300 && p.status <= 399 && len(p.fields.location) > 0
}

// told is the status, with where it leads to.
func (p *response) told() string {
	kind, to := strconv.Itoa(p.status), p.fields.location
	if !p.redirects() {
		return kind
	}
	if end := bytes.IndexAny(to, "?#"); end >= 0 { // what follows may differ each time
		to = to[:end]
	}
	return kind + " to " + excerpt.Line(string(to))
}

// wrongSetting explains an error of preparing an engine.
func wrongSetting(what string, err error) error {
	return fmt.Errorf("preparing the load generator: %s: %w", what, err)
}

// listed writes names for an error.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", excerpt.Lines(names[:most], ", "), len(names)-most)
	}
	return excerpt.Lines(names, ", ")
}
