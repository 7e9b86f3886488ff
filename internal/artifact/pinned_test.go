package artifact

import (
	"maps"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/config"
)

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
	got, err := Pinned(files, config.Artifact{Python: "requirements.txt", Maven: "maven.lock", NPM: "package-lock.json", NuGet: "src"})
	want := map[string]string{"tracer": "1.2.0", "helper": "3, 4", "org.example:agent": "2.0.1", "@example/api": "1.9.1", "Example.Sdk": "1.5.0"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := Pinned(files, config.Artifact{}); err != nil || len(got) > 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	if _, err := Pinned(files, config.Artifact{Maven: "other.lock"}); err == nil {
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
	catalog := config.NewCatalog(tracetax.Files)
	names, err := catalog.Tracers()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		tracer, err := catalog.Tracer(name)
		if err != nil {
			t.Fatal(err)
		}
		if tracer.Artifact == (config.Artifact{}) {
			continue
		}
		if got, err := Pinned(tracer.Files, tracer.Artifact); err != nil || len(got) == 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
