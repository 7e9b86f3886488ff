package agent

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestHelloServes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serveHello(ctx, l) }()
	client := http.Client{Timeout: 10 * time.Second}
	for path, want := range map[string]int{"/healthz": 204, "/json": 200, "/nothing": 404} {
		response, err := client.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != want {
			t.Errorf("%s answers %d, want %d (%v)", path, response.StatusCode, want, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}
