package inside

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Look looks at the programs of processes at the moment. variables are the names that each
// of them should have started with, and folder holds files that one may have open
// or mapped; "" is none. What has ended meanwhile, or may not be read, is left out.
func Look(pids []int, variables []string, folder string) []Program {
	if real, err := filepath.EvalSymlinks(folder); folder != "" && err == nil {
		folder = real
	}
	var all []Program
	for _, pid := range pids {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		program, err := os.Readlink(filepath.Join(dir, "exe"))
		if err != nil {
			continue // a zombie, for one
		}
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil {
			continue
		}
		one := Program{Program: strings.TrimSuffix(filepath.Base(program), " (deleted)")}
		for _, name := range variables {
			one.Lacks = one.Lacks || !startedWith(environ, name)
		}
		if folder != "" {
			command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
			if err != nil {
				continue
			}
			one.Command = cut(strings.TrimSpace(strings.ReplaceAll(string(command), "\x00", " ")))
			one.Holds, one.Start = holds(dir, folder), start(dir)
			one.Names = bytes.Contains(environ, []byte(folder)) || bytes.Contains(command, []byte(folder))
		}
		all = append(all, one)
	}
	return all
}

// longestCommand is how much of a command line is told, in bytes.
const longestCommand = 80

func cut(command string) string {
	if len(command) > longestCommand {
		command = command[:longestCommand] + "…"
	}
	return strings.ToValidUTF8(command, "�")
}

// start is where the kernel put the environment of a process, by chance, when its program was started: the 50th field of
// its status. Processes that fork have the same.
func start(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return ""
	}
	behind := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // from the third field on
	const at = 50 - 3
	if len(behind) <= at || behind[at] == "0" { // which is what may not be read
		return ""
	}
	return behind[at]
}

func startedWith(environ []byte, name string) bool {
	entry := []byte(name + "=")
	return bytes.HasPrefix(environ, entry) || bytes.Contains(environ, append([]byte{0}, entry...))
}

// holds reports whether a process has a file below a folder mapped or open. What cannot be
// read tells of none.
func holds(dir, folder string) bool {
	below := folder + string(filepath.Separator)
	if maps, err := os.ReadFile(filepath.Join(dir, "maps")); err == nil && bytes.Contains(maps, []byte(" "+below)) {
		return true
	}
	open, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range open {
		if file, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && strings.HasPrefix(file, below) {
			return true
		}
	}
	return false
}
