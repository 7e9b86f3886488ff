package tracetax_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	updateHouse = flag.Bool("update-house", false, "write testdata/house.txt: what fell, and with -reason what grew")
	reason      = flag.String("reason", "", "why the rows that grew may do so")
)

// houseFile has a row a package: how many lines and files of Go it may have. A row falls with its package; it rises with a
// reason, which stands behind it.
const houseFile = "testdata/house.txt"

const houseHead = "# Lines and files of Go by package, outside tests and in tests. They may only fall: 'make house' lowers them.\n" +
	"# A row that has to rise gets its reason behind it: make house REASON='a driver by name'.\n"

// size is how large a package is: lines and files outside tests, lines and files in tests.
type size [4]int

// row is what a package may have at most.
type row struct {
	size
	reason string // of its last rise
}

// grew reports whether any of s is more than most.
func (s size) grew(most size) bool {
	for i := range s {
		if s[i] > most[i] {
			return true
		}
	}
	return false
}

func TestHouse(t *testing.T) {
	now, err := measureHouse()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(houseFile)
	if err != nil && !*updateHouse {
		t.Fatal(err)
	}
	most, err := readHouse(text)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]row{}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		s, r := now[name], most[name]
		if s.grew(r.size) {
			if !*updateHouse || *reason == "" {
				t.Errorf("%s has %v lines, files, lines and files of tests, and may have %v: make it smaller, or run make house REASON='…'", name, s, r.size)
				s = r.size
			} else {
				r.reason = *reason
			}
		}
		next[name] = row{s, r.reason}
	}
	if *updateHouse && !t.Failed() {
		if err := os.WriteFile(houseFile, writeHouse(next), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// measureHouse is the size of each package, of those below internal/ and below lab/ each together, and of all together.
func measureHouse() (map[string]size, error) {
	sizes := map[string]size{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		at := 0
		if strings.HasSuffix(path, "_test.go") {
			at = 2
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		names := []string{folder, "all"}
		if top, _, _ := strings.Cut(folder, "/"); top == "internal" || top == "lab" {
			names = append(names, top+"/...")
		}
		for _, name := range names {
			s := sizes[name]
			s[at] += bytes.Count(text, []byte("\n"))
			s[at+1]++
			sizes[name] = s
		}
		return nil
	})
	return sizes, err
}

func readHouse(text []byte) (map[string]row, error) {
	rows := map[string]row{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line, why, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		var name string
		r := row{reason: strings.TrimSpace(why)}
		if n, err := fmt.Sscan(line, &name, &r.size[0], &r.size[1], &r.size[2], &r.size[3]); err != nil {
			return nil, fmt.Errorf("%s: %q: %d of 5 columns: %w", houseFile, line, n, err)
		}
		rows[name] = r
	}
	return rows, nil
}

func writeHouse(rows map[string]row) []byte {
	out := bytes.NewBufferString(houseHead)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		line := fmt.Sprintf("%-34s %6d %4d %6d %4d", name, r.size[0], r.size[1], r.size[2], r.size[3])
		if r.reason != "" {
			line += " # " + r.reason
		}
		fmt.Fprintln(out, line)
	}
	return out.Bytes()
}

// A row that grew in anything is found; a file that was written is read as it was.
func TestHouseRows(t *testing.T) {
	rows := map[string]row{"all": {size{9, 2, 8, 1}, ""}, "internal/load": {size{9, 2, 8, 1}, "a second protocol"}}
	read, err := readHouse(writeHouse(rows))
	if err != nil || !maps.Equal(read, rows) {
		t.Errorf("%v, %v", read, err)
	}
	for i := range 4 {
		more := size{9, 2, 8, 1}
		more[i]++
		if !more.grew(rows["all"].size) || rows["all"].size.grew(more) {
			t.Errorf("%v beside %v", more, rows["all"].size)
		}
	}
	if _, err := readHouse([]byte("internal/load 9 2\n")); err == nil {
		t.Error("a row with three columns is read")
	}
}
