package process

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestReady(t *testing.T) {
	l := open(t, AccountingAuto)
	ports, err := FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	web := start(t, l, Command{Name: "web"}, "serve", strconv.Itoa(ports[0]))
	for check, want := range map[string]Answers{
		"http://127.0.0.1:" + strconv.Itoa(ports[0]) + "/": {All: 3, Failed: 2}, // two refusals and a yes
		"tcp://127.0.0.1:" + strconv.Itoa(ports[0]):        {},
		"": {},
	} {
		if asked := ready(t, web, check); asked != want {
			t.Errorf("%q: answered %+v, want %+v", check, asked, want)
		}
	}
}

// unused is an address where nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	ports, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
}

func TestReadyFailsWhenTheProcessDies(t *testing.T) {
	l := open(t, AccountingAuto)
	address := unused(t)
	for i, text := range []string{"http://" + address + "/", "tcp://" + address, "log:never"} {
		check, err := ParseCheck(text)
		if err != nil {
			t.Fatal(err)
		}
		p := start(t, l, Command{Name: "p" + strconv.Itoa(i)}, "say", "starting", "cannot find my config", "7")
		_, err = p.Ready(t.Context(), check)
		var died *DiedError
		if !errors.As(err, &died) {
			t.Fatalf("%s: error %v", text, err)
		}
		if died.Exit.Code != 7 || died.Process != p.Name() || len(died.Log) != 2 {
			t.Errorf("%s: %+v", text, died)
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "starting") {
			t.Errorf("the log is told in the error too: %q", err)
		}
		for _, want := range []string{"exit status 7", "waiting for " + text, "cannot find my config"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in %q", want, err)
			}
		}
	}
}

