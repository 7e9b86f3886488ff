package usage

// Samples of memory: anonymous pages, which are the program's own; not the page
// cache, which grows with every file that it touches.

import (
	"fmt"
	"path/filepath"
	"time"
)

// proportional is the time between two looks at what processes there are, and
// between two samples of several that may share memory: these have the kernel
// walk all their pages.
const proportional = 2 * time.Second

// sampler takes samples of one target.
type sampler struct {
	target Target
	file   string // memory.stat of its cgroup, "" without
	field  string
	buffer []byte

	pids   []int     // its processes, as they were
	listed time.Time // then
}

func newSampler(t Target) *sampler {
	s := &sampler{target: t, buffer: make([]byte, 16<<10)}
	groups := t.Groups()
	dir := groups["memory"]
	switch {
	case dir == "":
	case groups["unified"] != "":
		s.file, s.field = filepath.Join(dir, "memory.stat"), "anon "
	default:
		s.file, s.field = filepath.Join(dir, "memory.stat"), "total_rss "
	}
	return s
}

// read takes a sample; ok is false where none is due.
func (s *sampler) read() (bytes uint64, ok bool, err error) {
	if s.file != "" {
		text, err := readFile(s.file, s.buffer)
		return number(text, s.field), err == nil, err
	}
	due := time.Since(s.listed) >= proportional
	if due {
		s.pids, err = s.target.Pids()
		s.listed = time.Now()
	}
	switch {
	case err != nil || len(s.pids) == 0:
		return 0, false, err
	case len(s.pids) == 1:
		return s.resident()
	case due:
		return s.proportional()
	}
	return 0, false, nil
}

// resident is the anonymous memory of processes that share none. Pages that a
// fork still shares are counted for each.
func (s *sampler) resident() (bytes uint64, ok bool, err error) {
	for _, pid := range s.pids {
		text, err := readFile(fmt.Sprintf("/proc/%d/status", pid), s.buffer)
		if ended(err) {
			continue
		}
		if err != nil {
			return 0, false, err
		}
		bytes += number(text, "RssAnon:") << 10
	}
	return bytes, bytes > 0, nil
}

// proportional counts a page that processes share in parts. A kernel or a user
// without the right to ask gets the sum of what each has.
func (s *sampler) proportional() (bytes uint64, ok bool, err error) {
	for _, pid := range s.pids {
		text, err := readFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid), s.buffer)
		if ended(err) {
			continue
		}
		if err != nil {
			return s.resident()
		}
		bytes += number(text, "Pss_Anon:") << 10
	}
	return bytes, bytes > 0, nil
}
