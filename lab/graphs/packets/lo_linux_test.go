package packets_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
)

// missing leaves a test out where packets cannot be captured; where TRACETAX_REQUIRE_PROGRAMS=1 says that they can, it fails.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// tcpdump captures the packets of these ports until each stops it; wait returns what was read. Its immediate mode would have a slot of
// the largest packet for each one, and drop most: the last call is awaited instead.
func tcpdump(t *testing.T, ports []uint16, each func(c packets.Call, stop func())) (wait func() packets.Counts) {
	t.Helper()
	if _, err := exec.LookPath("tcpdump"); err != nil {
		missing(t, "tcpdump is not installed")
	}
	var filter []string
	for _, p := range ports {
		filter = append(filter, fmt.Sprintf("tcp port %d", p))
	}
	args := []string{"-i", "lo", "-n", "-U", "-B", "65536", "-s", "0", "-w", "-", strings.Join(filter, " or ")}
	if os.Geteuid() == 0 {
		args = append([]string{"-Z", "root"}, args...)
	}
	c := exec.CommandContext(t.Context(), "tcpdump", args...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	says, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(says)
	var said []string
	listening := false
	for !listening && lines.Scan() {
		said = append(said, lines.Text())
		listening = strings.Contains(lines.Text(), "listening on lo")
	}
	if !listening {
		missing(t, fmt.Sprintf("tcpdump has no right to capture here (%v): %s", c.Wait(), strings.Join(said, "; ")))
	}
	type result struct {
		counts packets.Counts
		err    error
	}
	read, rest := make(chan result, 1), make(chan string, 1)
	go func() {
		all, err := io.ReadAll(says)
		rest <- fmt.Sprint(string(all), err)
	}()
	go func() {
		r, err := capture.NewReader("tcpdump", out)
		if err != nil {
			read <- result{err: err}
			return
		}
		counts, err := packets.Read([]*capture.Reader{r}, packets.Options{}, func(call packets.Call) error {
			each(call, func() {
				if err := c.Process.Signal(os.Interrupt); err != nil {
					t.Error(err)
				}
			})
			return nil
		})
		read <- result{counts, err}
	}()
	return func() packets.Counts {
		got := <-read
		text := <-rest
		if err := c.Wait(); err != nil || got.err != nil || !strings.Contains(text, "\n0 packets dropped by kernel") {
			t.Errorf("reading %v, tcpdump %v: %s", got.err, err, text)
		}
		return got.counts
	}
}

// listen listens on loopback, and returns the port.
func listen(t *testing.T) (net.Listener, uint16) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l, netip.MustParseAddrPort(l.Addr().String()).Port()
}

// store starts a store that is installed.
func store(t *testing.T, program string, args func(port uint16) []string) uint16 {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Logf("%s is not installed: left out", program)
		return 0
	}
	l, port := listen(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, args(port)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err == nil {
			t.Errorf("%s ended by itself", program)
		}
	})
	for t.Context().Err() == nil {
		if conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			must(conn.Close())
			return port
		}
	}
	t.Fatalf("%s does not listen", program)
	return 0
}

// serve answers each request of a protocol that begins with its length by what answer makes of it.
func serveFrames(l net.Listener, answer func(frame []byte) string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			in := bufio.NewReader(conn)
			for {
				var size [4]byte
				if _, err := io.ReadFull(in, size[:]); err != nil {
					return
				}
				frame := make([]byte, binary.BigEndian.Uint32(size[:]))
				if _, err := io.ReadFull(in, frame); err != nil {
					return
				}
				if _, err := io.WriteString(conn, answer(frame)); err != nil {
					return
				}
			}
		}()
	}
}

// talkTo sends each request in the parts given, and reads as many bytes as its answer has.
func talkTo(port uint16, answer int, parts ...string) error {
	conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer conn.Close()
	for range perClient {
		for _, part := range parts {
			if _, err := io.WriteString(conn, part); err != nil {
				return err
			}
		}
		if _, err := io.ReadFull(conn, make([]byte, answer)); err != nil {
			return err
		}
	}
	return nil
}

const (
	clients   = 4
	perClient = 100
)

