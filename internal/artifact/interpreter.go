package artifact

// Python packages for an interpreter that pip does not run on, such as one in an image.

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Interpreter is a Python, and the C library below it.
type Interpreter struct {
	Name    string // cpython
	Major   int
	Minor   int
	Machine string // x86_64
	Libc    string // glibc or musl
	Libc2   int    // its second number: 36 of glibc 2.36, 2 of musl 1.2
}

// AskPython is a program of Python that prints what ParsePython reads.
const AskPython = `
import json, os, platform, sys, sysconfig
name, version = platform.libc_ver()
if name != "glibc":
    musl = [f for f in os.listdir("/lib") if f.startswith("ld-musl-")] if os.path.isdir("/lib") else []
    name, version = ("musl", "1.2") if musl else ("", "0.0")
print(json.dumps([sys.implementation.name, sys.version_info[0], sys.version_info[1], platform.machine(), name, version]))
`

// ParsePython reads what AskPython prints.
func ParsePython(said string) (Interpreter, error) {
	var i Interpreter
	var version string
	err := json.Unmarshal([]byte(said), &[]any{&i.Name, &i.Major, &i.Minor, &i.Machine, &i.Libc, &version})
	if err != nil {
		return i, fmt.Errorf("what its Python says of itself is not in the known format: %w", err)
	}
	_, second, _ := strings.Cut(version, ".")
	second, _, _ = strings.Cut(second, ".")
	if i.Libc2, err = strconv.Atoi(second); err != nil || i.Libc == "" || i.Name != "cpython" || i.Machine == "" {
		return i, fmt.Errorf("packages are fetched for CPython on glibc or musl, and its Python is %s on %q", i.Name, i.Libc)
	}
	return i, nil
}

// String returns "cpython 3.11, glibc 2.36, x86_64".
func (i Interpreter) String() string {
	first := map[string]string{"glibc": "2", "musl": "1"}[i.Libc]
	return fmt.Sprintf("%s %d.%d, %s %s.%d, %s", i.Name, i.Major, i.Minor, i.Libc, first, i.Libc2, i.Machine)
}

// oldestGlibc is the second number of the oldest glibc that wheels are made for.
const oldestGlibc = 5

// flags returns the flags by which pip chooses wheels for the interpreter (PEP 600, PEP 656).
func (i Interpreter) flags() []string {
	out := []string{
		"--python-version", fmt.Sprintf("%d.%d", i.Major, i.Minor), "--implementation", "cp", "--abi", fmt.Sprintf("cp%d%d", i.Major, i.Minor),
	}
	platform := func(name string) { out = append(out, "--platform", name+"_"+i.Machine) }
	if i.Libc == "musl" {
		for n := i.Libc2; n >= 1; n-- {
			platform(fmt.Sprintf("musllinux_1_%d", n))
		}
	} else {
		for n := i.Libc2; n >= oldestGlibc; n-- {
			platform(fmt.Sprintf("manylinux_2_%d", n))
			if old := map[int]string{17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}[n]; old != "" {
				platform(old)
			}
		}
	}
	platform("linux")
	return out
}

var versionMarker = regexp.MustCompile(`python_(?:full_)?version\s*(<=|>=|==|!=|<|>)\s*['"](\d+)\.(\d+)['"]`)

// applying returns a list of pinned packages whose conditions on Python's version are those of the interpreter: pip compares
// with the Python that it runs on itself.
func (i Interpreter) applying(pins []byte) []byte {
	return versionMarker.ReplaceAllFunc(pins, func(found []byte) []byte {
		m := versionMarker.FindSubmatch(found)
		major, _ := strconv.Atoi(string(m[2])) // digits, by the pattern
		minor, _ := strconv.Atoi(string(m[3]))
		// A full version, 3.11.4, stands behind 3.11 itself; which one it is does not matter to these comparisons but the strict one.
		than := (i.Major-major)*1000 + i.Minor - minor
		holds := map[string]bool{"<": than < 0, "<=": than <= 0, ">": than > 0, ">=": than >= 0, "==": than == 0, "!=": than != 0}[string(m[1])]
		if holds {
			return []byte("os_name == 'posix'")
		}
		return []byte("os_name == 'none'")
	})
}
