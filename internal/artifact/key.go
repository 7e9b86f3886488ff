// The names of folders: a digest of everything that a folder is made from.

package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
)

// key is a digest of a list of parts, each set off from the next by its length.
type key struct{ hash hash.Hash }

func newKey(kind string) key {
	k := key{sha256.New()}
	k.add(kind)
	return k
}

func (k key) add(parts ...string) {
	for _, part := range parts {
		fmt.Fprintf(k.hash, "%d:%s", len(part), part)
	}
}

// addFiles adds the names and contents of all files, in the order of their names.
func (k key) addFiles(files fs.FS, skip func(name string) bool) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || skip(name) {
			return err
		}
		file, err := files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		content := sha256.New()
		if _, err := io.Copy(content, file); err != nil {
			return err
		}
		k.add(name, string(content.Sum(nil)))
		return nil
	})
}

// text is the digest, short enough for a path and long enough to be unique.
func (k key) text() string {
	const length = 24
	return hex.EncodeToString(k.hash.Sum(nil))[:length]
}
