package cli

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// A sink whose port is taken names the flags that give it another.
func TestSinkPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var out, stderr bytes.Buffer
	status := Main([]string{"sink", "--otlp-grpc", "", "--otlp-http", l.Addr().String()}, strings.NewReader(""), &out, &stderr)
	if status != console.Failed || !strings.HasPrefix(stderr.String(), "tracetax: starting the sink: ") || !strings.Contains(stderr.String(), "--otlp-http") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}
