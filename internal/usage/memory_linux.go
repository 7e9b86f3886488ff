package usage

// Samples of memory: anonymous pages, which are the program's own; not the page
// cache, which grows with every file that it touches.

import (
	"fmt"
	"path/filepath"
	"time"
)

// proportional is the time between two samples of several processes that may
// share memory: it has the kernel walk all their pages.
const proportional = time.Second

// sampler takes samples of one target.
type sampler struct {
	target Target
	file   string // memory.stat of its cgroup, "" without
	field  string
	buffer []byte

	walked time.Time // when the pages were last walked
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
	pids, err := s.target.Pids()
	if err != nil || len(pids) == 0 {
		return 0, false, err
	}
	if len(pids) == 1 {
		return s.resident(pids)
	}
	if time.Since(s.walked) < proportional {
		return 0, false, nil
	}
	s.walked = time.Now()
	return s.proportional(pids)
}

// resident is the anonymous memory of processes that share none. Pages that a
// fork still shares are counted for each.
func (s *sampler) resident(pids []int) (bytes uint64, ok bool, err error) {
	for _, pid := range pids {
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
func (s *sampler) proportional(pids []int) (bytes uint64, ok bool, err error) {
	for _, pid := range pids {
		text, err := readFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid), s.buffer)
		if ended(err) {
			continue
		}
		if err != nil {
			return s.resident(pids)
		}
		bytes += number(text, "Pss_Anon:") << 10
	}
	return bytes, bytes > 0, nil
}
