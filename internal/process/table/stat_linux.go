package table

// What /proc says of a single process.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// stat is what is wanted of /proc/PID/stat.
type stat struct {
	state           byte
	parent, session int
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

// parseStat reads the fields after the program's name, which stands in
// parentheses and may itself hold spaces and parentheses.
func parseStat(text string) (stat, error) {
	_, rest, ok := cutLast(text, ')')
	fields := strings.Fields(rest)
	if !ok || len(fields) < 4 || len(fields[0]) != 1 {
		return stat{}, fmt.Errorf("process status %q is not what was expected", text)
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	return stat{fields[0][0], parent, session}, errors.Join(err1, err2)
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// vanished reports whether err only means that the process has ended meanwhile.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// Running reports whether a process has not ended; a zombie has.
func Running(pid int) bool {
	s, err := readStat(pid)
	return err == nil && s.state != 'Z' && s.state != 'X'
}
