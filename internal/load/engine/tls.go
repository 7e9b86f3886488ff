// Securing connections, and the names of its failures.

package engine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
)

// Protocols offered in a handshake (ALPN).
const (
	alpnHTTP1 = "http/1.1"
	alpnHTTP2 = "h2"
)

// errNoHTTP2 is the failure of a server that does not agree to gRPC's protocol.
var errNoHTTP2 = tlsFailure("the server does not offer HTTP/2 (ALPN h2)")

// tlsFailure is a failure of TLS, one of few kinds.
type tlsFailure string

func (e tlsFailure) Error() string { return "tls: " + string(e) }

// tlsConfig returns the settings of crypto/tls for connections to address.
func tlsConfig(t *load.TLS, address string, grpc bool) (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.Insecure, NextProtos: []string{alpnHTTP1}}
	if grpc {
		c.NextProtos = []string{alpnHTTP2}
	}
	if c.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("address %q: want host:port: %w", address, err)
		}
		c.ServerName = host
	}
	if t.CA == "" {
		return c, nil
	}
	pem, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("reading the certificates of authorities to trust: %w", err)
	}
	if c.RootCAs, err = x509.SystemCertPool(); err != nil {
		return nil, fmt.Errorf("reading the system's certificates: %w", err)
	}
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", t.CA)
	}
	return c, nil
}

// tlsError names the failure of a handshake, or of a record.
func tlsError(err error) error {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		alert     tls.AlertError
		notTLS    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return tlsFailure("certificate signed by an unknown authority")
	case errors.As(err, &host):
		return tlsFailure("certificate is for another host")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return tlsFailure("certificate has expired or is not yet valid")
	case errors.As(err, &invalid):
		return tlsFailure("certificate is not valid")
	case errors.As(err, &notTLS):
		return tlsFailure("the server does not speak TLS")
	case errors.As(err, &alert):
		return tlsFailure("alert: " + alertName(alert))
	case remoteAlert(err) == "no application protocol":
		return errNoProtocol
	case remoteAlert(err) != "":
		return tlsFailure("the server refused: " + remoteAlert(err))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return tlsFailure("connection closed in the handshake")
	}
	return tlsFailure("handshake or record not understood")
}

// errNoProtocol is the refusal of a server that does not speak the version of HTTP asked for, as one of HTTP/2 only.
const errNoProtocol = tlsFailure("the server speaks another version of HTTP alone: https:// asks by HTTP/1.1, grpcs:// by HTTP/2")

func alertName(a tls.AlertError) string { return strings.TrimPrefix(a.Error(), "tls: ") }

// remoteAlert returns the text of the server's alert, "" if err is none. crypto/tls returns it as the error of an operation of
// its own.
func remoteAlert(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" && op.Err != nil {
		return strings.TrimPrefix(op.Err.Error(), "tls: ")
	}
	return ""
}
