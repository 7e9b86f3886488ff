package tools_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

// loadCommand runs the load command and returns its status and what it wrote.
func loadCommand(args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = cli.Main(append([]string{"load"}, args...), strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

func TestLoadCommand(t *testing.T) {
	var requests atomic.Uint64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, err := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		if err != nil || r.Method != "POST" || string(body) != "in a file" || r.Header.Get("X-A") != "b: c" || user+password != "uv" {
			http.Error(w, "not as asked for", http.StatusBadRequest)
		}
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("in a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := strings.Replace(s.URL, "http://", "http://u:v@", 1) + "/path?q=1"

	status, out, errOut := loadCommand(url, "--rate", "1000/s", "--count", "50", "--body", "@"+file, "--header", "X-A: b: c", "--json")
	var got struct {
		Summary load.Summary
		Load    record.Load
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != console.Fine {
		t.Fatalf("status %d, %v, %q, %q", status, err, out, errOut)
	}
	if got.Load.Completed != 50 || requests.Load() != 50 || got.Summary.Asked != 1000 || got.Load.Errors != nil {
		t.Errorf("%d requests; %+v", requests.Load(), got)
	}

	status, out, errOut = loadCommand(s.URL, "--count", "3", "--connections", "2")
	for _, want := range []string{"0 answered", "3 failed", "3 × status 400", "nothing to time", "connections"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %q", want, out)
		}
	}
	if status != console.Failed || !strings.Contains(errOut, "no operation was answered as expected") {
		t.Errorf("all failed: status %d, %q", status, errOut)
	}
}

func TestLoadCommandRefuses(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "want one URL"},
		{"grpc://x:1/Method", "want the method to call"},
		{"ftp://x/", `scheme "ftp" is not supported`},
		{"127.0.0.1:8080/x", "want one such as http://127.0.0.1:8080/x"},
		{"localhost:8080", "want one such as http://localhost:8080"},
		{"localhost", "want one such as http://localhost"},
		{"http:///x", "has no host"},
		{"http://x:99999/", "port must be 1 to 65535"},
		{"http://x --rate fast", "want operations per second, such as 400/s"},
		{"http://x --rate -1", "want operations per second"},
		{"http://x --duration 0s", "must be more than 0"},
		{"http://x --arrivals bursts", "want even, poisson or constant"},
		{"http://x --header nocolon", "want 'Name: value'"},
		{"http://x --header Content-Length:5", "generator's own to set"},
		{"http://x --body @/no/such/file", "--body"},
		{"http://x --timeout 1h", "want at most 5m0s"},
		{"http://x --rate 0.5/s --duration 1s", "--rate 0.5/s for 1s is no operation"},
		{"http://x --method PSOT", `--method: unknown request method "PSOT"; did you mean "POST"?`},
		{"http://x --nonsense", "unknown flag"},
	} {
		status, out, errOut := loadCommand(strings.Fields(c.args)...)
		if status != console.Usage || out != "" || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: status %d, %q; want %d, %q", c.args, status, errOut, console.Usage, c.want)
		}
	}
}

// Where nothing listens, the load says so, and blames neither side's speed.
func TestLoadCommandRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String() + "/"
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"--rate=1000/s", "--connections=2"} {
		status, out, _ := loadCommand(url, how, "--count", "20")
		if status != console.Failed || !strings.Contains(out, "none was answered as expected") ||
			!strings.Contains(out, "nothing listens at that address and port") || strings.Contains(out, "generator was the limit") {
			t.Errorf("%s: status %d, %s", how, status, out)
		}
	}
}
