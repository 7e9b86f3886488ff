// Package container owns the commands of container engines (docker, podman) and what they print: images, and containers that are
// started attached, on the host's network, under a name of ours. It must not know experiments, variants, or what is measured.
package container

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/quote"
)

// The engines, in the order in which they are looked for.
const (
	Docker = "docker"
	Podman = "podman"
)

// Engines lists the engines that an image may be given to.
func Engines() []string { return []string{Docker, Podman} }

// Engine is a container engine on this machine, by its command.
type Engine struct {
	Name string // docker or podman
	Path string // of its command
}

// Lacking says what is not installed where no command of that engine is here, or of any without a name; "" if one is. Whether it answers
// is for Find to ask.
func Lacking(name string) string {
	names := Engines()
	if name != "" {
		names = []string{name}
	}
	for _, one := range names {
		if _, err := exec.LookPath(one); err == nil {
			return ""
		}
	}
	return fmt.Sprintf("%s is not installed: install and start it, or run the program without an image", strings.Join(names, " or "))
}

// Find returns the engine of a name, or, without a name, the first one that is here and answers.
func Find(ctx context.Context, name string) (Engine, error) {
	names := Engines()
	if name != "" {
		names = []string{name}
	}
	var why []string
	for _, one := range names {
		path, err := exec.LookPath(one)
		if err != nil {
			why = append(why, one+" is not installed")
			continue
		}
		e := Engine{Name: one, Path: path}
		format := "{{.Server.Version}}"
		if one == Podman {
			format = "{{.Client.Version}}"
		}
		if _, err := e.ask(ctx, "version", "--format", format); err != nil {
			why = append(why, err.Error())
			continue
		}
		return e, nil
	}
	return Engine{}, fmt.Errorf("no container engine answers: %s; install and start docker or podman, or run the program without an image",
		strings.Join(why, "; "))
}

// commandError is the failure of an engine's command, in its own words.
type commandError struct {
	command string // "docker pull"
	said    string // the last line of its standard error
	err     error
}

func (e *commandError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("%s: %v", e.command, e.err)
	}
	return e.command + ": " + e.said
}

func (e *commandError) Unwrap() error { return e.err }

// patience bounds a question to an engine that does not answer.
const patience = 2 * time.Minute

// ask runs a command of the engine and returns what it prints.
func (e Engine) ask(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := exec.CommandContext(ctx, e.Path, args...)
	c.WaitDelay = time.Second
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return "", &commandError{command: e.Name + " " + args[0], said: lastLine(said.String()), err: err}
	}
	return strings.TrimSpace(out.String()), nil
}

// lastLine returns the last line of a text that says something, quoted; docker adds a hint to use --help.
func lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.Contains(line, "--help'") {
			return quote.Line(line)
		}
	}
	return ""
}

// Label is on all containers of tracetax; its value begins with the PID of the tracetax that started it.
const Label = "tracetax"

// hostLabel is on all of them, too: PIDs are those of one machine, since one boot, in one namespace.
const hostLabel = "tracetax.host"

// host returns the value of hostLabel here; "" if it is unknown.
func host() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "-" + strings.Trim(namespace, "pid:[]")
}

// Mount is a folder of this machine that a container sees at the same path.
type Mount struct {
	Dir   string
	Write bool
}

// Spec is a container to start.
type Spec struct {
	Engine Engine
	Image  string   // its ID
	Name   string   // unique on this machine
	Owner  string   // value of its label: PID-…
	Args   []string // its whole command
	Dir    string   // working directory; "" is the image's
	Mounts []Mount
	CPUs   string  // as the kernel lists them; "" is all
	Quota  float64 // CPUs' worth of time; 0 is no limit
	Memory int64   // bytes; 0 is no limit
}

// Command returns the engine's command that starts the container, attached and on the host's network. variables: a file of its
// variables as WriteVariables makes it; more: those that such a file cannot hold.
func (s Spec) Command(variables string, more []string) []string {
	out := []string{
		s.Engine.Path, "run", "--rm", "--network", "host", "--pull", "never", "--log-driver", "none", "--no-healthcheck",
		"--name", s.Name, "--label", Label + "=" + s.Owner, "--label", hostLabel + "=" + host(), "--env-file", variables,
	}
	for _, pair := range more {
		out = append(out, "--env", pair)
	}
	for _, m := range s.Mounts {
		out = append(out, "--mount", m.flag())
	}
	if s.Dir != "" {
		out = append(out, "--workdir", s.Dir)
	}
	if s.CPUs != "" {
		out = append(out, "--cpuset-cpus", s.CPUs)
	}
	if s.Quota > 0 {
		out = append(out, "--cpus", strconv.FormatFloat(s.Quota, 'f', -1, 64))
	}
	if s.Memory > 0 {
		out = append(out, "--memory", strconv.FormatInt(s.Memory, 10))
	}
	return append(append(out, "--entrypoint", s.Args[0], s.Image), s.Args[1:]...)
}

