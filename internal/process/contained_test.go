package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/container/enginetest"
	"github.com/tracetax/tracetax/internal/process/cgroup"
	"golang.org/x/sys/unix"
)

// inContainer starts the burner in a container at a free port.
func inContainer(t *testing.T, l *Launcher, name string, of container.Image, change func(*Command)) (p *Process, address string, err error) {
	t.Helper()
	ports, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(ports[0])
	c := Command{
		Name: name, Args: of.Command, Env: []string{"PORT=" + port},
		Container: &Container{Engine: of.Engine, Image: of.ID, Folder: t.TempDir()},
	}
	if change != nil {
		change(&c)
	}
	p, err = l.Start(t.Context(), c)
	return p, "127.0.0.1:" + port, err
}

func get(t *testing.T, address, path string) string {
	t.Helper()
	answer, err := http.Get("http://" + address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A program in a container of a real engine: what is read of it, what it is given, how it ends, and that nothing of it is left.
func TestContainers(t *testing.T) {
	burner := enginetest.Burner(t)
	for name, start := range map[string]func(*testing.T) container.Engine{"docker": enginetest.Docker, "podman": enginetest.Podman} {
		t.Run(name, func(t *testing.T) { testContainers(t, start(t), burner) })
	}
}

func testContainers(t *testing.T, engine container.Engine, burner string) {
	enginetest.Image(t, engine, "burner:1", enginetest.Config{Entrypoint: []string{"/burner"}}, map[string]string{"/burner": burner})
	image, err := container.Of(t.Context(), engine, "burner:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("accounts", func(t *testing.T) { testAccounts(t, image) })
	t.Run("given", func(t *testing.T) { testGiven(t, image) })
	t.Run("ends", func(t *testing.T) { testEnds(t, image) })
	t.Run("answers", func(t *testing.T) { testContainerAnswers(t, image, burner) })
	t.Run("died with tracetax", func(t *testing.T) { testKilledTracetax(t, image) })
	if left := enginetest.Containers(t, engine); len(left) > 0 {
		t.Errorf("containers are left: %q", left)
	}
}

func clockOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &at); err != nil {
		t.Fatal(err)
	}
	return time.Duration(at.Nano())
}

func groupCPU(t *testing.T, p *Process) time.Duration {
	t.Helper()
	if dir := p.Groups()["cpuacct"]; dir != "" {
		text, err := cgroup.Read(filepath.Join(dir, "cpuacct.usage"))
		if err != nil {
			t.Fatal(err)
		}
		ns, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(ns)
	}
	text, err := cgroup.Read(filepath.Join(p.Groups()["unified"], "cpu.stat"))
	if err != nil {
		t.Fatal(err)
	}
	var micros int64
	if _, err := fmt.Sscanf(text, "usage_usec %d", &micros); err != nil {
		t.Fatal(err)
	}
	return time.Duration(micros) * time.Microsecond
}

// The cgroup and the clock of the main process agree; the engine's own processes are apart.
func testAccounts(t *testing.T, image container.Image) {
	p, address, err := inContainer(t, open(t, AccountingAuto), "burner", image, func(c *Command) { c.Env = append(c.Env, "BURN=20ms") })
	if err != nil {
		t.Fatal(err)
	}
	ready(t, p, "tcp://"+address)
	group, clock := groupCPU(t, p), clockOf(t, p.PID())
	for range 60 {
		get(t, address, "/")
	}
	group, clock = groupCPU(t, p)-group, clockOf(t, p.PID())-clock
	const burnt, tick = 60 * 20 * time.Millisecond, 4 * time.Millisecond // a thread that runs while it is read is behind by a tick
	if off := (group - clock).Abs(); clock < burnt || off > clock/1000+tick {
		t.Errorf("the cgroup has %v and the clock %v, of at least %v", group, clock, burnt)
	}
	pids, err := p.Pids()
	if err != nil || !slices.Contains(pids, p.PID()) {
		t.Errorf("processes %v without %d, error %v", pids, p.PID(), err)
	}
	helpers := p.Helpers()
	around, err := helpers.Pids()
	if err != nil || len(around) < 2 || slices.ContainsFunc(around, func(pid int) bool { return slices.Contains(pids, pid) }) {
		t.Errorf("the engine's processes are %v beside %v, error %v", around, pids, err)
	}
	if helpers.Name() != "engine@burner" || time.Since(p.Started()) > time.Minute || time.Since(p.Started()) < 0 {
		t.Errorf("%s, started %v", helpers.Name(), p.Started())
	}
	if killed, err := p.Stop(t.Context(), 10*time.Second); killed || err != nil || p.Exit().Code != 0 {
		t.Errorf("stopped: killed %t, %v, error %v", killed, p.Exit(), err)
	}
	if log := p.Log().Tail(1); len(log) != 1 || log[0] != "ended in order" {
		t.Errorf("its log ends with %q", log)
	}
}

// Variables, folders, CPUs and limits are those of the command.
func testGiven(t *testing.T, image container.Image) {
	dir := t.TempDir()
	odd := filepath.Join(dir, `a, "b"`) // of --mount's CSV
	for _, folder := range []string{odd, filepath.Join(dir, "own")} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "file"), []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const lines = "two\nlines"
	p, address, err := inContainer(t, open(t, AccountingAuto), "burner", image, func(c *Command) {
		c.Env = append(c.Env, "ODD= #x=\"$y\" ", "LINES="+lines)
		c.Container.Mounts = []container.Mount{{Dir: odd}, {Dir: filepath.Join(dir, "own"), Write: true}}
		c.CPUs, c.Quota, c.Memory, c.Dir = []int{0}, 0.5, 64<<20, dir
	})
	if err != nil {
		t.Fatal(err)
	}
	ready(t, p, "tcp://"+address)
	for of, want := range map[string]string{"ODD": ` #x="$y" `, "LINES": lines} {
		if got := get(t, address, "/env?of="+of); got != want {
			t.Errorf("%s is %q, want %q", of, got, want)
		}
	}
	for folder, want := range map[string]string{odd: "text|<nil>|false", filepath.Join(dir, "own"): "text|<nil>|true"} {
		if got := get(t, address, "/file?of="+url.QueryEscape(filepath.Join(folder, "file"))); got != want {
			t.Errorf("%s gives %q, want %q", folder, got, want)
		}
	}
	if at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.PID())); err != nil || at != dir {
		t.Errorf("it works in %s, error %v", at, err)
	}
	groups := p.Groups()
	limits := map[string]string{
		filepath.Join(groups["cpuset"], "cpuset.cpus"): "0", filepath.Join(groups["cpu"], "cpu.cfs_quota_us"): "50000",
		filepath.Join(groups["memory"], "memory.limit_in_bytes"): strconv.Itoa(64 << 20),
	}
	if groups["unified"] != "" {
		limits = map[string]string{
			filepath.Join(groups["unified"], "cpuset.cpus"): "0", filepath.Join(groups["unified"], "cpu.max"): "50000 100000",
			filepath.Join(groups["unified"], "memory.max"): strconv.Itoa(64 << 20),
		}
	}
	for file, want := range limits {
		if got, err := cgroup.Read(file); err != nil || got != want {
			t.Errorf("%s is %q, want %q; error %v", file, got, want, err)
		}
	}
	go func() { // it does not answer
		if answer, err := http.Get("http://" + address + "/hold"); err == nil {
			answer.Body.Close()
		}
	}()
	<-p.Done()
	if exit := p.Exit(); exit.Signal != syscall.SIGKILL || exit.OutOfMemory != (image.Engine.Name == container.Docker) { // podman tells nobody why
		t.Errorf("without memory it ended with %q", exit)
	}
}

