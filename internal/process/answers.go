package process

// Checks that the answering program is among the measured ones: a command may have it started elsewhere, by a
// container engine, a supervisor, or on another machine.

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/quote"
)

// Stranger is the kind of program that answers in place of a process.
type Stranger string

// The strangers.
const (
	OtherProgram Stranger = "other-program" // a program that no command of the run started
	NoProgram    Stranger = "no-program"    // none that listens in the network namespace of tracetax
	Forwarder    Stranger = "forwarder"     // a program that passes requests on to another one
	Enclosed     Stranger = "enclosed"      // a container that the command had an engine start, with the engine's own processes around it
)

// StrangerError reports that another program answers at the address of a process.
type StrangerError struct {
	Process  string
	Args     []string // its command
	Address  string   // HOST:PORT of the process
	Stranger Stranger
	Program  string // its name; "" if unknown
	PID      int    // 0: unknown
	User     string // its user ID
}

// Error names the program that answers and the remedy.
func (e *StrangerError) Error() string {
	who := "a program of the user " + e.User + " that cannot be looked into"
	if e.PID > 0 {
		who = fmt.Sprintf("%s (pid %d)", quote.Line(e.Program), e.PID)
	}
	var what string
	switch e.Stranger {
	case NoProgram:
		what = "something answers, and no program of this machine listens"
	case Forwarder:
		what = who + " answers, which passes requests on to a program elsewhere"
	case Enclosed:
		what = "a container answers, and " + who + " of its engine would be measured along"
	default:
		what = who + " answers, which its command (" + quote.Line(strings.Join(e.Args, " ")) + ") did not start"
	}
	return fmt.Sprintf("process %s is asked at %s, where %s: the CPU and memory of that program cannot be read; %s", e.Process, e.Address, what, e.advice())
}

// launchers lists programs that have others start the program, or that reach programs elsewhere.
var launchers = []struct {
	names  []string
	advice string
}{
	{
		[]string{"docker", "docker-compose", "docker-proxy", "nerdctl", "ctr", "com.docker.backend", "podman", "podman-compose", "podman-remote", "conmon"},
		useImage,
	},
	{[]string{"systemd-run"}, "have it be the parent of the program: systemd-run --scope"},
	{[]string{"systemctl", "supervisorctl", "pm2", "launchctl"}, "run the command of the service itself, in the foreground"},
	{[]string{"tmux", "start-stop-daemon"}, "run the program itself, in the foreground"},
	{
		[]string{"kubectl", "oc", "minikube"},
		"the program runs in a pod, elsewhere: " + useImage + "; or run tracetax on the machine where it runs",
	},
	{
		[]string{"ssh", "autossh", "gcloud", "cloudflared", "ngrok", "chisel", "telepresence"},
		"run tracetax on the machine, or in the container, where the program runs",
	},
}

// useImage is the remedy for commands that have a container engine start a program.
const useImage = "use image: in its place (--image IMAGE on the command line): tracetax then has docker or podman start the container, " +
	"and reads the container's own cgroup"

// engines map commands to the words by which they have a program run that is none of their own, or reach one.
var engines = map[string][]string{
	"docker": {"run", "start", "exec", "attach", "compose"}, "podman": {"run", "start", "exec", "attach", "compose", "play", "kube"},
	"nerdctl": {"run", "start", "exec", "compose"}, "docker-compose": {"up", "run", "start"}, "podman-compose": {"up", "run", "start"},
	"ctr": {"run"}, "kubectl": {"port-forward", "proxy", "exec", "run", "attach"}, "oc": {"port-forward", "proxy", "exec", "run", "rsh", "attach"},
}

// before are programs that have a later word of their command run.
var before = []string{"chrt", "doas", "env", "exec", "ionice", "nice", "nohup", "numactl", "setsid", "stdbuf", "sudo", "taskset", "time", "timeout"}

// Enclosing returns what a command does and the remedy, "docker run" and "use image: …", if it has a container engine start the
// program, or reaches one in a cluster; "" otherwise.
func Enclosing(command []string) (what, remedy string) {
	for i, word := range command {
		name := filepath.Base(word)
		for _, by := range engines[name] {
			if slices.Contains(command[i+1:], by) {
				what = name + " " + by
				return what, (&StrangerError{Program: name}).advice()
			}
		}
		if !slices.Contains(before, name) && !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && strings.Trim(word, "0123456789.smh") != "" {
			return "", ""
		}
	}
	return "", ""
}

// advice picks the remedy by the words of the command, or by the program that answers.
func (e *StrangerError) advice() string {
	words := []string{e.Program}
	for _, arg := range e.Args {
		for _, word := range strings.Fields(arg) { // the argument of sh -c has several
			words = append(words, filepath.Base(word))
		}
	}
	for _, l := range launchers {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(l.names, w) }) {
			return l.advice
		}
	}
	if e.Stranger == Forwarder {
		return "have the command start the program that answers, too, and ask that one"
	}
	return "have the command start the program itself, in the foreground"
}

// forwarders pass the connections to a port on to another program, which does the work.
var forwarders = []string{
	"ssh", "autossh", "kubectl", "oc", "socat", "nc", "ncat", "redir", "rinetd", "systemd-socket-proxyd", "docker-proxy",
	"rootlessport", "slirp4netns", "pasta", "passt", "pasta.avx2", "passt.avx2", "cloudflared", "ngrok", "chisel", "telepresence",
}

// Answers finds the program that answers at the HOST:PORT of a process. run: all processes whose use is read; apps: those that
// may be the program. It returns a *StrangerError if none of them answers, and seen is false if that is unknown.
func (p *Process) Answers(in *Tables, address string, run, apps []int) (seen bool, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, nil // it has no port
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false, fmt.Errorf("looking who answers at %s: %w", address, err)
	}
	answer := in.Answers(host, uint16(number), run)
	stranger := &StrangerError{
		Process: p.Name(), Args: p.command.Args, Address: address, Program: answer.Name, PID: answer.PID, User: answer.User,
	}
	switch {
	case !answer.Seen:
		return false, nil
	case answer.Nobody:
		stranger.Stranger = NoProgram
	case len(answer.Own) == 0:
		stranger.Stranger = OtherProgram
	default:
		if watcher := around(apps); watcher > 0 {
			stranger.Stranger, stranger.PID, stranger.Program = Enclosed, watcher, inspect.Name(watcher)
			return true, stranger
		}
		for _, pid := range answer.Own {
			if !forwards(pid) {
				return true, nil
			}
		}
		for _, pid := range apps {
			if one := in.Of([]int{pid}); !forwards(pid) && len(one.Listening) > 0 {
				return true, nil // the target of the forwarder
			}
		}
		stranger.Stranger, stranger.PID, stranger.Program = Forwarder, answer.Own[0], inspect.Name(answer.Own[0])
	}
	return true, stranger
}

// around returns the PID of what an engine leaves with a container, among these processes; 0 if there is none.
func around(apps []int) int {
	if i := slices.IndexFunc(apps, func(pid int) bool { return slices.Contains(watchers, inspect.Name(pid)) }); i >= 0 {
		return apps[i]
	}
	return 0
}

func forwards(pid int) bool { return slices.Contains(forwarders, inspect.Name(pid)) }
