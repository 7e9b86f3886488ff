package tools_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// asked counts the calls of Health.Check by the service named and a header.
type asked struct {
	grpc_health_v1.UnimplementedHealthServer
	mu   sync.Mutex
	seen map[string]int
}

func (a *asked) Check(ctx context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	md, _ := metadata.FromIncomingContext(ctx)
	a.seen[r.GetService()+strings.Join(md.Get("x-who"), ",")]++
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, nil
}

func (a *asked) take() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	seen := a.seen
	a.seen = map[string]int{}
	return seen
}

// healthServer serves the health service, and returns its address.
func healthServer(t *testing.T, options ...grpc.ServerOption) (string, *asked) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{seen: map[string]int{}}
	s := grpc.NewServer(options...)
	grpc_health_v1.RegisterHealthServer(s, a)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), a
}

// inFolder writes a file for a test.
func inFolder(t *testing.T, name string, content []byte) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func healthProtoset(t *testing.T) string {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(grpc_health_v1.File_grpc_health_v1_health_proto)
	b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	return inFolder(t, "health.pb", b)
}

// completed runs load, and returns how many operations were answered.
func completed(t *testing.T, args ...string) uint64 {
	t.Helper()
	status, out, errOut := loadCommand(append(args, "--json")...)
	var got struct {
		Summary load.Summary
		Load    record.Load
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != console.Fine {
		t.Errorf("%q: status %d, %v, %s%s", args, status, err, out, errOut)
	}
	return got.Load.Completed
}

func TestLoadGRPC(t *testing.T) {
	addr, server := healthServer(t)
	url := "grpc://" + addr + "/grpc.health.v1.Health/Check"
	protoset := healthProtoset(t)
	message := inFolder(t, "message.bin", []byte("\x0a\x01f"))
	text := inFolder(t, "message.json", []byte(`{"service": "tea"}`))
	rows := inFolder(t, "rows.csv", []byte("name,who\na,1\nb,2\n\"c\"\"\",3\n"))
	for _, c := range []struct {
		name string
		args []string
		want map[string]int
	}{
		{"empty", nil, map[string]int{"": 6}},
		{"file", []string{"--data", "@" + message}, map[string]int{"f": 6}},
		{"JSON", []string{"--protoset", protoset, "--data", `{"service": "tea"}`}, map[string]int{"tea": 6}},
		{"JSON file", []string{"--protoset", protoset, "--data", "@" + text, "--streams", "3"}, map[string]int{"tea": 6}},
		{"rows", []string{"--protoset", protoset, "--data", `{"service":"{data.name}"}`, "--header", "x-who: {data.who}", "--data-file", rows}, map[string]int{"a1": 2, "b2": 2, "c\"3": 2}},
	} {
		n := completed(t, append([]string{url, "--count", "6"}, c.args...)...)
		if got := server.take(); n != 6 || !maps.Equal(got, c.want) {
			t.Errorf("%s: %d answered, the server saw %v; want %v", c.name, n, got, c.want)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{url, "--protoset", protoset, "--data", `{"servic": "x"}`}, `unknown field "servic"`},
		{[]string{url + "k", "--protoset", protoset}, "has no method Checkk; it has Check"},
		{[]string{url, "--protoset", text}, "reading the descriptor set"},
		{[]string{url, "--data-file", rows, "--data", "{data.who}"}, "needs the types of the service"},
	} {
		status, _, errOut := loadCommand(append(c.args, "--count", "1")...)
		if status != console.Usage || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: status %d, %s; want %q", c.args, status, errOut, c.want)
		}
	}
}

func TestLoadTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	ca := inFolder(t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	for _, how := range [][]string{{"--insecure"}, {"--cacert", ca}} {
		if n := completed(t, append([]string{s.URL, "--count", "5"}, how...)...); n != 5 {
			t.Errorf("%q: %d answered", how, n)
		}
	}
	status, out, _ := loadCommand(s.URL, "--count", "5")
	if status != console.Failed || !strings.Contains(out, "certificate signed by an unknown authority") || !strings.Contains(out, "--cacert FILE, or leave it unchecked with --insecure") {
		t.Errorf("an unknown authority: status %d, %s", status, out)
	}
	config := &tls.Config{Certificates: s.TLS.Certificates, NextProtos: []string{"h2"}}
	addr, server := healthServer(t, grpc.Creds(credentials.NewTLS(config)))
	url := "grpcs://" + addr + "/grpc.health.v1.Health/Check"
	if n := completed(t, url, "--count", "5", "--cacert", ca, "--protoset", healthProtoset(t), "--data", `{"service":"x"}`); n != 5 || server.take()["x"] != 5 {
		t.Errorf("grpcs: %d answered", n)
	}
}
