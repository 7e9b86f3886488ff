package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config/program"
)

// group is that of the files of a test: what mvn keeps of them is never taken for
// that of another run.
var group = fmt.Sprintf("test.tracetax-%d", os.Getpid())

// repository makes a folder the only place where mvn looks for files (its plugins
// still come from where they always do, and are kept for the next time) and returns it.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("mvn"); err != nil {
		missing(t, "mvn is not here")
	}
	home, repo := t.TempDir(), t.TempDir()
	kept, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept = filepath.Join(kept, "tracetax-tests", "maven")
	t.Cleanup(func() {
		if err := os.RemoveAll(filepath.Join(kept, filepath.FromSlash(strings.ReplaceAll(group, ".", "/")))); err != nil {
			t.Error(err)
		}
	})
	settings := fmt.Sprintf(`<settings><localRepository>%s</localRepository>
<profiles><profile><id>test</id><repositories><repository><id>central</id><url>file://%s</url></repository></repositories></profile></profiles>
<activeProfiles><activeProfile>test</activeProfile></activeProfiles></settings>`, kept, repo)
	if err := os.Mkdir(filepath.Join(home, ".m2"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".m2", "settings.xml"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -Duser.home="+home)
	return repo
}

// publish puts a file into a repository, and returns its coordinate and checksum.
func publish(t *testing.T, repo, artifact, version, rest, content string) string {
	t.Helper()
	dir := filepath.Join(repo, strings.ReplaceAll(group, ".", "/"), artifact, version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	words := group + ":" + artifact + ":" + version + rest
	c, err := readCoordinate([]string{words, "sha256:" + strings.Repeat("0", 64)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, c.file()), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s sha256:%x", words, sha256.Sum256([]byte(content)))
}

// needPlugin skips a test whose mvn cannot have the plugin that copies files.
func needPlugin(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), mavenPlugin) || strings.Contains(err.Error(), "cannot be reached")) {
		missing(t, fmt.Sprintf("the plugin of mvn that copies files is neither here nor to be had: %v", err))
	}
}

func targz(t *testing.T, entries ...tar.Header) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	all := tar.NewWriter(zipped)
	for _, h := range entries {
		content := []byte("content of " + h.Name)
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		if err := all.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := all.Write(content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(all.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestMaven has the real mvn fetch from a repository of the test: all at once, one
// that is not there, and one that is not what was pinned.
func TestMaven(t *testing.T) {
	repo := repository(t)
	agent := publish(t, repo, "agent", "1.0", "", "an agent")
	woven := publish(t, repo, "agent", "1.0", ":jar:woven", "a woven agent")
	archive := publish(t, repo, "pack", "2.0", ":tar.gz", targz(t,
		tar.Header{Name: "top/", Typeflag: tar.TypeDir, Mode: 0o755}, tar.Header{Name: "top/run.sh", Typeflag: tar.TypeReg, Mode: 0o755}))
	lock := strings.Join([]string{"# what it is", agent + " as lib/agent.jar", woven, archive + " unpack"}, "\n")
	files := func(lock string) fstest.MapFS {
		return fstest.MapFS{"maven.lock": {Data: []byte(lock)}, "aop.xml": {Data: []byte("<aop/>")}, "tracer.yaml": {Data: []byte("x")}}
	}
	s := open(t)
	dir, err := s.Maven(t.Context(), files(lock), "maven.lock", nil)
	needPlugin(t, err)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"lib/agent.jar": "an agent", "agent-1.0-woven.jar": "a woven agent", "pack-2.0/top/run.sh": "content of top/run.sh", "files/aop.xml": "<aop/>",
	} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}

	t.Run("what is there already is not fetched again", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir()) // no mvn
		other := files(lock + "\n# another comment\n")
		other["tracer.yaml"].Data = []byte("y")
		if again, err := s.Maven(t.Context(), other, "maven.lock", nil); err != nil || again != dir {
			t.Errorf("%s, %v; want %s", again, err, dir)
		}
	})
	t.Run("a version that is not there", func(t *testing.T) {
		lock := woven + "\n" + strings.Replace(agent, "1.0", "9.9", 1) // mvn is asked for all and then for each
		_, err := s.Maven(t.Context(), files(lock), "maven.lock", nil)
		if err == nil || !strings.Contains(err.Error(), "the registry does not have (or refuses) "+group+":agent:9.9: ") || strings.Contains(err.Error(), "refuses) "+group+":agent:1.0") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("error %v", err)
		}
	})
	if left := folders(t, s, "maven"); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
}

