package afar

// Folders that programs in pods read, such as that of a tracer: packed on the side of the experiment, kept by the conductor, and
// fetched from it by a container that begins before the program's.

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Piece is a piece of a packed folder, in order.
type Piece struct {
	Folder string `json:"folder"` // its name, unique for what it holds
	Text   []byte `json:"text,omitempty"`
	Last   bool   `json:"last,omitempty"` // answered: all pieces are kept
}

// Fetch is where a pod gets a folder from before its program begins.
type Fetch struct {
	Dir   string `json:"dir"` // at which its program finds it
	URL   string `json:"url"`
	Token string `json:"token"`
}

// mounted is the folder of pods in which folders lie.
const mounted = "/tracetax/"

// nameOf names a folder of the cache by its shelf and its digest.
func nameOf(folder string) string {
	return filepath.Base(filepath.Dir(folder)) + "-" + filepath.Base(folder)
}

// Pack writes a folder as a compressed archive. All may read what is in it; its programs stay programs.
func Pack(to io.Writer, folder string) error {
	zip, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	all := tar.NewWriter(zip)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return packOne(all, path, filepath.ToSlash(name), d)
	})
	return errors.Join(err, all.Close(), zip.Close())
}

func packOne(all *tar.Writer, path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(path); err != nil {
			return err
		}
	}
	head, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	head.Name, head.Uname, head.Gname, head.Uid, head.Gid = name, "", "", 0, 0
	head.Mode |= 0o444
	if d.IsDir() || head.Mode&0o100 != 0 {
		head.Mode |= 0o555
	}
	if err := all.WriteHeader(head); err != nil || !info.Mode().IsRegular() {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(all, f)
	return err
}

// Unpack puts what Pack wrote into a folder, and nothing beside it.
func Unpack(from io.Reader, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("reading a packed folder: %w", err)
	}
	all := tar.NewReader(zip)
	for {
		head, err := all.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a packed folder: %w", err)
		}
		if err := unpackOne(root, head, all); err != nil {
			return fmt.Errorf("unpacking %s: %w", head.Name, err)
		}
	}
}

func unpackOne(root *os.Root, head *tar.Header, from io.Reader) error {
	mode := fs.FileMode(head.Mode).Perm()
	switch head.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(strings.TrimSuffix(head.Name, "/"), mode|0o700)
	case tar.TypeSymlink:
		return root.Symlink(head.Linkname, head.Name)
	case tar.TypeReg:
		f, err := root.OpenFile(head.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, from)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("it is no file, folder or link (type %q)", head.Typeflag)
}

// FetchFolder gets a folder from a conductor, and unpacks it into an empty folder.
func FetchFolder(ctx context.Context, url, token, folder string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return fmt.Errorf("asking the conductor for the files of a tracer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("asking the conductor for the files of a tracer: it answers %s", answer.Status)
	}
	return Unpack(answer.Body, folder)
}

// shelf keeps the packed folders of a conductor, and gives them to pods that know its token.
type shelf struct {
	token string

	mu    sync.Mutex
	dir   string // made with the first folder
	files map[string]*os.File
	err   error // of a piece
	on    net.Listener
}

// take keeps a piece, and returns the first error with the last piece of a folder.
func (s *shelf) take(p Piece, address string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.keep(p, address)
	}
	if s.err != nil {
		return fmt.Errorf("keeping the files of a tracer in the conductor's pod: %w", s.err)
	}
	return nil
}

func (s *shelf) keep(p Piece, address string) (err error) {
	if p.Folder == "" || filepath.Base(p.Folder) != p.Folder {
		return fmt.Errorf("%q is no name of a folder", p.Folder)
	}
	if s.on == nil {
		if err := s.open(address); err != nil {
			return err
		}
	}
	f := s.files[p.Folder]
	if f == nil {
		if f, err = os.Create(filepath.Join(s.dir, p.Folder)); err != nil {
			return err
		}
		s.files[p.Folder] = f
	}
	if _, err := f.Write(p.Text); err != nil || !p.Last {
		return err
	}
	delete(s.files, p.Folder)
	return f.Close()
}

// headPatience bounds what a pod takes to ask.
const headPatience = 10 * time.Second

func (s *shelf) open(address string) (err error) {
	if s.dir, err = os.MkdirTemp("", "tracetax-folders-"); err != nil {
		return err
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // it never fails
	s.token, s.files = hex.EncodeToString(secret), map[string]*os.File{}
	if s.on, err = net.Listen("tcp", net.JoinHostPort(address, "0")); err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(s.give), ReadHeaderTimeout: headPatience}
	go func() { _ = server.Serve(s.on) }() // it ends with the listener
	return nil
}

// give answers a pod.
func (s *shelf) give(w http.ResponseWriter, q *http.Request) {
	if subtle.ConstantTimeCompare([]byte(q.Header.Get("Authorization")), []byte("Bearer "+s.token)) != 1 {
		http.Error(w, "the token is another one", http.StatusForbidden)
		return
	}
	http.ServeFile(w, q, filepath.Join(s.dir, filepath.Base(q.URL.Path)))
}

// fetch is where pods get the folder of a name.
func (s *shelf) fetch(name string) *Fetch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Fetch{Dir: mounted + name, URL: "http://" + s.on.Addr().String() + "/" + name, Token: s.token}
}

// close removes all folders.
func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == nil {
		return nil
	}
	for _, f := range s.files {
		f.Close()
	}
	return errors.Join(s.on.Close(), os.RemoveAll(s.dir))
}
