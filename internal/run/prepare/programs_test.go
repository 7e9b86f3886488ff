package prepare

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// The program of a command is found in PATH, its arguments that are files beside it; nothing that a program writes counts, nor
// a service, nor what the run fills in.
func TestPrograms(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for _, path := range []string{filepath.Join(bin, "shop"), filepath.Join(bin, "serve"), filepath.Join(dir, "app.jar"), filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "shop.db"), filepath.Join(dir, "app.py")} {
		if err := os.WriteFile(path, []byte(path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	service := &program.Service{}
	for name, c := range map[string]struct {
		process program.Process
		want    []string // below bin, or dir
	}{
		"a command":           {program.Process{Run: []string{"shop", "-jar", "app.jar", "serve", "{port}", "none.txt", "--config=shop.yaml", "--db", "shop.db"}}, []string{"shop", "app.jar", "shop.yaml"}},
		"the folder's":        {program.Process{Run: []string{"{dir}/app.py", "{build}/x"}}, []string{"app.py"}},
		"a script":            {program.Process{Run: []string{"sh", "-c", "exec serve app.py {port} > $O"}}, []string{"serve", "app.py"}},
		"a folder of its own": {program.Process{Run: []string{"./app.jar"}, Dir: "{dir}"}, []string{"app.jar"}},
		"a service":           {program.Process{Run: []string{"shop"}, Service: service}, nil},
		"built":               {program.Process{Run: []string{"{build}/shop", "{port}"}}, nil},
	} {
		got, err := Programs(&config.Plan{Processes: []program.Process{c.process}}, dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, path := range slices.Sorted(maps.Keys(got)) {
			names = append(names, filepath.Base(path))
			if len(got[path]) != 64 {
				t.Errorf("%s: %s has %q", name, path, got[path])
			}
		}
		slices.Sort(names)
		slices.Sort(c.want)
		if diff := cmp.Diff(c.want, names); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// A program that may be run and not read is no reason to refuse a run.
func TestProgramsThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read whatever there is")
	}
	path := filepath.Join(t.TempDir(), "sudo")
	if err := os.WriteFile(path, nil, 0o111); err != nil {
		t.Fatal(err)
	}
	if got, err := Programs(&config.Plan{Processes: []program.Process{{Run: []string{path}}}}, ""); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// The interpreter is the one that the program runs on, not the one that is first on the PATH.
func TestInterpreter(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for name, text := range map[string]string{"python3.9": "\x7fELF", "serve": "#!/opt/shop/bin/python3 -E\nimport x\n", "plain": "#!/usr/bin/env python3\n", "other": "#!/bin/sh\n", "sh": "\x7fELF"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		command []string
		want    string
	}{
		"itself":         {[]string{"python3.9", "app.py"}, filepath.Join(bin, "python3.9")},
		"a script's":     {[]string{"serve", "{port}"}, "/opt/shop/bin/python3"},
		"by its path":    {[]string{"./serve"}, "/opt/shop/bin/python3"},
		"of the PATH":    {[]string{"plain"}, "python3"},
		"behind a shell": {[]string{"sh", "-c", "A=1 exec serve {port} > $O"}, "/opt/shop/bin/python3"},
		"none":           {[]string{"other"}, ""},
		"nothing at all": {nil, ""},
		"a missing one":  {[]string{"gone"}, ""},
	} {
		if got := interpreter(c.command, bin); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The language of a command is that of its program, or of the one that runs its script.
func TestLanguageOf(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	for path, text := range map[string]string{
		filepath.Join(bin, "python3.11"): "", filepath.Join(bin, "node"): "", filepath.Join(bin, "java"): "", filepath.Join(bin, "dotnet"): "", filepath.Join(bin, "shop"): "\x7fELF",
		filepath.Join(bin, "uvicorn"): "#!/venv/bin/python3\n", filepath.Join(bin, "npm"): "#!/usr/bin/env node\n", filepath.Join(dir, "serve"): "#!/usr/bin/python3 -u\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		"python3.11 app.py": "python", "uvicorn shop:app": "python", "./serve {port}": "python", "npm start": "node", "node server.js": "node",
		"java -jar shop.jar": "java", "dotnet shop.dll": "dotnet", "shop -addr :{port}": "", "absent": "",
	} {
		if got := LanguageOf(strings.Fields(command), dir); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	if got := LanguageOf([]string{"sh", "-c", "A=1 exec uvicorn shop:app"}, dir); got != "python" {
		t.Errorf("of a shell: %q", got)
	}
}

// A server's command, or its environment, names its workers.
func TestWorkers(t *testing.T) {
	for command, want := range map[string]int{
		"uvicorn shop:app --port {port} --workers 2": 2, "python -m gunicorn -w4 shop:app": 4, "gunicorn shop:app --workers=3": 3, "puma -w 2": 2,
		"pm2-runtime shop.js": 1, "uvicorn shop:app": 1, "uvicorn shop:app --workers many": 1, "serve --workers 8": 1, "gunicorn -b :80 -w": 1,
	} {
		if got := Workers([]program.Process{{Run: []string{"db"}}, {Run: strings.Fields(command)}}); got != want {
			t.Errorf("%s: %d workers, want %d", command, got, want)
		}
	}
	if got := Workers([]program.Process{{Run: []string{"sh", "-c", "exec uvicorn shop:app --workers 2"}}}); got != 2 {
		t.Errorf("of a shell: %d", got)
	}
	env := map[string]string{"WEB_CONCURRENCY": "3"}
	if got := Workers([]program.Process{{Run: []string{"gunicorn", "shop:app"}, Env: env}}); got != 3 {
		t.Errorf("by the environment: %d", got)
	}
	if got := Workers([]program.Process{{Run: []string{"serve"}, Env: env}}); got != 1 {
		t.Errorf("of a program that does not read it: %d", got)
	}
}