func TestMavenFileThatIsNotWhatWasPinned(t *testing.T) {
	file, dir := filepath.Join(t.TempDir(), "fetched"), t.TempDir()
	if err := os.WriteFile(file, []byte("another"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := coordinate{group: "g", artifact: "a", version: "1", kind: "jar", digest: strings.Repeat("1", 64), as: "a.jar"}
	if err := c.place(file, dir); err == nil || !strings.HasPrefix(err.Error(), "g:a:1 is not the file that was pinned: its SHA-256 is ") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.jar")); err == nil {
		t.Error("the file was put into place")
	}
}

func TestReadMavenLock(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	all, err := readMavenLock("m.lock", "\n# comment\na.b:c:1.0 "+digest+"\n a:b:2:tar.gz "+digest+" unpack # why\na:b:2:jar:x_y "+digest+" as d/e.jar unpack\na:b:3:zip "+digest+"\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		got = append(got, fmt.Sprint(c, " ", c.as, " ", c.unpack))
	}
	want := []string{"a.b:c:1.0 c-1.0.jar false", "a:b:2:tar.gz b-2 true", "a:b:2:jar:x_y d/e.jar true", "a:b:3:zip b-3.zip false"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"":                                          "m.lock: there is no line such as group:artifact:version",
		"a:b " + digest:                             `m.lock:1: "a:b" is not group:artifact:version`,
		"\na:b:1:jar:c:d " + digest:                 `m.lock:2: "a:b:1:jar:c:d" is not`,
		"a:b::jar " + digest:                        `the parts of a coordinate have letters`,
		"a:../b:1 " + digest:                        `the parts of a coordinate have letters`,
		"a:b:1-SNAPSHOT " + digest:                  `a version that may become another one cannot be pinned`,
		"a:b:LATEST " + digest:                      `cannot be pinned`,
		"a:b:1":                                     `a:b:1: its checksum is missing`,
		"a:b:1 sha256:AB":                           `a:b:1: its checksum is missing`,
		"a:b:1 " + digest + " as ../x":              `"../x" is not the name of a file in the folder`,
		"a:b:1 " + digest + " as /x":                `"/x" is not the name`,
		"a:b:1 " + digest + " as x/":                `"x/" is not the name`,
		"a:b:1 " + digest + " as":                   `a:b:1: unexpected "as"`,
		"a:b:1 " + digest + " zip":                  `a:b:1: unexpected "zip"`,
		"a:b:1 " + digest + " as files/x":           `"files" is taken`,
		"a:b:1 " + digest + "\na:b:1:jar " + digest: `m.lock:2: b-1.jar would stand where that of line 1 stands`,
	} {
		if _, err := readMavenLock("m.lock", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzMavenLock(f *testing.F) {
	f.Add("a.b:c:1.0:tar.gz:d sha256:" + strings.Repeat("ab", 32) + " as x/y unpack # z\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := readMavenLock("m.lock", text)
		if err != nil {
			return
		}
		for _, c := range all {
			again, err := readMavenLock("m.lock", fmt.Sprintf("%s sha256:%s as %s", c, c.digest, c.as))
			if again[0].unpack = c.unpack; err != nil || again[0] != c {
				t.Fatalf("%+v became %+v, %v", c, again, err)
			}
			if !filepath.IsLocal(c.as) {
				t.Fatalf("%q leads out of the folder", c.as)
			}
		}
	})
}

func TestExplainMaven(t *testing.T) {
	c := coordinate{group: "g", artifact: "a", version: "1", kind: "jar"}
	for output, want := range map[string]string{
		"[ERROR] Failed to execute goal …: Unable to find/resolve artifact.: Could not find artifact g:a:jar:1 in central (https://r.example)":                         "the registry does not have (or refuses) g:a:1: ",
		"[ERROR] … Could not transfer artifact g:a:jar:1 from/to central (https://r.example): authorization failed for https://r.example/a.jar, status: 403 Forbidden": "the registry does not have (or refuses) g:a:1: ",
		"[ERROR] … Could not transfer artifact g:a:jar:1 from/to central (https://r.example): r.example: Name or service not known: Unknown host r.example":            "the Maven registry cannot be reached",
		"[ERROR] … Could not transfer artifact g:a:jar:1 from/to central: Connection refused":                                                                          "the Maven registry cannot be reached",
		"[ERROR] … Could not transfer artifact g:a:jar:1 from/to central (https://r.example): transfer failed, status: 503 Service Unavailable":                        "the Maven registry cannot be reached",
		"[ERROR] Plugin org.apache.maven.plugins:maven-dependency-plugin:3.6.1 or one of its dependencies could not be resolved: Could not find artifact x":            "the registry does not have (or refuses) org.apache.maven.plugins:maven-dependency-plugin:",
		"The JAVA_HOME environment variable is not defined correctly":                                                                                                  "mvn finds no Java",
		"[ERROR] Cannot access central (https://r.example) in offline mode and the artifact g:a:jar:1 has not been downloaded from it before.":                         "mvn is in offline mode",
		"No space left on device": "fetching g:a:1: ",
	} {
		failed := &commandError{args: []string{"mvn"}, err: fmt.Errorf("exit status 1"), output: output}
		if got := explainMaven(failed, c).Error(); !strings.HasPrefix(got, want) || !strings.Contains(got, output) {
			t.Errorf("got %q, want it to begin with %q", got, want)
		}
	}
}

func TestPinned(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"requirements.in":  "# what it is made of\nTracer[otlp]==1.2.0\nhelper==3\n",
		"requirements.txt": "helper==3 ; python_full_version < '3.11' \\\n    --hash=sha256:aa\nhelper==4 ; python_full_version >= '3.11' \\\n    --hash=sha256:bb\nneeded==9 \\\n    --hash=sha256:cc\ntracer[otlp]==1.2.0 \\\n    --hash=sha256:dd\n",
		"maven.lock":       "org.example:agent:2.0.1 sha256:7217391b5a88ab3df807a666b0710bebc52415cc01c0fb3147e72c63f9162a53 as agent.jar\n",
		"package.json":     `{"dependencies": {"@example/api": "1.9.1"}}`,
		"package-lock.json": `{"lockfileVersion": 3, "packages": {"": {}, "node_modules/@example/api": {"version": "1.9.1", "integrity": "sha512-x"},
			"node_modules/needed": {"version": "2.0.0", "integrity": "sha512-x"}}}`,
		"src/web/web.csproj": "<Project/>",
		"src/web/packages.lock.json": `{"version": 1, "dependencies": {"net8.0": {"Example.Sdk": {"type": "Direct", "resolved": "1.5.0", "contentHash": "x"},
			"Needed": {"type": "Transitive", "resolved": "3.0.0", "contentHash": "x"}}}}`,
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, err := Pinned(files, program.Artifact{Python: "requirements.txt", Maven: "maven.lock", NPM: "package-lock.json", NuGet: "src"})
	want := map[string]string{"tracer": "1.2.0", "helper": "3, 4", "org.example:agent": "2.0.1", "@example/api": "1.9.1", "Example.Sdk": "1.5.0"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := Pinned(files, program.Artifact{}); err != nil || len(got) > 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	if _, err := Pinned(files, program.Artifact{Maven: "other.lock"}); err == nil {
		t.Error("a list that is not there is none")
	}
}

func TestPinnedModules(t *testing.T) {
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  map[string]string
	}{
		"of a program": {fstest.MapFS{"go.mod.embed": {Data: []byte("module example.org/shop\n\ngo 1.26\n\nrequire example.org/tracer v1.2.3\n\nrequire (\n\texample.org/needed v0.1.0 // indirect\n)\n")}},
			map[string]string{"example.org/tracer": "v1.2.3"}},
		"of none": {fstest.MapFS{"main.py": {Data: []byte("pass")}}, nil},
	} {
		if got, err := PinnedModules(c.files); err != nil || !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := PinnedModules(fstest.MapFS{"go.mod": {Data: []byte("require (")}}); err == nil {
		t.Error("a broken go.mod is read")
	}
}

// Every tracer that tracetax brings with packages of its own says their versions.
func TestTracersArePinned(t *testing.T) {
	catalog := program.NewCatalog(tracetax.Files)
	names, err := catalog.Tracers()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		tracer, err := catalog.Tracer(name)
		if err != nil {
			t.Fatal(err)
		}
		if tracer.Artifact == (program.Artifact{}) {
			continue
		}
		if got, err := Pinned(tracer.Files, tracer.Artifact); err != nil || len(got) == 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