func TestReadyLosesPatience(t *testing.T) {
	p := start(t, open(t, AccountingAuto), Command{}, "say", "thinking")
	ready(t, p, "log:thinking")
	check, err := ParseCheck("tcp://" + unused(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = p.Ready(ctx, check)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{"refused", "thinking", "patience"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
}

// A program that is not ready is seen where it listens instead.
func TestWhereItListensInstead(t *testing.T) {
	asked, other := unused(t), unused(t)
	_, port, _ := net.SplitHostPort(asked)
	six := net.JoinHostPort("::1", port)
	if probe, err := net.Listen("tcp", six); err != nil {
		t.Skip("this machine has no IPv6")
	} else if err := probe.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		check   string
		listens []string
		want    Place
		where   []string
	}{
		"another port":           {"tcp://" + asked, []string{other}, OtherPort, []string{other}},
		"IPv6 alone":             {"http://" + asked + "/", []string{six}, OtherAddress, []string{six}},
		"no port":                {"tcp://" + asked, nil, Nowhere, nil},
		"there, unanswered":      {"http://" + asked + "/", []string{asked, other}, There, []string{asked, other}},
		"everywhere":             {"http://" + asked + "/", []string{":" + port}, There, []string{"[::]:" + port}},
		"a line, with no port":   {"log:never", []string{other}, Unseen, []string{other}},
		"a name that resolves":   {"http://localhost:" + port + "/", []string{six}, There, []string{six}},
		"another of its own IPs": {"tcp://" + asked, []string{net.JoinHostPort("127.0.0.2", port)}, OtherAddress, []string{net.JoinHostPort("127.0.0.2", port)}},
	} {
		t.Run(name, func(t *testing.T) {
			// The program is a child of a shell, as behind launchers.
			p, err := open(t, AccountingAuto).Start(t.Context(), Command{Name: "web", Args: append([]string{"sh", "-c", `"$0" "$@" & wait`, os.Args[0]}, c.listens...), Env: append(os.Environ(), "TEST_PROGRAM=listen")})
			if err != nil {
				t.Fatal(err)
			}
			ready(t, p, "log:listening")
			check, err := ParseCheck(c.check)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err = p.Ready(ctx, check)
			var not *NotReadyError
			if !errors.As(err, &not) || !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("error %v", err)
			}
			slices.Sort(not.Listens)
			slices.Sort(c.where)
			if not.Place != c.want || !slices.Equal(not.Listens, c.where) || not.Process != "web" {
				t.Errorf("place %q, listens at %q; want %q, %q", not.Place, not.Listens, c.want, c.where)
			}
			if patient := c.want != OtherPort && c.want != OtherAddress; strings.Contains(err.Error(), ".patience=60s") != patient {
				t.Errorf("how to give it more patience: %q", err)
			}
			for _, address := range c.where {
				if !strings.Contains(err.Error(), address) && c.want != Unseen {
					t.Errorf("%q is not in %q", address, err)
				}
			}
		})
	}
}

func TestParseCheck(t *testing.T) {
	for _, text := range []string{"", "http://127.0.0.1:80/x", "https://localhost", "tcp://127.0.0.1:5432", "tcp://[::1]:80/", "log:ready in \\d+ ms"} {
		if c, err := ParseCheck(text); err != nil || c.String() != text {
			t.Errorf("%q: %q, error %v", text, c, err)
		}
	}
	for text, want := range map[string]string{
		"8080": "write http://", "tcp://:80": "host is missing", "tcp://a": "host and port", "tcp://a:0": "not a port",
		"tcp://a:99999": "not a port", "http://": "host is missing", "http://%": "ready check", "log:": "missing", "log:(": "missing closing",
	} {
		if _, err := ParseCheck(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParseCheck(f *testing.F) {
	for _, text := range []string{"http://a/", "tcp://a:1", "log:a", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCheck(text); err == nil && c.String() != text {
			t.Errorf("%q became %q", text, c)
		}
	})
}

func TestFreePorts(t *testing.T) {
	ports, err := FreePorts(50)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	low, high := ephemeral()
	for _, port := range ports {
		if seen[port] {
			t.Errorf("port %d twice", port)
		}
		seen[port] = true
		if port >= low && port <= high && low > 11000 {
			t.Errorf("port %d is one that the kernel gives away", port)
		}
		if err := PortTaken(port); err != nil {
			t.Error(err)
		}
	}
	if _, err := freeOf(ports[:1], 2); err == nil {
		t.Error("2 ports of one were found")
	}
}

func TestPortTaken(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("no %s here: %v", address, err)
			continue
		}
		defer listener.Close()
		err = PortTaken(listener.Addr().(*net.TCPAddr).Port)
		if err == nil || !strings.Contains(err.Error(), "pid "+strconv.Itoa(os.Getpid())) {
			t.Errorf("%s: error %v, want this process's number", address, err)
		}
	}
}

func TestPortsOutside(t *testing.T) {
	tests := []struct{ low, high, first, count int }{
		{32768, 60999, 10000, 65535 - 10000 + 1 - (60999 - 32768 + 1)},
		{1024, 65535, 10000, 65535 - 10000 + 1}, // none outside: all have to do
		{10000, 20000, 20001, 65535 - 20000},
	}
	for _, test := range tests {
		got := portsOutside(test.low, test.high)
		if got[0] != test.first || len(got) != test.count {
			t.Errorf("outside %d to %d: %d ports from %d, want %d from %d", test.low, test.high, len(got), got[0], test.count, test.first)
		}
	}
}

func TestInside(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "agent.so")
	if err := os.WriteFile(file, []byte("agent"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The outer shell has the variable and the file; what it starts has neither.
	p, err := open(t, AccountingAuto).Start(t.Context(), Command{
		Name: "outer", Env: append(os.Environ(), "TOLD=1"),
		Args: []string{"sh", "-c", `exec 7<"$0"; env -i sh -c 'echo up; exec sleep 60' 7<&- & wait`, file},
	})
	if err != nil {
		t.Fatal(err)
	}
	ready(t, p, "log:up")
	got, err := p.Inside([]string{"TOLD"}, folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, one := range got {
		if one.Program == "" || one.Lacks == one.Holds { // the one that was told holds the file
			t.Errorf("%+v of %+v", one, got)
		}
	}
	if got[0].Lacks == got[1].Lacks {
		t.Errorf("%+v", got)
	}
	if got[0].Start == got[1].Start || got[0].Start == "" || got[0].Names == got[1].Names {
		t.Errorf("two programs that were started apart, of which one was told of the folder: %+v", got)
	}
	if none, err := p.Inside(nil, ""); err != nil || len(none) != 2 || none[0].Lacks || none[0].Holds || none[1].Holds {
		t.Errorf("asked for nothing: %+v, %v", none, err)
	}
}

// A program elsewhere is asked at its own address, also where its check names loopback.
func TestReached(t *testing.T) {
	for _, row := range []struct{ text, host, want string }{
		{"http://127.0.0.1:8080/health?a=b", "10.244.0.7", "http://10.244.0.7:8080/health?a=b"},
		{"http://localhost/health", "10.244.0.7", "http://10.244.0.7/health"},
		{"tcp://127.0.0.1:5432", "fd00::7", "tcp://[fd00::7]:5432"},
		{"http://shop.example/health", "10.244.0.7", "http://shop.example/health"},
		{"http://127.0.0.1:8080/", "127.0.0.1", "http://127.0.0.1:8080/"},
		{"http://127.0.0.3:8080/", "127.0.0.2", "http://127.0.0.3:8080/"},
		{"log:listening on 127.0.0.1:80", "10.244.0.7", "log:listening on 127.0.0.1:80"},
	} {
		if got := Reached(row.text, row.host); got != row.want {
			t.Errorf("%s at %s is reached by %s, want %s", row.text, row.host, got, row.want)
		}
	}
}
