package artifact

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config/program"
)

// npmRegistry is a registry with the package tiny@1.0.0, where npm looks from here
// on; what answers is served in the place of the package if it is not nil.
func npmRegistry(t *testing.T, answer http.HandlerFunc) (integrity string, stop func()) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		missing(t, "npm is not here")
	}
	tarball := []byte(targz(t, tar.Header{Name: "package/package.json", Typeflag: tar.TypeReg, Mode: 0o644}, tar.Header{Name: "package/index.js", Typeflag: tar.TypeReg, Mode: 0o644}))
	if answer == nil {
		answer = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/tiny/-/tiny-1.0.0.tgz" {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(tarball)
		}
	}
	// Which file a version is, the registry says itself; the lock does not.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tiny" {
			answer(w, r)
			return
		}
		fmt.Fprintf(w, `{"name": "tiny", "versions": {"1.0.0": {"name": "tiny", "version": "1.0.0", "dist": {"tarball": "http://%s/tiny/-/tiny-1.0.0.tgz"}}}}`, r.Host)
	}))
	t.Cleanup(server.Close)
	t.Setenv("npm_config_registry", server.URL+"/")
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_fetch_retries", "0")
	sum := sha512.Sum512(tarball)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:]), server.Close
}

func npmFolder(integrity string) fstest.MapFS {
	return fstest.MapFS{
		"package.json": {Data: []byte(`{"name": "x", "version": "1.0.0", "dependencies": {"tiny": "1.0.0"}}`)},
		"package-lock.json": {Data: []byte(fmt.Sprintf(`{"name": "x", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
"": {"name": "x", "version": "1.0.0", "dependencies": {"tiny": "1.0.0"}},
"node_modules/tiny": {"version": "1.0.0", "integrity": "%s"}}}`, integrity))},
		"tracer.yaml": {Data: []byte("x")},
		"start.js":    {Data: []byte("1")},
	}
}

func TestNPM(t *testing.T) {
	integrity, stop := npmRegistry(t, nil)
	s := open(t)
	files := npmFolder(integrity)
	dir, err := s.NPM(t.Context(), files, "package-lock.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node_modules/tiny/index.js", "files/start.js", "package.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	stop() // offline from here on
	files["tracer.yaml"].Data = []byte("y")
	if again, err := s.NPM(t.Context(), files, "package-lock.json", nil); err != nil || again != dir {
		t.Errorf("the second time %s, %v; want %s", again, err, dir)
	}
	files["start.js"].Data = []byte("2")
	if _, err := s.NPM(t.Context(), files, "package-lock.json", nil); err != nil && !strings.Contains(err.Error(), "the npm registry cannot be reached") {
		t.Errorf("with no registry: %v", err)
	}
}

func TestNPMFailures(t *testing.T) {
	t.Run("not what was pinned", func(t *testing.T) {
		npmRegistry(t, nil)
		wrong := sha512.Sum512([]byte("another"))
		_, err := open(t).NPM(t.Context(), npmFolder("sha512-"+base64.StdEncoding.EncodeToString(wrong[:])), "package-lock.json", nil)
		if err == nil || !strings.Contains(err.Error(), "is not the file that was pinned") {
			t.Errorf("error %v", err)
		}
	})
	for status, want := range map[int]string{
		http.StatusForbidden: "the registry does not have (or refuses) tiny@1.0.0",
		http.StatusNotFound:  "the registry does not have (or refuses) tiny@1.0.0",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			integrity, _ := npmRegistry(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) })
			s := open(t)
			_, err := s.NPM(t.Context(), npmFolder(integrity), "package-lock.json", nil)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
			if left := folders(t, s, "npm"); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

func TestCheckNPMLock(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                      "this is not a package-lock.json",
		`{"lockfileVersion": 1}`: "lockfileVersion is 1",
		`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/@a/b": {"version": "1"}}}`:                                                            "@a/b has no checksum",
		`{"lockfileVersion": 3, "packages": {"lib": {}}}`:                                                                                                "lib is a folder of its own",
		`{"lockfileVersion": 3, "packages": {"node_modules/a": {"integrity": "sha1-x"}}}`:                                                                "a has no checksum",
		`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"integrity": "sha512-x"}, "node_modules/a/node_modules/b": {"inBundle": true}}}`: "",
	} {
		err := checkNPMLock([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzNPMLock(f *testing.F) {
	f.Add(`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"integrity": "sha512-x"}}}`)
	f.Fuzz(func(_ *testing.T, text string) { _ = checkNPMLock([]byte(text)) })
}

func TestExplainNPM(t *testing.T) {
	for output, want := range map[string]string{
		"npm error code E403\nnpm error 403 403 Forbidden - GET https://r.example/@elastic%2fapm/-/apm-1.2.3.tgz": "the registry does not have (or refuses) @elastic/apm@1.2.3: ",
		"npm error code E403\nnpm error 403 403 Forbidden - GET https://r.example/npm/pg/-/pg-8.11.0.tgz - no":    "the registry does not have (or refuses) pg@8.11.0: ",
		"npm error code ETARGET\nnpm error notarget No matching version found for pg@99.0.0.":                     "the registry does not have (or refuses) pg@99.0.0: ",
		"npm error code E404\nnpm error 404 Not Found - GET https://r.example/@a/b/-/b-1.0.0-rc.1.tgz":            "the registry does not have (or refuses) @a/b@1.0.0-rc.1: ",
		"npm error code ENOTFOUND\nnpm error network request to https://r.example/x failed":                       "the npm registry cannot be reached",
		"npm error code EUSAGE\nnpm error `npm ci` can only install packages when":                                "package.json and package-lock.json do not say the same",
		"Segmentation fault": "npm ci: exit status 1\nSegmentation fault",
	} {
		failed := &commandError{args: []string{"npm", "ci"}, err: fmt.Errorf("exit status 1"), output: output}
		if got := explainNPM(failed).Error(); !strings.HasPrefix(got, want) || !strings.Contains(got, output) {
			t.Errorf("got %q, want it to begin with %q", got, want)
		}
	}
}

// TestArtifactOfSeveralKinds: all kinds stand in one folder, and files/ once.
func TestArtifactOfSeveralKinds(t *testing.T) {
	integrity, _ := npmRegistry(t, nil)
	requirement := index(t)
	files := npmFolder(integrity)
	files["requirements.txt"] = &fstest.MapFile{Data: []byte(requirement)}
	s := open(t)
	dir, err := s.Artifact(t.Context(), files, program.Artifact{Python: "requirements.txt", NPM: "package-lock.json"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node_modules/tiny/index.js", "files/start.js", "tinything.py"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if none, err := s.Artifact(t.Context(), nil, program.Artifact{}, nil); none != "" || err != nil {
		t.Errorf("nothing is %q, %v", none, err)
	}
	if _, err := s.Artifact(t.Context(), nil, program.Artifact{NPM: "x"}, nil); err == nil {
		t.Error("packages of no folder are no error")
	}
}

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
