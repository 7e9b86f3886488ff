package usage_test

// The test binary is also the keeper and every program that the tests start.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracetax/tracetax/internal/process/supervisor"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		if err := supervisor.Keep(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if program, ok := programs[os.Getenv("TEST_PROGRAM")]; ok {
		if err := program(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// The race detector waits a second at the end of every process.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// programs wait for a line with a number on stdin, do something with it, and
// write a number on stdout: again and again.
var programs = map[string]func() error{
	"burn":    func() error { return serve(burnMilliseconds) },
	"threads": func() error { return serve(burnInThreads) },
	"parent":  func() error { return serve(burnInChildren) },
	"orphans": func() error { return serve(burnInOrphans) },
	"hold":    func() error { return serve(func(n int) (int64, error) { return hold(n, unix.MAP_PRIVATE) }) },
	"share":   func() error { return serve(func(n int) (int64, error) { return hold(n, unix.MAP_SHARED) }) },
	"sleep":   func() error { return serve(sleepOften) },
	"once":    once,
	"leaver":  func() error { return serve(burnAndLeave) },
	"thread":  func() error { return serve(burnInALeavingThread) },
	"helpers": func() error { return serve(burnInLeavingChildren) },
	"grandparent": func() error {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "TEST_PROGRAM=parent")
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		return c.Run()
	},
}

func serve(do func(n int) (int64, error)) error {
	if os.Getenv("TEST_LEAVES") != "" {
		if err := leave("cgroup.procs"); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		answer, err := do(n)
		if err != nil {
			return err
		}
		fmt.Println(answer)
	}
	return lines.Err()
}

// used is what the kernel tells a process of itself or of its children, ns.
func used(who int) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func burnMilliseconds(ms int) (int64, error) {
	before := used(syscall.RUSAGE_SELF)
	for used(syscall.RUSAGE_SELF)-before < int64(ms)*1e6 {
	}
	return used(syscall.RUSAGE_SELF) - before, nil
}

// burnInThreads burns in two threads at once.
func burnInThreads(ms int) (int64, error) {
	before := used(syscall.RUSAGE_SELF)
	done := make(chan struct{})
	for range 2 {
		go func() {
			for used(syscall.RUSAGE_SELF)-before < int64(ms)*1e6 {
			}
			done <- struct{}{}
		}()
	}
	<-done
	<-done
	return used(syscall.RUSAGE_SELF) - before, nil
}

// burnInChildren burns 10 ms in each of n children, one after the other, and waits for them.
func burnInChildren(n int) (int64, error) {
	before := used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN)
	for range n {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "TEST_PROGRAM=once", "TEST_BURN=10")
		if err := c.Run(); err != nil {
			return 0, err
		}
	}
	return used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN) - before, nil
}

// once burns some ms and ends. With TEST_MIDDLE it only starts one that does,
// and leaves it an orphan.
func once() error {
	if os.Getenv("TEST_MIDDLE") != "" {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "TEST_MIDDLE=")
		c.Stdout = os.Stdout
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return c.Start()
	}
	if os.Getenv("TEST_LEAVE") != "" {
		if err := leave("cgroup.procs"); err != nil {
			return err
		}
	}
	ms, err := strconv.Atoi(os.Getenv("TEST_BURN"))
	if err != nil {
		return err
	}
	if _, err := burnMilliseconds(ms); err != nil {
		return err
	}
	fmt.Println(used(syscall.RUSAGE_SELF))
	return nil
}

// burnInOrphans burns 10 ms in each of n grandchildren whose parents are gone.
func burnInOrphans(n int) (int64, error) {
	before := used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN)
	var sum int64
	for range n {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "TEST_PROGRAM=once", "TEST_BURN=10", "TEST_MIDDLE=1")
		var said bytes.Buffer // read until the orphan has closed it too
		c.Stdout = &said
		if err := c.Run(); err != nil {
			return 0, err
		}
		ns, err := strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += ns
	}
	return sum + used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN) - before, nil
}

// leave moves a process or a thread to another cgroup, by the file that lists what is in it.
func leave(file string) error {
	return os.WriteFile(filepath.Join(os.Getenv("TEST_ELSEWHERE"), file), []byte("0"), 0o600)
}

// burnAndLeave leaves its cgroup in the middle.
func burnAndLeave(ms int) (int64, error) {
	before, err := burnMilliseconds(ms)
	if err != nil {
		return 0, err
	}
	if err := leave("cgroup.procs"); err != nil {
		return 0, err
	}
	after, err := burnMilliseconds(ms)
	return before + after, err
}

// burnInALeavingThread burns in a thread of its own that is in no cgroup of the rest.
func burnInALeavingThread(ms int) (int64, error) {
	before := used(syscall.RUSAGE_SELF)
	left := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the thread
		if err := leave("tasks"); err != nil {
			left <- err
			return
		}
		_, err := burnMilliseconds(ms)
		left <- err
	}()
	err := <-left
	return used(syscall.RUSAGE_SELF) - before, err
}

// burnInLeavingChildren burns 40 ms in each of n children that leave their cgroup and end.
func burnInLeavingChildren(n int) (int64, error) {
	before := used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN)
	for range n {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "TEST_PROGRAM=once", "TEST_BURN=40", "TEST_LEAVE=1")
		if err := c.Run(); err != nil {
			return 0, err
		}
	}
	return used(syscall.RUSAGE_SELF) + used(syscall.RUSAGE_CHILDREN) - before, nil
}

var held []byte

// hold has the kernel fill in the pages, so nothing but they is counted: private ones,
// or such as could be shared.
func hold(megabytes, as int) (int64, error) {
	var err error
	held, err = unix.Mmap(-1, 0, megabytes<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|as|unix.MAP_POPULATE)
	return int64(len(held)), err
}

// sleepOften gives up the CPU n times, in one thread, at least.
func sleepOften(n int) (int64, error) {
	for range n {
		pause := syscall.NsecToTimespec(int64(50 * time.Microsecond))
		// The runtime's own signals may cut it short, which is a switch all the same.
		if err := syscall.Nanosleep(&pause, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			return 0, err
		}
	}
	return int64(n), nil
}
