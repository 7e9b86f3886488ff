package artifact

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestParsePython(t *testing.T) {
	for said, want := range map[string]string{
		`["cpython", 3, 11, "x86_64", "glibc", "2.36"]`:  "cpython 3.11, glibc 2.36, x86_64",
		`["cpython", 3, 13, "aarch64", "musl", "1.2.5"]`: "cpython 3.13, musl 1.2, aarch64",
		`["pypy", 3, 10, "x86_64", "glibc", "2.31"]`:     "",
		`["cpython", 3, 11, "x86_64", "", "0.0"]`:        "",
		`["cpython", "3", 11]`:                           "",
		"Traceback":                                      "",
	} {
		got, err := ParsePython(said)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%s is %s, error %v; want %q", said, got, err, want)
		}
	}
}

// What this machine's Python says of itself is read.
func TestAskPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "there is no python3")
	}
	said, err := exec.Command(python, "-c", AskPython).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParsePython(string(said)); err != nil || got.Major != 3 {
		t.Errorf("%s is %+v, error %v", said, got, err)
	}
}

func TestWheelsOf(t *testing.T) {
	flags := Interpreter{Name: "cpython", Major: 3, Minor: 12, Machine: "x86_64", Libc: "glibc", Libc2: 17}.flags()
	for _, want := range []string{"manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_5_x86_64", "manylinux1_x86_64", "cp312", "3.12"} {
		if !slices.Contains(flags, want) {
			t.Errorf("%s is not in %q", want, flags)
		}
	}
	if slices.Contains(flags, "manylinux_2_18_x86_64") {
		t.Errorf("a newer C library is in %q", flags)
	}
	if flags = (Interpreter{Minor: 12, Machine: "x86_64", Libc: "musl", Libc2: 2}).flags(); !slices.Contains(flags, "musllinux_1_2_x86_64") || strings.Contains(strings.Join(flags, " "), "manylinux") {
		t.Errorf("of musl: %q", flags)
	}
}

// The conditions of a list of packages are those of the interpreter, not of the Python that pip runs on.
func TestApplying(t *testing.T) {
	const pins = `a==1 ; python_full_version < '3.11' \
    --hash=sha256:00
b==2 ; python_version >= "3.11" and implementation_name != 'PyPy' \
`
	for minor, want := range map[int][2]string{
		10: {"posix", "none"}, 11: {"none", "posix"}, 9: {"posix", "none"}, 12: {"none", "posix"},
	} {
		got := string(Interpreter{Major: 3, Minor: minor}.applying([]byte(pins)))
		wanted := "a==1 ; os_name == '" + want[0] + "' \\\n    --hash=sha256:00\nb==2 ; os_name == '" + want[1] + "' and implementation_name != 'PyPy' \\\n"
		if got != wanted {
			t.Errorf("of Python 3.%d it is %q, want %q", minor, got, wanted)
		}
	}
}
