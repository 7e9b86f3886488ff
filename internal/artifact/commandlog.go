// What the commands write that make a folder: all of it goes to a log, of which an error has the last lines.

package artifact

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tracetax/tracetax/internal/excerpt"
)

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
		// What a registry's address holds is nobody else's to read.
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
// whatever it is told, and an error may end in a file.
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

// toldLines is how many of the last lines of a command that failed its error has.
const toldLines = 20

func (e *commandError) Error() string {
	output := strings.TrimRight(colour.ReplaceAllString(e.output, ""), "\n")
	lines := strings.Split(output, "\n")
	told := strings.Join(lines[max(0, len(lines)-toldLines):], "\n")
	text := fmt.Sprintf("%s: %v\n%s", excerpt.Line(strings.Join(e.args, " ")), e.err, excerpt.Text(told))
	if e.log != "" {
		text += "\nall that it said: " + e.log
	}
	return text
}

func (e *commandError) Unwrap() error { return e.err }

// tell says in one line what is being made, to whoever waits for it; to may be nil.
func tell(to io.Writer, format string, args ...any) {
	if to != nil {
		fmt.Fprintf(to, format+"\n", args...)
	}
}
