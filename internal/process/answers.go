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
		[]string{"docker", "docker-compose", "docker-proxy", "nerdctl", "ctr", "com.docker.backend"},
		"a container belongs to its engine, not to the command that asks for it: run the program without a container, " +
			"or by 'podman run' in the foreground (without -d), which takes the same arguments",
	},
	{
		[]string{"podman", "podman-compose", "podman-remote"},
		"run its container in the foreground, as the user of tracetax: 'podman run' without -d, --remote and systemd",
	},
	{[]string{"systemd-run"}, "have it be the parent of the program: systemd-run --scope"},
	{[]string{"systemctl", "supervisorctl", "pm2", "launchctl"}, "run the command of the service itself, in the foreground"},
	{[]string{"tmux", "start-stop-daemon"}, "run the program itself, in the foreground"},
	{
		[]string{"ssh", "autossh", "kubectl", "oc", "minikube", "gcloud", "cloudflared", "ngrok", "chisel", "telepresence"},
		"run tracetax on the machine, or in the container, where the program runs",
	},
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

func forwards(pid int) bool { return slices.Contains(forwarders, inspect.Name(pid)) }
