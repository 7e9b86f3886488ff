// Profiles that are lines of text: async-profiler's collapsed stacks, and what perf script prints.

package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// readCollapsed reads lines of frames, the outermost first, and a value: [thread tid=12];a/b/C.run;d/E.f 17.
func readCollapsed(b *builder, r io.Reader) error {
	var stack []int32
	return eachLine(r, func(_ int, line []byte) error {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return nil
		}
		at := bytes.LastIndexByte(line, ' ')
		value, err := strconv.ParseInt(string(line[at+1:]), 10, 64)
		if at < 0 || err != nil {
			return errors.New("a line ends with a space and a whole number; is the file's end missing?")
		}
		thread, frames := cutThread(line[:at])
		stack = stack[:0]
		for more := len(frames) > 0; more; {
			var name []byte
			name, frames, more = bytes.Cut(frames, []byte(";"))
			if len(stack) < 2*maxDepth { // a name may hold as many ; as it likes
				stack = append(stack, b.frame(javaName(string(name[:min(len(name), 2*maxName)])), "", 0))
			}
		}
		return b.add(thread, stack, value, value)
	})
}

// threadEnd is behind the name of a thread, which may hold anything.
var threadEnd = regexp.MustCompile(` tid=\d+\](;|$)`)

// cutThread takes the thread from the front of a line's frames.
func cutThread(frames []byte) (thread string, rest []byte) {
	if len(frames) == 0 || frames[0] != '[' {
		return "", frames
	}
	if end := threadEnd.FindIndex(frames); end != nil {
		return normalThread(string(frames[1:min(end[0], 2*maxName)])), frames[end[1]:]
	}
	return "", frames
}

// javaName is a Java method by dots; names of others are as they are, but for the mark of the kernel's.
func javaName(name string) string {
	name = strings.TrimSuffix(name, "_[k]")
	if strings.HasPrefix(name, "/") || strings.ContainsAny(name, " ([:") {
		return name
	}
	return strings.ReplaceAll(name, "/", ".")
}

// sampleHead is the first line of a sample of perf script: the program's name, process and thread, time, period, event.
var sampleHead = regexp.MustCompile(`^\s*(\S.*?)\s+(?:-?\d+/)?-?\d+\s+(?:\[\d+\]\s+)?(?:[\d.]+:\s+)?(?:(\d+)\s+)?([\w.:/=-]+):?\s*$`)

// perfOffset is behind the symbol of a frame.
var perfOffset = regexp.MustCompile(`\+0x[0-9a-f]+$`)

// readPerf reads samples: a line of each, then a line for each frame, the innermost first, then an empty one. The period
// of the clock's events is in nanoseconds; without it, samples are counted.
func readPerf(b *builder, r io.Reader) error {
	var stack []int32
	var thread string
	var period int64
	var inside, timed, untimed bool
	end := func() error {
		if !inside {
			return nil
		}
		inside = false
		slices.Reverse(stack)
		return b.add(thread, stack, period, 1)
	}
	err := eachLine(r, func(_ int, line []byte) error {
		line = bytes.TrimRight(line, "\r")
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			return end()
		case line[0] == '#' && !inside:
			return nil
		case inside && (line[0] == '\t' || line[0] == ' '):
			name, file, err := perfFrame(string(line[:min(len(line), 8*maxName)]))
			if err == nil && len(stack) < 2*maxDepth {
				stack = append(stack, b.frame(name, file, 0))
			}
			return err
		}
		if err := end(); err != nil {
			return err
		}
		head := sampleHead.FindSubmatch(line[:min(len(line), 4*maxName)])
		if head == nil {
			return errors.New("this is no sample of perf script, NAME PROCESS/THREAD TIME: PERIOD EVENT")
		}
		thread, stack, inside, period = normalThread(string(head[1])), stack[:0], true, 1
		clock := strings.Contains(string(head[3]), "clock")
		if len(head[2]) > 0 && clock {
			var err error
			if period, err = strconv.ParseInt(string(head[2]), 10, 64); err != nil {
				return fmt.Errorf("the period %s is no number of nanoseconds", head[2])
			}
			timed = true
		} else {
			untimed = true
		}
		if timed && untimed {
			return errors.New("some samples tell their period and others do not: ask perf script for -F comm,tid,time,period,event,ip,sym,dso")
		}
		return nil
	})
	if err == nil {
		err = end()
	}
	if timed {
		b.p.Unit = Nanoseconds
	}
	return err
}

// perfFrame is the symbol of a frame's line, and its library: ADDRESS SYMBOL+OFFSET (LIBRARY).
func perfFrame(line string) (name, file string, err error) {
	address, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if address == "" || strings.Trim(address, "0123456789abcdef") != "" {
		return "", "", errors.New("this is no frame of perf script: ADDRESS SYMBOL+OFFSET (LIBRARY)")
	}
	if name, file, _ = split(rest); file != "" && !strings.HasPrefix(file, "[") {
		file = path.Base(file)
	}
	return perfOffset.ReplaceAllString(name, ""), file, nil
}