func testEnds(t *testing.T, image container.Image) {
	l := open(t, AccountingAuto)
	p, address, err := inContainer(t, l, "dies", image, nil)
	if err != nil {
		t.Fatal(err)
	}
	ready(t, p, "tcp://"+address)
	if answer, err := http.Get("http://" + address + "/exit"); err == nil {
		answer.Body.Close()
	}
	<-p.Done()
	if died := p.Died(); died.Exit.Code != 3 {
		t.Errorf("it died with %v", died)
	}
	var died *DiedError
	if _, _, err := inContainer(t, l, "nothing", image, func(c *Command) { c.Args = []string{"/nothing"} }); !errors.As(err, &died) || !strings.Contains(err.Error(), "/nothing") {
		t.Errorf("a command that is not there: %v", err)
	}
	if _, _, err := inContainer(t, l, "at-once", image, func(c *Command) { c.Env = []string{"BURN=x"} }); !errors.As(err, &died) {
		if p, err := l.all["at-once"], error(nil); p == nil || err != nil {
			t.Errorf("a program that ends at once: %v", err)
		}
	}
	files := map[string]string{"/sleep": "/bin/sleep"}
	for _, lib := range libraries(t, "/bin/sleep") {
		files[lib] = lib
	}
	enginetest.Image(t, image.Engine, "sleeper:1", enginetest.Config{Entrypoint: []string{"/sleep", "60"}}, files)
	sleeper, err := container.Of(t.Context(), image.Engine, "sleeper:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, _, err = inContainer(t, l, "sleeper", sleeper, nil); err != nil {
		t.Fatal(err)
	}
	if killed, err := p.Stop(t.Context(), time.Minute); killed || err != nil {
		t.Errorf("a program without a handler: killed %t, error %v", killed, err)
	}
	if p, _, err = inContainer(t, l, "lost", sleeper, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.keeper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.gone
	if left := enginetest.Containers(t, image.Engine); len(left) > 0 || !p.Exit().Lost {
		t.Errorf("after its keeper was killed %q are left; it ended with %v", left, p.Exit())
	}
	if p, _, err = inContainer(t, l, "killed", sleeper, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

// libraries lists what a program is linked with.
func libraries(t *testing.T, program string) []string {
	t.Helper()
	ldd, err := exec.LookPath("ldd")
	if err != nil {
		t.Skip("not installed: ", err)
	}
	said, err := exec.Command(ldd, program).Output()
	if err != nil {
		t.Fatalf("what %s is linked with: %v", program, err)
	}
	var out []string
	for _, word := range strings.Fields(string(said)) {
		if strings.HasPrefix(word, "/") {
			out = append(out, word)
		}
	}
	return out
}

// Both checks of who answers hold for containers: a stranger in the program's place, and a forwarder.
func testContainerAnswers(t *testing.T, image container.Image, burner string) {
	enginetest.Image(t, image.Engine, "socat:1", enginetest.Config{Entrypoint: []string{"/socat"}}, map[string]string{"/socat": burner})
	forwarder, err := container.Of(t.Context(), image.Engine, "socat:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	l := open(t, AccountingAuto)
	for _, test := range []struct {
		name string
		of   container.Image
		at   string // "": where the program listens
		want Stranger
	}{
		{"itself", image, "", ""},
		{"stranger", image, elsewhere.Addr().String(), OtherProgram},
		{"forwarder", forwarder, "", Forwarder},
	} {
		p, address, err := inContainer(t, l, test.name, test.of, nil)
		if err != nil {
			t.Fatal(err)
		}
		ready(t, p, "tcp://"+address)
		pids, err := p.Pids()
		if err != nil {
			t.Fatal(err)
		}
		if test.at != "" {
			address = test.at
		}
		seen, err := p.Answers(new(Tables), address, pids, pids)
		var stranger *StrangerError
		if !seen || errors.As(err, &stranger) != (test.want != "") || stranger != nil && stranger.Stranger != test.want {
			t.Errorf("%s: seen %t, %v; want %q", test.name, seen, err, test.want)
		}
	}
}

// holdContainer starts a container as tracetax does, says so, and waits to be killed.
func holdContainer(args []string) error {
	l, err := NewLauncher(Options{Name: "held", LogDir: args[0]})
	if err != nil {
		return err
	}
	c := Command{
		Name: "burner", Args: []string{"/burner"}, Env: []string{"PORT=" + args[3]},
		Container: &Container{Engine: container.Engine{Name: filepath.Base(args[1]), Path: args[1]}, Image: args[2], Folder: args[0]},
	}
	p, err := l.Start(context.Background(), c)
	if err != nil {
		return err
	}
	fmt.Println(p.PID())
	select {}
}

// kill -9 of tracetax leaves no container; one whose keeper died with it is removed by the next tracetax.
func testKilledTracetax(t *testing.T, image container.Image) {
	ports, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], t.TempDir(), image.Engine.Path, image.ID, strconv.Itoa(ports[0]))
	c.Env = append(os.Environ(), "TEST_PROGRAM=container")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if left := enginetest.Containers(t, image.Engine); len(left) != 1 {
		t.Fatalf("containers %q, main process %s", left, line)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	for deadline := time.Now().Add(20 * time.Second); len(enginetest.Containers(t, image.Engine)) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("after kill -9 the containers %q are left", enginetest.Containers(t, image.Engine))
		}
	}
	create := func(name, owner string) {
		spec := container.Spec{Engine: image.Engine, Image: image.ID, Name: name, Owner: owner, Args: []string{"/burner"}}
		words := spec.Command(os.DevNull, nil)
		words = slices.DeleteFunc(slices.Replace(words, 1, 2, "create"), func(word string) bool { return word == "--rm" })
		if said, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	create("gone", fmt.Sprintf("%d-x", 1<<22+1)) // above the most of a PID
	create("ours", fmt.Sprintf("%d-x", os.Getpid()))
	if err := image.Engine.Sweep(t.Context(), Runs); err != nil {
		t.Error(err)
	}
	if left := enginetest.Containers(t, image.Engine); !slices.Equal(left, []string{"ours"}) {
		t.Errorf("swept, %q are left", left)
	}
	if err := image.Engine.Remove(t.Context(), "ours"); err != nil {
		t.Error(err)
	}
}
