// Unpacking archives without leaving the folder that they are unpacked into.

package artifact

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/tracetax/tracetax/internal/quote"
)

// Bounds of an archive. What is pinned is trusted not to be hostile; a wrong file
// must still not fill the disk.
const (
	maxUnpacked = 4 << 30 // bytes
	maxEntries  = 200_000
)

// unpack writes the files of an archive, .tar.gz or .zip by its first bytes, into
// the folder dir, which it makes. A name or a link that leads out of it is an error.
func unpack(archive, dir string) (err error) {
	in, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() // nothing was written through it alone
	u := &unpacker{root: root}
	buffered := bufio.NewReader(in)
	switch start, _ := buffered.Peek(2); string(start) { // a file that cannot be read shows below
	case "\x1f\x8b":
		err = u.tar(buffered)
	case "PK":
		err = u.zip(in)
	default:
		return errors.New("this is neither a .tar.gz nor a .zip")
	}
	if err != nil {
		return err
	}
	return u.checkLinks()
}

// unpacker writes below root, which nothing that is written through it can leave.
type unpacker struct {
	root    *os.Root
	entries int
	bytes   int64
	links   []string
}

func (u *unpacker) tar(from io.Reader) error {
	plain, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	all := tar.NewReader(plain)
	for {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := u.name(h.Name)
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = u.folder(name)
		case tar.TypeReg:
			err = u.file(name, h.FileInfo().Mode(), all)
		case tar.TypeSymlink:
			err = u.link(name, h.Linkname)
		case tar.TypeXGlobalHeader:
		default:
			err = fmt.Errorf("%s is neither a file, a folder nor a symbolic link", quote.Quoted(h.Name))
		}
		if err != nil {
			return err
		}
	}
}

func (u *unpacker) zip(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	all, err := zip.NewReader(file, info.Size())
	if err != nil {
		return err
	}
	for _, f := range all.File {
		if err := u.zipped(f); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) zipped(f *zip.File) error {
	name, err := u.name(f.Name)
	if err != nil {
		return err
	}
	mode := f.Mode()
	if mode.IsDir() {
		return u.folder(name)
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	switch {
	case mode.IsRegular():
		return u.file(name, mode, in)
	case mode&fs.ModeSymlink != 0:
		const longest = 4096 // bytes of a path
		target, err := io.ReadAll(io.LimitReader(in, longest))
		if err != nil {
			return err
		}
		return u.link(name, string(target))
	}
	return fmt.Errorf("%s is neither a file, a folder nor a symbolic link", quote.Quoted(f.Name))
}

// name checks the name of an entry, and counts it.
func (u *unpacker) name(name string) (string, error) {
	if u.entries++; u.entries > maxEntries {
		return "", fmt.Errorf("the archive holds more than %d files", maxEntries)
	}
	clean := filepath.FromSlash(path.Clean(name))
	if strings.ContainsRune(name, '\\') || !filepath.IsLocal(clean) {
		return "", fmt.Errorf("%s would lead out of the folder", quote.Quoted(name))
	}
	return clean, nil
}

func (u *unpacker) folder(name string) error { return u.root.MkdirAll(name, 0o755) }

func (u *unpacker) file(name string, mode fs.FileMode, from io.Reader) error {
	if err := u.folder(filepath.Dir(name)); err != nil {
		return err
	}
	out, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|mode&0o111)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(from, maxUnpacked-u.bytes+1))
	if u.bytes += n; u.bytes > maxUnpacked {
		err = errors.Join(err, fmt.Errorf("the archive holds more than %d bytes", int64(maxUnpacked)))
	}
	return errors.Join(err, out.Close())
}

func (u *unpacker) link(name, target string) error {
	if path.IsAbs(target) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), filepath.FromSlash(target))) {
		return fmt.Errorf("%s is a link that would lead out of the folder, to %s", quote.Quoted(name), quote.Quoted(target))
	}
	if err := u.folder(filepath.Dir(name)); err != nil {
		return err
	}
	u.links = append(u.links, name)
	return u.root.Symlink(target, name)
}

// checkLinks follows every link to its end: one may lead out of the folder by way
// of another.
func (u *unpacker) checkLinks() error {
	for _, name := range u.links {
		if _, err := u.root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is a link that does not end in the folder: %w", quote.Quoted(name), err)
		}
	}
	return nil
}
