package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// A port on which connections have just ended is not taken, as long as nobody listens.
func TestPortTakenByTheEnd(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if PortTaken(port) == nil {
		t.Error("a port that a program listens on is said to be free")
	}
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil { // whose end waits for a minute, since it ends first
		t.Fatal(err)
	}
	if _, err := io.ReadAll(client); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if tryBind(port, false) == nil {
		t.Fatal("the connection has left nothing behind on its port, so that nothing is tested")
	}
	if err := PortTaken(port); err != nil {
		t.Errorf("after its listener has ended: %v", err)
	}
}

// takePort is another tracetax that is given a port, if it is free, and has not started its program yet.
func takePort(args []string) error {
	port, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	got, err := freeOf([]int{port}, 1)
	fmt.Println(len(got), err)
	if err == nil {
		select {}
	}
	return nil
}

// A port that was given out is given to nobody else, also before its program listens: not here, nor by another tracetax
// until that has ended.
func TestPortsAreReserved(t *testing.T) {
	candidates := portsOutside(ephemeral())
	own, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := freeOf(own, 1); err == nil {
		t.Errorf("port %v was given out twice", again)
	}
	other := func(port int) (*exec.Cmd, string) {
		cmd := exec.Command(os.Args[0], strconv.Itoa(port))
		cmd.Env = append(os.Environ(), "TEST_PROGRAM=reserve")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return cmd, line
	}
	if _, said := other(own[0]); said[0] != '0' {
		t.Errorf("another tracetax was given port %d too: %s", own[0], said)
	}
	var theirs *exec.Cmd
	var port int
	for _, port = range candidates { // one that is free
		cmd, said := other(port)
		if said[0] == '1' {
			theirs = cmd
			break
		}
	}
	if again, err := freeOf([]int{port}, 1); err == nil {
		t.Errorf("port %v, which another tracetax has been given, was given out", again)
	}
	if err := theirs.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Wait() // it was killed
	if _, err := freeOf([]int{port}, 1); err != nil {
		t.Errorf("after the other tracetax has ended: %v", err)
	}
}

// Old reservations are given up, so a long experiment does not run out of files.
func TestReservationsAreBounded(t *testing.T) {
	r := reservations{most: 2}
	t.Cleanup(func() {
		for _, mark := range r.held {
			_ = mark.Close() // a name without a file
		}
	})
	port := func(i int) int { return -3*os.Getpid() - i } // which no program has, and no other test
	for i := range 3 {
		if !r.take(port(i)) {
			t.Fatalf("port %d is taken", port(i))
		}
	}
	if len(r.held) != 2 || !r.take(port(0)) || r.take(port(2)) {
		t.Errorf("%d are held; the oldest must be free, and the last not", len(r.held))
	}
}

