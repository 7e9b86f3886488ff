package packets_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs/packets"
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

// tcpdump captures the packets of these ports until it is interrupted. Its immediate mode would have a slot of the largest packet for
// each one, and drop most: the last call is awaited instead.
func tcpdump(t *testing.T, ports []uint16) (c *exec.Cmd, out, says io.Reader) {
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
	c = exec.CommandContext(t.Context(), "tcpdump", args...)
	out, err := c.StdoutPipe()
	must(err)
	stderr, err := c.StderrPipe()
	must(err)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	for said := ""; ; {
		line, err := lines.ReadString('\n')
		if said += line; strings.Contains(line, "listening on lo") {
			return c, out, lines
		}
		if err != nil {
			missing(t, fmt.Sprintf("tcpdump has no right to capture here (%v): %s", c.Wait(), said))
		}
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

// store starts a store that is installed; PORT among its arguments stands for the port that is returned. 0 is not installed.
func store(t *testing.T, program string, args ...string) uint16 {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Logf("%s is not installed: left out", program)
		return 0
	}
	l, port := listen(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	args[slices.Index(args, "PORT")] = fmt.Sprint(port)
	c := exec.CommandContext(t.Context(), program, args...)
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

// serveFrames answers each frame that begins with its length.
func serveFrames(l net.Listener, answer string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			in := bufio.NewReader(conn)
			var size [4]byte
			for {
				if _, err := io.ReadFull(in, size[:]); err != nil {
					return
				}
				if _, err := in.Discard(int(binary.BigEndian.Uint32(size[:]))); err != nil {
					return
				}
				if _, err := io.WriteString(conn, answer); err != nil {
					return
				}
			}
		}()
	}
}

const (
	clients = 4
	rounds  = 100
)

// load has clients make calls, each over one connection: dial connects, and returns a function that makes a round of them.
type load struct {
	calls []string // of a round
	dial  func(t *testing.T) (round func() error, err error)
}

// raw sends each request in the parts given, and reads as many bytes as its answer has.
func raw(port uint16, answer int, parts ...string) func(t *testing.T) (func() error, error) {
	return func(t *testing.T) (func() error, error) {
		conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { must(conn.Close()) })
		return func() error {
			for _, part := range parts {
				if _, err := io.WriteString(conn, part); err != nil {
					return err
				}
			}
			_, err := io.ReadFull(conn, make([]byte, answer))
			return err
		}, nil
	}
}

// posts sends bodies by HTTP.
func posts(url, body string) func(t *testing.T) (func() error, error) {
	return func(t *testing.T) (func() error, error) {
		client := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(client.CloseIdleConnections)
		return func() error {
			r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
			if err != nil {
				return err
			}
			r.Header.Set("traceparent", "t1")
			answer, err := client.Do(r)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, answer.Body)
			return errors.Join(err, answer.Body.Close())
		}, nil
	}
}

// checks calls a server by gRPC.
func checks(port uint16) func(t *testing.T) (func() error, error) {
	return func(t *testing.T) (func() error, error) {
		conn, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { must(conn.Close()) })
		ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "t1")
		return func() error {
			_, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
			return err
		}, nil
	}
}

// work has all clients of a load make their rounds at once.
func (l load) work(t *testing.T, all *sync.WaitGroup) {
	for range clients {
		all.Go(func() {
			round, err := l.dial(t)
			for i := 0; i < rounds && err == nil; i++ {
				err = round()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// What real servers and clients said over loopback is read as so many calls as the clients made, each with its headers, its
// status and its end.
func TestTcpdump(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/large" {
			fmt.Fprint(w, "hello")
			return
		}
		for range 4 {
			fmt.Fprint(w, strings.Repeat("x", 5000))
			w.(http.Flusher).Flush() // chunks
		}
	}))
	defer web.Close()
	grpcListener, grpcPort := listen(t)
	service := grpc.NewServer()
	healthpb.RegisterHealthServer(service, health.NewServer())
	go service.Serve(grpcListener)
	defer service.Stop()
	thriftListener, thriftPort := listen(t)
	defer thriftListener.Close()
	frame, answer := thriftFrame(1, "post", 7, thriftCarrier("traceparent", "t1")), thriftFrame(2, "post", 7, "\x00")
	go serveFrames(thriftListener, answer)
	redis := store(t, "redis-server", "--port", "PORT", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	memcached := store(t, "memcached", "-l", "127.0.0.1", "-p", "PORT", "-u", "nobody")

	loads := []load{
		{[]string{"thrift post OK"}, raw(thriftPort, len(answer), frame[:4], frame[4:])},
		{[]string{"http POST /small 200"}, posts(web.URL+"/small", "")},
		{[]string{"http POST /large 200"}, posts(web.URL+"/large", strings.Repeat("y", 30_000))},
		{[]string{"grpc /grpc.health.v1.Health/Check 0"}, checks(grpcPort)},
	}
	if redis != 0 {
		loads = append(loads, load{[]string{"redis set OK", "redis get OK"}, raw(redis, len("+OK\r\n$1\r\nx\r\n"),
			"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nx\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n")})
	}
	if memcached != 0 {
		loads = append(loads, load{[]string{"memcached set OK", "memcached get OK"},
			raw(memcached, len("STORED\r\nVALUE a 0 1\r\nx\r\nEND\r\n"), "set a 0 0 1\r\nx\r\n", "get a\r\n")})
	}
	webPort := netip.MustParseAddrPort(web.Listener.Addr().String()).Port()
	dump, out, says := tcpdump(t, []uint16{webPort, grpcPort, thriftPort, redis, memcached})
	var all sync.WaitGroup
	want, got := map[string]int{}, map[string]int{}
	for _, l := range loads {
		for _, call := range l.calls {
			want[call] = clients * rounds
		}
		l.work(t, &all)
	}
	stop := func() { must(dump.Process.Signal(os.Interrupt)) }
	go func() {
		all.Wait()
		if answer, err := http.Get(web.URL + "/last"); err != nil || answer.Body.Close() != nil {
			t.Error("the last call was not made:", err)
			stop()
		}
	}()
	counts, err := packets.Read(openAll(t, out), packets.Options{}, func(c packets.Call) error {
		if c.Method == "GET /last" {
			stop()
			return nil
		}
		traced := c.Trace == "t1" || c.Protocol == packets.Redis || c.Protocol == packets.Memcached
		if !c.Ended() || !traced || c.Answered.Before(c.AskedAll) || c.AnsweredAll.Before(c.Answered) {
			t.Errorf("call %+v", c)
		}
		got[strings.Join([]string{c.Protocol, c.Method, c.Status}, " ")]++
		return nil
	})
	text, wrong := io.ReadAll(says)
	if err := errors.Join(err, wrong, dump.Wait()); err != nil || !strings.Contains(string(text), "\n0 packets dropped by kernel") {
		t.Errorf("reading what tcpdump wrote: %v: %s", err, text)
	}
	diff := cmp.Diff(want, got)
	if diff != "" || counts.Missing > 0 || counts.Unknown+counts.NoTables+counts.GivenUp+counts.Before > 0 {
		t.Errorf("counts %+v, calls (-want +got):\n%s", counts, diff)
	}
	t.Logf("%d packets, %d resent", counts.Packets, counts.Resent)
}