// flag returns the value of --mount, which is a line of CSV.
func (m Mount) flag() string {
	fields := []string{"type=bind", "source=" + m.Dir, "target=" + m.Dir}
	if !m.Write {
		fields = append(fields, "readonly")
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	_ = w.Write(fields) // a builder takes all
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// WriteVariables writes NAME=value pairs to a file that only this user reads, for an engine: a command line would show them to
// all users. more are the pairs that such a file cannot hold.
func WriteVariables(path string, pairs []string) (more []string, err error) {
	var text strings.Builder
	for _, pair := range pairs {
		if strings.ContainsAny(pair, "\n\r") || !utf8.ValidString(pair) {
			more = append(more, pair)
			continue
		}
		text.WriteString(pair + "\n")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("writing the variables of a container: %w", err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return nil, fmt.Errorf("writing the variables of a container: %w", err)
	}
	return more, nil
}

// State is a container at a moment.
type State struct {
	ID      string
	PID     int // of its main process; 0: it does not run
	Started time.Time
}

// State returns the state of a container by its name; an error if there is none, yet or any more.
func (e Engine) State(ctx context.Context, name string) (State, error) {
	text, err := e.ask(ctx, "inspect", "--type", "container", name)
	if err != nil {
		return State{}, err
	}
	return parseState(text)
}

func parseState(text string) (State, error) {
	var all []struct {
		ID    string `json:"Id"`
		State struct {
			PID       int `json:"Pid"`
			StartedAt time.Time
		}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != 1 {
		return State{}, errors.Join(errors.New("what the engine says of a container is not in the known format"), err)
	}
	return State{ID: all[0].ID, PID: all[0].State.PID, Started: all[0].State.StartedAt}, nil
}

// Removal returns the command that ends a container and removes it; it may fail if there is none.
func (e Engine) Removal(name string) []string {
	command := []string{e.Path, "rm", "--force", "--volumes"}
	if e.Name == Podman {
		command = append(command, "--ignore")
	}
	return append(command, name)
}

// Remove ends a container and removes it.
func (e Engine) Remove(ctx context.Context, name string) error {
	if e.Name != Podman {
		_, err := e.ask(ctx, e.Removal(name)[1:]...)
		return err
	}
	_ = e.Kill(ctx, name) // it may not run; a removal alone would give it ten seconds
	_, err := e.ask(ctx, e.Removal(name)[1:]...)
	if err != nil { // it waits in vain for a conmon that was killed, and then knows that the container has ended
		_, err = e.ask(ctx, e.Removal(name)[1:]...)
	}
	return err
}

// Kill kills the processes of a container.
func (e Engine) Kill(ctx context.Context, name string) error {
	_, err := e.ask(ctx, "kill", "--signal", "KILL", name)
	return err
}

// RanOut reports whether the kernel killed in a container for want of memory since a moment, by the engine's events; false if
// the engine keeps none.
func (e Engine) RanOut(ctx context.Context, name string, since time.Time) bool {
	if e.Name != Docker {
		return false
	}
	at := func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
	said, err := e.ask(ctx, "events", "--since", at(since), "--until", at(time.Now().Add(time.Second)),
		"--filter", "container="+name, "--filter", "event=oom", "--format", "{{.Action}}")
	return err == nil && strings.Contains(said, "oom")
}

// Sweep removes the containers of those tracetax of this machine that have ended.
func (e Engine) Sweep(ctx context.Context, runs func(pid int) bool) error {
	here := host()
	if here == "" {
		return nil
	}
	label := `{{.Label "` + Label + `"}}`
	if e.Name == Podman {
		label = `{{index .Labels "` + Label + `"}}`
	}
	said, err := e.ask(ctx, "ps", "--all", "--no-trunc", "--filter", "label="+hostLabel+"="+here, "--format", "{{.ID}} "+label)
	if err != nil {
		return fmt.Errorf("looking for containers of an earlier tracetax: %w", err)
	}
	var errs []error
	for line := range strings.Lines(said) {
		id, owner, ok := strings.Cut(strings.TrimSpace(line), " ")
		number, _, _ := strings.Cut(owner, "-")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || runs(pid) {
			continue
		}
		errs = append(errs, e.Remove(ctx, id))
	}
	return errors.Join(errs...)
}

// Controllers lists the controllers of cgroups by which the engine can limit a container; nil: all.
func (e Engine) Controllers(ctx context.Context) ([]string, error) {
	if e.Name != Podman {
		return nil, nil
	}
	said, err := e.ask(ctx, "info", "--format", "{{range .Host.CgroupControllers}}{{.}} {{end}}")
	if err != nil {
		return nil, err
	}
	return append([]string{}, strings.Fields(said)...), nil
}
