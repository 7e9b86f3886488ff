package artifact

import (
	"archive/tar"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config"
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
	dir, err := s.Artifact(t.Context(), files, config.Artifact{Python: "requirements.txt", NPM: "package-lock.json"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"node_modules/tiny/index.js", "files/start.js", "tinything.py"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if none, err := s.Artifact(t.Context(), nil, config.Artifact{}, nil); none != "" || err != nil {
		t.Errorf("nothing is %q, %v", none, err)
	}
	if _, err := s.Artifact(t.Context(), nil, config.Artifact{NPM: "x"}, nil); err == nil {
		t.Error("packages of no folder are no error")
	}
}