// What real servers and clients said over loopback is read as so many calls as the clients made, each with its headers, its
// status and its end.
func TestTcpdump(t *testing.T) {
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/large" {
			for range 4 {
				fmt.Fprint(w, strings.Repeat("x", 5000))
				w.(http.Flusher).Flush() // chunks
			}
			return
		}
		fmt.Fprint(w, "hello")
	}))
	web.Start()
	defer web.Close()
	webPort := netip.MustParseAddrPort(web.Listener.Addr().String()).Port()

	grpcListener, grpcPort := listen(t)
	service := grpc.NewServer()
	healthpb.RegisterHealthServer(service, health.NewServer())
	go service.Serve(grpcListener)
	defer service.Stop()

	thriftListener, thriftPort := listen(t)
	defer thriftListener.Close()
	thriftAnswer := thriftFrame(2, "post", 7, "\x00")
	go serveFrames(thriftListener, func([]byte) string { return thriftAnswer })

	redis := store(t, "redis-server", func(port uint16) []string {
		return []string{"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"}
	})
	memcached := store(t, "memcached", func(port uint16) []string {
		return []string{"-l", "127.0.0.1", "-p", fmt.Sprint(port), "-u", "nobody"}
	})

	got, last := map[string]int{}, make(chan struct{})
	ports := []uint16{webPort, grpcPort, thriftPort, redis, memcached}
	wait := tcpdump(t, ports, func(c packets.Call, stop func()) {
		if c.Method == "GET /last" {
			close(last)
			stop()
			return
		}
		traced := c.Trace == "t1" || c.Protocol == packets.Redis || c.Protocol == packets.Memcached
		if !c.Ended() || !traced || c.Answered.Before(c.AskedAll) || c.AnsweredAll.Before(c.Answered) {
			t.Errorf("call %+v", c)
		}
		got[strings.Join([]string{c.Protocol, c.Method, c.Status}, " ")]++
	})

	var all sync.WaitGroup
	loads := []func() error{
		func() error {
			return talkTo(thriftPort, len(thriftAnswer), splitLength(thriftFrame(1, "post", 7, thriftCarrier("traceparent", "t1")))...)
		},
		func() error { return getMany(web.URL+"/small", "") },
		func() error { return getMany(web.URL+"/large", strings.Repeat("y", 30_000)) },
		func() error { return checkMany(grpcPort) },
	}
	want := map[string]int{"thrift post OK": 0, "http POST /small 200": 0, "http POST /large 200": 0, "grpc /grpc.health.v1.Health/Check 0": 0}
	if redis != 0 {
		loads = append(loads, func() error {
			return talkTo(redis, len("+OK\r\n$1\r\nx\r\n"), "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nx\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n")
		})
		want["redis set OK"], want["redis get OK"] = 0, 0
	}
	if memcached != 0 {
		loads = append(loads, func() error {
			return talkTo(memcached, len("STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n"), "set a 0 0 1\r\nx\r\n", "get a\r\n")
		})
		want["memcached set OK"], want["memcached get OK"] = 0, 0
	}
	for key := range want {
		want[key] = clients * perClient
	}
	for _, do := range loads {
		for range clients {
			all.Go(func() {
				if err := do(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	answer, err := http.Get(web.URL + "/last")
	if err != nil {
		t.Fatal(err)
	}
	must(answer.Body.Close())
	select {
	case <-last:
	case <-t.Context().Done():
		t.Fatal("the last call was not captured")
	}
	counts := wait()
	for key, n := range want {
		if got[key] != n {
			t.Errorf("%s: %d calls, want %d", key, got[key], n)
		}
		delete(got, key)
	}
	if len(got) > 0 || counts.Missing > 0 || counts.Unknown+counts.NoTables+counts.GivenUp+counts.Before > 0 {
		t.Errorf("further calls %v, counts %+v", got, counts)
	}
	t.Logf("%d packets, %d resent", counts.Packets, counts.Resent)
}

// splitLength parts a frame's length from the frame.
func splitLength(frame string) []string { return []string{frame[:4], frame[4:]} }

// getMany posts over one connection.
func getMany(url, body string) error {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range perClient {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("traceparent", "t1")
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return err
		}
		if err := answer.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

// checkMany calls a gRPC server over one connection.
func checkMany(port uint16) error {
	conn, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "traceparent", "t1")
	for range perClient {
		if _, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}); err != nil {
			return err
		}
	}
	return nil
}
