package process

// What tracetax does with a keeper's reports, and when the keeper is no more.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/keeper"
	"github.com/tracetax/tracetax/internal/process/table"
)

// listen takes in reports until the keeper has ended, then sees to it that
// nothing of the process is left. The first report goes to first.
func (p *Process) listen(first chan<- keeper.Report) {
	lines := json.NewDecoder(p.reports)
	begun, orderly := false, false
	for {
		var r keeper.Report
		if lines.Decode(&r) != nil {
			break
		}
		if !begun && r.What != keeper.IsGone {
			begun = true
			first <- r
		}
		p.take(r)
		orderly = orderly || r.What == keeper.IsGone || r.What == keeper.HasFailed
	}
	_ = p.keeper.Wait() // how it ended has been reported, or is dealt with here
	var err error
	if !orderly {
		err = p.killStrays()
	}
	p.mu.Lock()
	p.lastErr = err
	if p.own == 0 && p.keeper.ProcessState != nil {
		p.own = p.keeper.ProcessState.UserTime() + p.keeper.ProcessState.SystemTime()
	}
	p.mu.Unlock()
	p.end(Exit{Code: -1, Lost: true, At: time.Now()})
	p.log.Drain()
	close(p.gone)
	close(first)
}

func (p *Process) take(r keeper.Report) {
	switch r.What {
	case keeper.HasExited:
		exit := exitOf(r.Status, *r.Usage)
		exit.Left, exit.At = r.Left, time.Now() // before its log is read to the end, which may take a while
		exit.OutOfMemory = p.outOfMemory()
		p.log.Drain() // so that its last words are there when its end is known
		p.end(exit)
	case keeper.HasReaped:
		p.mu.Lock()
		defer p.mu.Unlock()
		if answer := p.answers[r.ID]; answer != nil {
			answer <- *r.Usage
			delete(p.answers, r.ID)
		}
	case keeper.IsGone:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reaped = *r.Usage
		if r.Own != nil {
			p.own = cpuTime(*r.Own)
		}
	}
}

func cpuTime(u syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// end makes the exit known, once.
func (p *Process) end(exit Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended, p.exit = true, exit
	close(p.exited)
}

// outOfMemory reports whether the kernel has killed in the process's cgroup for
// want of memory.
func (p *Process) outOfMemory() bool {
	dir := p.group.At["memory"]
	if dir == "" {
		return false
	}
	for _, file := range []string{"memory.events", "memory.oom_control"} {
		text, err := cgroup.Read(filepath.Join(dir, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(text) {
			value, ok := strings.CutPrefix(line, "oom_kill ")
			if n, err := strconv.Atoi(strings.TrimSpace(value)); ok && err == nil && n > 0 {
				return true
			}
		}
	}
	return false
}

// killStrays ends what a killed keeper left behind. The main process the kernel
// has killed with its parent.
func (p *Process) killStrays() error {
	const patience = 5 * time.Second
	session := p.keeper.Process.Pid
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		grouped, err1 := cgroup.PIDs(p.group.Dirs)
		marked, err2 := table.Strays(marker+"="+p.mark, session)
		left := table.Merge(grouped, marked)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended a moment ago
		}
		if err := errors.Join(err1, err2); err != nil || len(left) == 0 {
			return err
		}
		if time.Since(start) > patience {
			return fmt.Errorf("processes %v of %s could not be killed after its keeper was: see 'ps -o stat,wchan -p PID'", left, p.Name())
		}
	}
}
