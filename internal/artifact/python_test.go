package artifact

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// index makes a folder of wheels the only place where pip looks, and returns the
// line of a requirements file for the one wheel in it.
func index(t *testing.T) (requirement string) {
	t.Helper()
	if err := exec.Command("python3", "-m", "pip", "--version").Run(); err != nil {
		missing(t, "python3 with pip is not here")
	}
	dir := t.TempDir()
	wheel := makeWheel(t)
	if err := os.WriteFile(filepath.Join(dir, "tinything-1.0-py3-none-any.whl"), wheel, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIP_NO_INDEX", "1")
	t.Setenv("PIP_FIND_LINKS", dir)
	return fmt.Sprintf("tinything==1.0 --hash=sha256:%x\n", sha256.Sum256(wheel))
}

func makeWheel(t *testing.T) []byte {
	t.Helper()
	var wheel bytes.Buffer
	archive := zip.NewWriter(&wheel)
	for _, file := range []struct{ name, text string }{
		{"tinything.py", "answer = 42\n"},
		{"tinything-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n"},
		{"tinything-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{"tinything-1.0.dist-info/RECORD", "tinything.py,,\ntinything-1.0.dist-info/METADATA,,\ntinything-1.0.dist-info/WHEEL,,\ntinything-1.0.dist-info/RECORD,,\n"},
	} {
		w, err := archive.Create(file.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(file.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return wheel.Bytes()
}

func folder(requirements string) fs.FS {
	return fstest.MapFS{
		"requirements.txt": {Data: []byte(requirements)},
		"tracer.yaml":      {Data: []byte("description: x\n")},
		"attach.sh":        {Data: []byte("#!/bin/sh\n")},
	}
}

func TestPythonPackagesAreInstalledOnce(t *testing.T) {
	requirement := index(t)
	s := open(t)
	dir, err := s.Python(t.Context(), folder(requirement), "requirements.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := exec.Command("python3", "-c", "import tinything; print(tinything.answer)")
	ask.Env = append(os.Environ(), "PYTHONPATH="+dir)
	if out, err := ask.CombinedOutput(); err != nil || string(out) != "42\n" {
		t.Errorf("importing the package: %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "files", "attach.sh")); err != nil {
		t.Errorf("the file beside the requirements: %v", err)
	}

	t.Setenv("PIP_FIND_LINKS", t.TempDir()) // offline from here on
	again, err := s.Python(t.Context(), folder(requirement), "requirements.txt", nil)
	if err != nil {
		t.Fatal("the second time: ", err)
	}
	if again != dir {
		t.Errorf("the second time it is in %s, not in %s", again, dir)
	}
}

func TestPythonPackageThatIsNotWhatWasPinned(t *testing.T) {
	index(t)
	s := open(t)
	wrong := fmt.Sprintf("tinything==1.0 --hash=sha256:%064x\n", 1)
	_, err := s.Python(t.Context(), folder(wrong), "requirements.txt", nil)
	if err == nil || !strings.Contains(err.Error(), "tinything==1.0") || !strings.Contains(err.Error(), "is not the file that was pinned") {
		t.Errorf("error %v", err)
	}
	if left := folders(t, s, "python"); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestPythonPackageThatTheIndexDoesNotHave(t *testing.T) {
	requirement := strings.Replace(index(t), "1.0", "2.0", 1)
	_, err := open(t).Python(t.Context(), folder(requirement), "requirements.txt", nil)
	if err == nil || !strings.Contains(err.Error(), "the package index has no tinything==2.0") {
		t.Errorf("error %v", err)
	}
}

func TestExplainPip(t *testing.T) {
	for _, test := range []struct{ name, output, want string }{
		{"no pip", "/usr/bin/python3: No module named pip", "python3 has no pip (install your system's python3-pip"},
		{"refused", "ERROR: HTTP error 403 while getting https://index.example/packages/grpcio-1.85.1-cp311.whl\n" +
			"ERROR: 403 Client Error: Forbidden for url: https://index.example/packages/grpcio-1.85.1-cp311.whl",
			"the package index refuses grpcio-1.85.1-cp311.whl"},
		{"unreachable", "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(…)'\n" +
			"ERROR: No matching distribution found for flask==3.1.3", "the package index cannot be reached"},
		{"absent", "ERROR: No matching distribution found for flask==3.1.3", "the package index has no flask==3.1.3 for cpython-311"},
		{"other", "Segmentation fault", "pip install: exit status 1\nSegmentation fault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			failed := &commandError{args: []string{"pip", "install"}, err: fmt.Errorf("exit status 1"), output: test.output}
			got := explainPip(failed, "cpython-311 linux").Error()
			if !strings.HasPrefix(got, test.want) || !strings.Contains(got, test.output) {
				t.Errorf("got %q, want it to begin with %q", got, test.want)
			}
		})
	}
}
