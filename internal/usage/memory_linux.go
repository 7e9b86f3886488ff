package usage

// Samples of memory: anonymous pages, shared ones too, which are the program's own (some
// runtimes keep compiled code in shared ones); not the page cache, which grows with every
// file that it touches. What a program writes to a file system in memory is shared memory
// to a cgroup.

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
	file   string    // memory.stat of its cgroup, "" without
	fields [2]string // of the file: private and shared pages
	buffer []byte
	left   bool // a process has left the cgroup

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
		s.file, s.fields = filepath.Join(dir, "memory.stat"), [2]string{"anon ", "shmem "}
	default:
		s.file, s.fields = filepath.Join(dir, "memory.stat"), [2]string{"total_rss ", "total_shmem "}
	}
	return s
}

// read takes a sample; ok is false where none is due, unless it is to be now.
func (s *sampler) read(now bool) (bytes uint64, ok bool, err error) {
	due := now || time.Since(s.listed) >= proportional
	if due {
		if err := s.list(); err != nil {
			return 0, false, err
		}
	}
	if s.file != "" && !s.left {
		text, err := readFile(s.file, s.buffer)
		return number(text, s.fields[0]) + number(text, s.fields[1]), err == nil, err
	}
	switch {
	case len(s.pids) == 0:
		return 0, false, nil
	case len(s.pids) == 1:
		return s.resident()
	case due:
		return s.proportional()
	}
	return 0, false, nil
}

// list looks what processes there are. What one of them allocated before it left its cgroup stays there, and what it
// allocates later does not, so that the processes tell from then on.
func (s *sampler) list() (err error) {
	s.listed = time.Now()
	if s.pids, err = s.target.Pids(); err != nil || s.file == "" || s.left {
		return err
	}
	names, err := outside(s.target, s.pids)
	s.left = len(names) > 0
	return err
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
		bytes += (number(text, "RssAnon:") + number(text, "RssShmem:")) << 10
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
		bytes += (number(text, "Pss_Anon:") + number(text, "Pss_Shmem:")) << 10
	}
	return bytes, bytes > 0, nil
}
