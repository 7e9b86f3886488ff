// Commands that make artefacts: their output goes to a log, and its end is kept for the
// error. Each has a keeper, so none outlives tracetax.

package artifact

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/quote"
)

// outputLimit bounds the bytes of a command's output that an error keeps, the last ones.
const outputLimit = 16 << 10

// command is a program to be run to its end.
type command struct {
	at   site // nothing where it leaves nothing behind, as when it is asked for its version
	args []string
	dir  string
	env  []string // added to the environment of tracetax
}

// run runs the command, ending it and all that it started when ctx ends.
func (c command) run(ctx context.Context) error {
	tail := &tail{limit: outputLimit}
	var out io.Writer = tail
	log := ""
	if c.at.log != nil {
		if _, err := fmt.Fprintf(c.at.log, "$ %s\n", strings.Join(c.args, " ")); err != nil {
			return err
		}
		out, log = io.MultiWriter(tail, c.at.log), c.at.log.path
	}
	err := c.job(nil, out).Run(ctx)
	if err != nil && ctx.Err() == nil {
		return &commandError{args: c.args, err: err, output: tail.String(), log: log}
	}
	return err
}

// output runs the command and returns what it wrote to its standard output.
func (c command) output(ctx context.Context) (string, error) {
	var out bytes.Buffer
	errOut := &tail{limit: outputLimit}
	err := c.job(&out, errOut).Run(ctx)
	if err != nil && ctx.Err() == nil {
		err = &commandError{args: c.args, err: err, output: errOut.String()}
	}
	return strings.TrimSpace(out.String()), err
}

func (c command) job(out, errOut io.Writer) process.Job {
	env := os.Environ()
	if c.at.scratch != nil {
		env = append(env, c.at.scratch.env()...)
	}
	return process.Job{
		Name: "make", Args: c.args, Dir: c.dir, Env: append(env, c.env...),
		Stdout: out, Stderr: errOut, Held: c.at.held,
	}
}

// tail keeps the last bytes that were written to it.
type tail struct {
	limit int
	kept  []byte
	cut   bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = t.kept[over:]
		t.cut = true
	}
	return len(b), nil
}

func (t *tail) String() string {
	if t.cut {
		return "…" + string(t.kept)
	}
	return string(t.kept)
}

// The output of the commands that make a folder: all of it goes to a log, and an error has its last lines.

// logShelf holds the logs, in the store. Sweeping leaves them: nothing in there is half made.
const logShelf = "logs"

// commandLog is the log of the commands that make one folder. There is a file once there is something in it.
type commandLog struct {
	path string
	file *os.File
}

func (s *Store) newLog(kind, key string) *commandLog {
	return &commandLog{path: filepath.Join(s.dir, logShelf, kind+"-"+key+".log")}
}

// Write adds to the log, without colours.
func (l *commandLog) Write(b []byte) (int, error) {
	if l.file == nil {
		if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
			return 0, fmt.Errorf("making the folder of logs: %w", err)
		}
		var err error
		// A registry's address may hold a secret.
		if l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err != nil {
			return 0, fmt.Errorf("making the log of a command: %w", err)
		}
	}
	return plain{l.file}.Write(b)
}

// Close ends the log.
func (l *commandLog) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// colour is what programs write to a terminal beside their words: mvn does so
// despite its options, and an error may end in a file.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// plain passes on what is written to it, without colours.
type plain struct{ to io.Writer }

func (p plain) Write(b []byte) (int, error) {
	text := colour.ReplaceAll(b, nil)
	if len(text) == 0 {
		return len(b), nil
	}
	if _, err := p.to.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// commandError is a command that failed, with what it wrote.
type commandError struct {
	args   []string
	err    error
	output string // the end of it
	log    string // the file with all of it; "" where there is none
}

// toldLines is the number of last lines of a failed command's output in its error.
const toldLines = 20

func (e *commandError) Error() string {
	output := strings.TrimRight(colour.ReplaceAllString(e.output, ""), "\n")
	lines := strings.Split(output, "\n")
	told := strings.Join(lines[max(0, len(lines)-toldLines):], "\n")
	text := fmt.Sprintf("%s: %v\n%s", quote.Line(strings.Join(e.args, " ")), e.err, quote.Text(told))
	if e.log != "" {
		text += "\nall that it said: " + e.log
	}
	return text
}

func (e *commandError) Unwrap() error { return e.err }

// tell writes one line of progress; to may be nil.
func tell(to io.Writer, format string, args ...any) {
	if to != nil {
		fmt.Fprintf(to, format+"\n", args...)
	}
}

// What must be on the machine already.

// Missing returns a sentence for each need that this machine does not meet:
// what is missing, and how to get it.
func Missing(needs []program.Need) []string {
	var missing []string
	for _, need := range needs {
		switch {
		case need.Reason != "":
			missing = append(missing, need.Reason)
		case need.Command == "":
		case executable(need) == "":
			missing = append(missing, sentence(need))
		default:
			if words, refused := refusal(need); refused {
				missing = append(missing, fmt.Sprintf("%s cannot do its work here (%s): %s", need.Command, words, need.Else))
			}
		}
	}
	return missing
}

// tryPatience bounds the time of a tried command.
const tryPatience = 5 * time.Second

// refusal returns the output of a tried command that failed.
func refusal(need program.Need) (words string, refused bool) {
	if need.Try == "" {
		return "", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), tryPatience)
	defer cancel()
	c := exec.CommandContext(ctx, executable(need), strings.Fields(need.Try)...)
	c.Args[0] = need.Command // which it calls itself
	said, err := c.CombinedOutput()
	if err == nil {
		return "", false
	}
	if text := strings.TrimSpace(string(said)); text != "" {
		return quote.Lines(strings.Split(text, "\n"), "; "), true
	}
	return err.Error(), true
}

// executable is the file that meets a need for a command: that of the PATH, or the last
// of those off it; "" where there is none.
func executable(need program.Need) string {
	if path, err := exec.LookPath(need.Command); err == nil {
		return path
	}
	if path := Instead([]program.Need{need}); path != "" {
		return path
	}
	if need.Also == "" {
		return ""
	}
	found, err := filepath.Glob(need.Also)
	if err != nil || len(found) == 0 { // an error is that of a pattern, which was checked when it was read
		return ""
	}
	return found[len(found)-1]
}

// Instead is the program that stands in for what a build makes, where a command that the build needs is not there; "" where
// all are, or there is none.
func Instead(needs []program.Need) string {
	for _, need := range needs {
		if need.Instead == "" {
			continue
		}
		if _, err := exec.LookPath(need.Command); err == nil {
			continue
		}
		if path, err := exec.LookPath(need.Instead); err == nil {
			return path
		}
	}
	return ""
}

func sentence(need program.Need) string {
	text := fmt.Sprintf("%s is not installed, or not on the PATH", need.Command)
	if need.Install != "" {
		text += ": " + need.Install
	}
	return text
}

// The versions of needed commands.

// colours are the control sequences that some programs write around their version, into files too.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Versions returns the first line of what each needed command says of its
// version; for one that does not answer, that it is not known.
func Versions(ctx context.Context, needs []program.Need) map[string]string {
	versions := map[string]string{}
	for _, need := range needs {
		if need.Command == "" {
			continue
		}
		args := []string{need.Command, "--version"}
		if file := executable(need); file != "" {
			args[0] = file
		}
		if need.Command == "go" {
			args[1] = "version"
		}
		said, err := command{args: args}.output(ctx)
		if err != nil {
			said = "not known"
		}
		first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
		versions[need.Command] = strings.TrimSpace(colours.ReplaceAllString(first, ""))
	}
	return versions
}
