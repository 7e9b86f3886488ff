// The data files of a generator: each is read once for all that use it.

package load

import (
	"context"
	"os"
	"slices"
	"time"
)

// dataFiles keeps the tables of the task before, so that a warm-up and the window
// after it read a file once. The zero value is empty.
type dataFiles struct {
	kept map[string]*keptTable // by path
}

type keptTable struct {
	*table
	size     int64
	modified time.Time
}

// read makes sure of a table of the file with all that the operations use of it.
func (d *dataFiles) read(ctx context.Context, name string, users []*gappy) error {
	info, err := os.Stat(name)
	if err != nil {
		return &DataError{File: name, Err: withoutPath(err)}
	}
	fresh := newTable(mostData - d.taken(name))
	for _, u := range users {
		for _, p := range slices.Concat(u.head, u.body) {
			if p.gap != nil {
				fresh.want(p.gap)
			}
		}
	}
	k := d.kept[name]
	if k != nil && k.size == info.Size() && k.modified.Equal(info.ModTime()) && k.covers(fresh) {
		return nil
	}
	delete(d.kept, name) // before the new one needs room
	if err := fresh.readFile(ctx, name); err != nil {
		return err
	}
	if d.kept == nil {
		d.kept = map[string]*keptTable{}
	}
	d.kept[name] = &keptTable{table: fresh, size: info.Size(), modified: info.ModTime()}
	return nil
}

// taken is the memory that the tables of other files take, in bytes.
func (d *dataFiles) taken(but string) int {
	n := 0
	for name, k := range d.kept {
		if name != but {
			n += k.table.size()
		}
	}
	return n
}

// covers reports whether t holds all that other is meant to hold.
func (t *table) covers(other *table) bool {
	for key := range other.index {
		if _, ok := t.index[key]; !ok {
			return false
		}
	}
	return true
}