// The line that tells why is found in what runtimes write.
func TestTelling(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"nothing": {"", ""},
		"blank":   {"\n  \n", ""},
		"plain":   {"starting\ncannot find my config\n", "cannot find my config"},
		"Java": {`Exception in thread "main" java.lang.IllegalStateException: could not start
	at shop.Main.main(Main.java:12)
Caused by: java.net.BindException: Address already in use
	at java.base/sun.nio.ch.Net.bind0(Native Method)
	... 32 more
`, "Caused by: java.net.BindException: Address already in use"},
		"Java, no cause": {`Exception in thread "main" java.lang.NullPointerException
	at shop.Main.main(Main.java:12)
`, `Exception in thread "main" java.lang.NullPointerException`},
		"Java, log lines behind": {`2026-01-01 12:00:00 ERROR o.s.b.SpringApplication - Application run failed
org.springframework.beans.factory.BeanCreationException: Error creating bean
	at org.springframework.Foo.bar(Foo.java:1)
Caused by: java.sql.SQLException: no such host: db
	... 17 common frames omitted
2026-01-01 12:00:01 INFO c.z.h.HikariDataSource - Shutdown completed.
`, "Caused by: java.sql.SQLException: no such host: db"},
		"Spring Boot": {`
***************************
APPLICATION FAILED TO START
***************************

Description:

Web server failed to start. Port 8080 was already in use.

Action:

Identify and stop the process that's listening on port 8080.
`, "Web server failed to start. Port 8080 was already in use."},
		"a helper has the last word": {`10:00:00 starting
[error] Failed to create /var/lib/x/mnesia: permission denied
BOOT FAILED
Crash dump is being written to: erl_crash.dump...done
`, "[error] Failed to create /var/lib/x/mnesia: permission denied"},
		"a warning before the cause": {"no such file or directory: app.conf: using defaults\nunknown option -x\n", "unknown option -x"},
		"a shell":                    {"/bin/sh: 1: cannot create /tmp/x/pid: Permission denied\n", "/bin/sh: 1: cannot create /tmp/x/pid: Permission denied"},
		"Java's launcher":            {"Error: Unable to access jarfile shop.jar\n", "Error: Unable to access jarfile shop.jar"},
		"Python": {`Traceback (most recent call last):
  File "/app/shop.py", line 1, in <module>
    import flask
ModuleNotFoundError: No module named 'flask'
`, "ModuleNotFoundError: No module named 'flask'"},
		"Python, chained, under gunicorn": {`[2026-01-01 12:00:00 +0000] [7] [ERROR] Exception in worker process
Traceback (most recent call last):
  File "/app/shop.py", line 2, in <module>
    f()
    ^^^
KeyError: 'A'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/shop.py", line 4, in <module>
    raise
django.core.exceptions.ImproperlyConfigured: set DATABASE_URL
[2026-01-01 12:00:00 +0000] [7] [INFO] Worker exiting (pid: 7)
[2026-01-01 12:00:00 +0000] [6] [ERROR] Shutting down: Master
[2026-01-01 12:00:00 +0000] [6] [ERROR] Reason: Worker failed to boot.
`, "django.core.exceptions.ImproperlyConfigured: set DATABASE_URL"},
		"Node": {`node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/app/server.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.19.2
`, "Error: Cannot find module '/app/server.js'"},
		"Node, a code": {"node:internal/errors:1\n\nTypeError [ERR_INVALID_ARG_TYPE]: The \"id\" argument\n    at x (y:1:1)\n\nNode.js v20.19.2\n", `TypeError [ERR_INVALID_ARG_TYPE]: The "id" argument`},
		"Go":           {"starting\npanic: listen tcp: bind: address already in use\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:9 +0x1d\nexit status 2\n", "panic: listen tcp: bind: address already in use"},
		".NET": {`Unhandled exception. System.IO.IOException: Failed to bind to address http://127.0.0.1:5000: address already in use.
 ---> Microsoft.AspNetCore.Connections.AddressInUseException: Address already in use
 ---> System.Net.Sockets.SocketException (98): Address already in use
   at System.Net.Sockets.Socket.UpdateStatusAfterSocketErrorAndThrowException(SocketError error)
   --- End of inner exception stack trace ---
   at Program.<Main>$(String[] args) in /app/Program.cs:line 4
`, "---> System.Net.Sockets.SocketException (98): Address already in use"},
		"Ruby":      {"/usr/lib/ruby/x.rb:85:in 'Kernel#require': cannot load such file -- sinatra (LoadError)\n\tfrom app.rb:1:in '<main>'\n", "/usr/lib/ruby/x.rb:85:in 'Kernel#require': cannot load such file -- sinatra (LoadError)"},
		"PHP":       {"PHP Fatal error:  Uncaught Error: Class \"Shop\" not found in /app/index.php:3\nStack trace:\n#0 {main}\n  thrown in /app/index.php on line 3\n", `PHP Fatal error:  Uncaught Error: Class "Shop" not found in /app/index.php:3`},
		"Rust":      {"thread 'main' panicked at src/main.rs:4:10:\ncalled `Result::unwrap()` on an `Err` value: AddrInUse\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n", "called `Result::unwrap()` on an `Err` value: AddrInUse"},
		"in colour": {"\x1b[31mError: no such file\x1b[0m\nbye\n", "Error: no such file"},
	} {
		if got := Telling(strings.Split(strings.TrimRight(c.log, "\n"), "\n")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
