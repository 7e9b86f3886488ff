package artifact

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func unpackText(t *testing.T, archive string) (string, error) {
	t.Helper()
	base := t.TempDir()
	file, dir := filepath.Join(base, "archive"), filepath.Join(base, "out")
	if err := os.WriteFile(file, []byte(archive), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, unpack(file, dir)
}

func TestUnpackTar(t *testing.T) {
	dir, err := unpackText(t, targz(t,
		tar.Header{Name: "a/b/run", Typeflag: tar.TypeReg, Mode: 0o700},
		tar.Header{Name: "./a/plain", Typeflag: tar.TypeReg, Mode: 0o600},
		tar.Header{Name: "a/link", Typeflag: tar.TypeSymlink, Linkname: "b/run"},
		tar.Header{Name: "a/b/up", Typeflag: tar.TypeSymlink, Linkname: "../plain"},
		tar.Header{Name: "a/nowhere", Typeflag: tar.TypeSymlink, Linkname: "not-there"},
		tar.Header{Name: "empty/", Typeflag: tar.TypeDir},
	))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a/link": "content of a/b/run", "a/b/up": "content of ./a/plain"} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]fs.FileMode{"a/b/run": 0o100, "a/plain": 0} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode()&0o100 != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "empty")); err != nil || !info.IsDir() {
		t.Error("an empty folder is missing")
	}
}

func TestUnpackZip(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name, content string, mode fs.FileMode) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(mode)
		file, err := w.CreateHeader(h)
		if err == nil {
			_, err = file.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("d/x.sh", "one", 0o755)
	add("d/l", "x.sh", 0o777|fs.ModeSymlink)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir, err := unpackText(t, out.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "d", "l")); got != "one" {
		t.Errorf("got %q", got)
	}
}

// TestUnpackStaysInside: whatever leads out of the folder ends the unpacking.
func TestUnpackStaysInside(t *testing.T) {
	reg := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644} }
	link := func(name, to string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}
	}
	for name, test := range map[string]struct {
		entries []tar.Header
		want    string
	}{
		"up":            {[]tar.Header{reg("../x")}, "would lead out of the folder"},
		"up inside":     {[]tar.Header{reg("a/../../x")}, "would lead out of the folder"},
		"absolute":      {[]tar.Header{reg("/x")}, "would lead out of the folder"},
		"backslash":     {[]tar.Header{reg(`..\x`)}, "would lead out of the folder"},
		"link up":       {[]tar.Header{link("l", "../x")}, "would lead out of the folder"},
		"link absolute": {[]tar.Header{link("l", "/etc/passwd")}, "would lead out of the folder"},
		"link by link":  {[]tar.Header{link("a/b", ".."), link("l", "a/b/../..")}, "does not end in the folder"},
		"through link":  {[]tar.Header{link("a/b", ".."), link("l", "a/b/../.."), reg("l/x")}, "escapes"},
		"hard link":     {[]tar.Header{{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}}, "neither a file, a folder nor a symbolic link"},
		"device":        {[]tar.Header{{Name: "d", Typeflag: tar.TypeChar}}, "neither a file"},
		"twice":         {[]tar.Header{reg("x"), reg("x")}, "exists"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := unpackText(t, targz(t, test.entries...))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "x")); err == nil {
				t.Error("a file stands beside the folder")
			}
		})
	}
	if _, err := unpackText(t, "hello"); err == nil || !strings.Contains(err.Error(), "neither a .tar.gz nor a .zip") {
		t.Errorf("%v", err)
	}
}

// FuzzUnpack: whatever the archive, nothing appears outside of the folder.
func FuzzUnpack(f *testing.F) {
	t := &testing.T{}
	f.Add([]byte(targz(t, tar.Header{Name: "../x", Typeflag: tar.TypeReg}, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../x"})))
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if _, err := w.Create("../x"); err != nil {
		f.Fatal(err)
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, archive []byte) {
		dir, err := unpackText(t, string(archive))
		entries, readErr := os.ReadDir(filepath.Dir(dir))
		if readErr != nil || len(entries) > 2 {
			t.Fatalf("%v, %v (unpacking: %v)", entries, readErr, err)
		}
	})
}
