package artifact

import (
	"archive/zip"
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// nugetSource is a source with the package Tiny 1.0.0, where dotnet looks from here on, and the folder that it is.
func nugetSource(t *testing.T) (hash, dir string) {
	t.Helper()
	if _, err := exec.LookPath("dotnet"); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_DOTNET") == "1" {
			t.Fatal(err)
		}
		t.Skip("dotnet is not here: unlike the other languages it is not asked for by TRACETAX_REQUIRE_PROGRAMS")
	}
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"tiny.nuspec": `<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata>
<id>Tiny</id><version>1.0.0</version><authors>a</authors><description>d</description></metadata></package>`,
		"lib/net10.0/_._": "",
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tiny.1.0.0.nupkg"), file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("RestoreSources", dir)
	t.Setenv("NUGET_PACKAGES", t.TempDir())
	sum := sha512.Sum512(file.Bytes())
	return base64.StdEncoding.EncodeToString(sum[:]), dir
}

func nugetFolder(hash string) fstest.MapFS {
	return fstest.MapFS{
		"net/one/one.csproj": {Data: []byte(`<Project Sdk="Microsoft.NET.Sdk">
<PropertyGroup><TargetFramework>net10.0</TargetFramework><OutputType>Exe</OutputType><UseAppHost>false</UseAppHost><InvariantGlobalization>true</InvariantGlobalization>
<RestorePackagesWithLockFile>true</RestorePackagesWithLockFile></PropertyGroup>
<ItemGroup><PackageReference Include="Tiny" Version="1.0.0" /><Compile Include="../shared/*.cs" /></ItemGroup></Project>`)},
		"net/one/packages.lock.json": {Data: []byte(fmt.Sprintf(`{"version": 1, "dependencies": {"net10.0": {
"Tiny": {"type": "Direct", "requested": "[1.0.0, )", "resolved": "1.0.0", "contentHash": "%s"}}}}`, hash))},
		"net/shared/Program.cs": {Data: []byte(`System.Console.WriteLine("published");`)},
		"tracer.yaml":           {Data: []byte("x")},
	}
}

func TestNuGet(t *testing.T) {
	hash, source := nugetSource(t)
	s, files := open(t), nugetFolder(hash)
	dir, err := s.NuGet(t.Context(), files, "net", nil)
	if err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("dotnet", filepath.Join(dir, "one", "one.dll")).CombinedOutput(); err != nil || strings.TrimSpace(string(said)) != "published" {
		t.Errorf("the program says %q, %v", said, err)
	}
	if err := os.RemoveAll(source); err != nil { // offline from here on
		t.Fatal(err)
	}
	files["tracer.yaml"].Data = []byte("y")
	if again, err := s.NuGet(t.Context(), files, "net", nil); err != nil || again != dir {
		t.Errorf("the second time %s, %v; want %s", again, err, dir)
	}
}

func TestNuGetFailures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(files fstest.MapFS, source string) error
		want   string
	}{
		"not what was pinned": {func(files fstest.MapFS, _ string) error {
			sum := sha512.Sum512([]byte("another"))
			files["net/one/packages.lock.json"] = nugetFolder(base64.StdEncoding.EncodeToString(sum[:]))["net/one/packages.lock.json"]
			return nil
		}, "Tiny.1.0.0 is not the file that was pinned"},
		"not there":        {func(_ fstest.MapFS, source string) error { return os.Remove(filepath.Join(source, "tiny.1.0.0.nupkg")) }, "no source of packages has (or gives) Tiny: "},
		"source not there": {func(_ fstest.MapFS, source string) error { return os.RemoveAll(source) }, "a source of NuGet packages cannot be reached"},
		"another version": {func(files fstest.MapFS, _ string) error {
			project := files["net/one/one.csproj"]
			project.Data = bytes.Replace(project.Data, []byte("1.0.0"), []byte("1.0.1"), 1)
			return nil
		}, "the project and its packages.lock.json do not say the same"},
		"a program that is broken": {func(files fstest.MapFS, _ string) error {
			files["net/shared/Program.cs"].Data = []byte("nonsense")
			return nil
		}, "error CS"},
	} {
		t.Run(name, func(t *testing.T) {
			hash, source := nugetSource(t)
			files := nugetFolder(hash)
			if err := c.change(files, source); err != nil {
				t.Fatal(err)
			}
			s := open(t)
			if _, err := s.NuGet(t.Context(), files, "net", nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if left := folders(t, s, "nuget"); len(left) != 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// What is wrong with a folder is told before anything is asked of dotnet.
func TestNuGetProjects(t *testing.T) {
	for want, change := range map[string]func(fstest.MapFS){
		"reading the list of pinned packages": func(files fstest.MapFS) { delete(files, "net/one/packages.lock.json") },
		"net/one has several projects":        func(files fstest.MapFS) { files["net/one/two.csproj"] = files["net/one/one.csproj"] },
		"no folder of net holds":              func(files fstest.MapFS) { delete(files, "net/one/one.csproj") },
		"reading the folder of .NET projects": func(files fstest.MapFS) { clear(files) },
		"net/one/packages.lock.json: Tiny has no checksum": func(files fstest.MapFS) {
			files["net/one/packages.lock.json"] = nugetFolder("")["net/one/packages.lock.json"]
		},
	} {
		files := nugetFolder("x")
		change(files)
		if _, err := nugetProjects(files, "net"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestCheckNuGetLock(t *testing.T) {
	for text, want := range map[string]string{
		`{`:              "this is not a packages.lock.json",
		`{"version": 1}`: "it names no framework",
		`{"version": 1, "dependencies": {"net10.0": {"A.B": {"type": "Transitive", "resolved": "1.0.0"}}}}`: "A.B has no checksum",
		`{"version": 1, "dependencies": {"net10.0": {"mine": {"type": "Project"}}}}`:                        "",
		`{"version": 1, "dependencies": {"net10.0": {}}}`:                                                   "",
	} {
		err := checkNuGetLock([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzNuGetLock(f *testing.F) {
	f.Add(`{"version": 1, "dependencies": {"net10.0": {"A": {"type": "Direct", "contentHash": "x"}}}}`)
	f.Fuzz(func(_ *testing.T, text string) { _ = checkNuGetLock([]byte(text)) })
}

// Which SDK makes the projects is not for a global.json where tracetax is started to say.
func TestNuGetVersionIsNotOfTheWorkingDirectory(t *testing.T) {
	here := t.TempDir()
	if err := os.WriteFile(filepath.Join(here, "dotnet"), []byte("#!/bin/sh\nexec pwd\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", here+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Chdir(here)
	made, err := nugetPackages(t.Context(), nugetFolder("x"), "net")
	if err != nil || made.parts[0] != "/" {
		t.Errorf("%v: asked in %q, want /", err, made.parts)
	}
}
