package afar

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cached is a folder of a tracer as the cache has it.
func cached(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "python", "0a1b")
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"bin/attach": 0o700, "agent.jar": 0o600} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the content of "+name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("bin/attach", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What is packed is the same where it is unpacked, and every user there may read it.
func TestFoldersTravel(t *testing.T) {
	var packed bytes.Buffer
	if err := Pack(&packed, cached(t)); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := Unpack(&packed, to); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(to, "link"))
	if err != nil || string(text) != "the content of bin/attach" {
		t.Errorf("through the link there is %q, %v", text, err)
	}
	for name, want := range map[string]os.FileMode{"bin": 0o755, "bin/attach": 0o755, "agent.jar": 0o644} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Mode().Perm()&want&0o555 != want&0o555 {
			t.Errorf("%s has mode %v, %v; want at least %v", name, info.Mode(), err, want)
		}
	}
}

func TestUnpackStaysInside(t *testing.T) {
	for name, head := range map[string]tar.Header{
		"a path out of it": {Typeflag: tar.TypeReg, Name: "../beside", Mode: 0o644},
		"a device":         {Typeflag: tar.TypeChar, Name: "null"},
	} {
		t.Run(name, func(t *testing.T) {
			var packed bytes.Buffer
			zip := gzip.NewWriter(&packed)
			all := tar.NewWriter(zip)
			if err := all.WriteHeader(&head); err != nil {
				t.Fatal(err)
			}
			if err := zip.Close(); err != nil {
				t.Fatal(err)
			}
			if err := Unpack(&packed, t.TempDir()); err == nil || !strings.Contains(err.Error(), "unpacking "+head.Name) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// Pods get a folder by the conductor's token alone; it is gone with the conductor.
func TestShelf(t *testing.T) {
	var s shelf
	var packed bytes.Buffer
	folder := cached(t)
	if err := Pack(&packed, folder); err != nil {
		t.Fatal(err)
	}
	name, half := nameOf(folder), packed.Len()/2
	for _, p := range []Piece{{Folder: name, Text: packed.Bytes()[:half]}, {Folder: name, Text: packed.Bytes()[half:], Last: true}} {
		if err := s.take(p, "127.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
	f := s.fetch(name)
	if f.Dir != "/tracetax/python-0a1b" {
		t.Errorf("pods have it at %s", f.Dir)
	}
	if err := FetchFolder(t.Context(), f.URL, "guess", t.TempDir()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("another token: %v", err)
	}
	if err := FetchFolder(t.Context(), f.URL+"x", f.Token, t.TempDir()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("another folder: %v", err)
	}
	to := t.TempDir()
	if err := FetchFolder(t.Context(), f.URL, f.Token, to); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "agent.jar")); err != nil || string(text) != "the content of agent.jar" {
		t.Errorf("fetched %q, %v", text, err)
	}
	if err := s.take(Piece{Folder: "../x", Last: true}, "127.0.0.1"); err == nil {
		t.Error("a folder beside is kept")
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("after its end: %v", err)
	}
}
