// Burner is an HTTP server on 127.0.0.1:$PORT, or on all addresses with $EVERYWHERE, that burns $BURN of CPU time in each request, and
// asks $ASK, a URL, before it answers.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// threadTime reads the CPU clock of this thread (3) without Go's scheduler in between.
func threadTime() time.Duration {
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return time.Duration(t.Nano())
}

func burn(length time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for begun := threadTime(); threadTime()-begun < length; {
	}
}

func main() {
	length, err := time.ParseDuration(os.Getenv("BURN"))
	if err != nil && os.Getenv("BURN") != "" {
		panic(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		burn(length)
		if ask := os.Getenv("ASK"); ask != "" {
			answer, err := http.Get(ask)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		fmt.Fprintln(w, "done")
	})
	http.HandleFunc("/env", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, os.Getenv(r.URL.Query().Get("of"))) })
	http.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Query().Get("of")
		text, err := os.ReadFile(path)
		writes := os.WriteFile(path+".new", nil, 0o600) == nil
		fmt.Fprintf(w, "%s|%v|%t", text, err, writes)
	})
	http.HandleFunc("/exit", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	http.HandleFunc("/hold", func(http.ResponseWriter, *http.Request) {
		var held [][]byte
		for {
			one := make([]byte, 1<<20)
			for i := range one {
				one[i] = 1
			}
			held = append(held, one)
			runtime.KeepAlive(held)
		}
	})
	host := "127.0.0.1"
	if os.Getenv("EVERYWHERE") != "" {
		host = ""
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, os.Getenv("PORT")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	go func() { <-end; fmt.Println("ended in order"); os.Exit(0) }()
	fmt.Println("listening")
	panic(http.Serve(l, nil))
}
