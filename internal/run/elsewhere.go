// Spans that go elsewhere than to the sink: a program whose own code traces is not untraced, whatever its variant is called.
// Where they go is seen from outside: in the connections of its processes, and in what they write when nobody takes their
// spans.

package run

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/logs"
)

// watch is what is known of connections of a run.
type watch struct {
	listened map[uint16]bool // ports at which processes of the run were seen to listen
}

// lookElsewhere notes the known receivers, none of this run's own, that processes of the workload are connected to at the
// moment. It is asked again and again: a connection may be short. One that has been closed has no owner any more, and may be
// that of any program of the machine.
func (s *stage) lookElsewhere() error {
	now := &process.Tables{}
	all := s.agents.processes()
	all = append(all, s.apps...)
	seen := make([]process.Sockets, len(all))
	for i, p := range all {
		one, ok := p.(visible)
		if !ok {
			continue
		}
		var err error
		if seen[i], err = one.Sockets(now); err != nil {
			return fmt.Errorf("looking at the connections of process %s: %w", p.Name(), err)
		}
		for _, at := range seen[i].Listening {
			if s.connections.listened == nil {
				s.connections.listened = map[uint16]bool{}
			}
			s.connections.listened[at.Port()] = true
		}
	}
	for i, sockets := range seen {
		app := i - (len(all) - len(s.apps))
		for _, c := range sockets.Connected {
			if !s.receives(c) {
				continue
			}
			if app >= 0 && s.mayTrace(s.request.Plan.Processes[app]) {
				s.wentTo(all[i].Name(), c.Remote)
			}
		}
	}
	return nil
}

// receives reports whether a known receiver is at the other end of a connection, and none of this run's processes.
func (s *stage) receives(c process.Connection) bool {
	return protocol.Receivers[c.Remote.Port()] != "" && !s.connections.listened[c.Remote.Port()]
}

// mayTrace reports whether a process may have a tracer in its own code: it is the workload's, and no hop or backend.
func (s *stage) mayTrace(p program.Process) bool {
	return p.Role == role.App && !p.Brought() && !slices.Contains(s.request.Plan.Route(), p.Name)
}

func (s *stage) wentTo(process string, to netip.AddrPort) {
	one := s.elsewhere(process)
	one.To = append(one.To, to.String())
	slices.Sort(one.To)
	one.To = slices.Compact(one.To)
}

// elsewhere is what the record says of spans of a process that went elsewhere.
func (s *stage) elsewhere(process string) *record.Elsewhere {
	i := slices.IndexFunc(s.record.Elsewhere, func(e record.Elsewhere) bool { return e.Process == process })
	if i < 0 {
		i = len(s.record.Elsewhere)
		s.record.Elsewhere = append(s.record.Elsewhere, record.Elsewhere{Process: process})
	}
	return &s.record.Elsewhere[i]
}

// How often connections are looked for while processes end: a look takes the kernel milliseconds, and many where there are many
// connections, and is to take a small part of a CPU on which others work, too.
const (
	glance     = 5 * time.Millisecond   // at most
	rested     = 3                      // times as long as the last look took, or
	mostRested = 100 * time.Millisecond // where that is shorter: a sender waits for its answer for so long
)

// watchEnd does what ends processes, and looks meanwhile where they connect to: what a tracer held back it sends then, and
// then alone where a run is shorter than its delay. Of a variant that exports nobody looks, for nothing is to slow that down.
func (s *stage) watchEnd(do func() error) error {
	if s.exporting {
		return do()
	}
	ended, watched := make(chan struct{}), make(chan error, 1)
	go func() {
		timer := time.NewTimer(0)
		defer timer.Stop()
		for {
			select {
			case <-ended:
				watched <- s.lookElsewhere()
				return
			case <-timer.C:
				begun := time.Now()
				if err := s.lookElsewhere(); err != nil {
					watched <- err
					return
				}
				timer.Reset(max(glance, min(rested*time.Since(begun), mostRested)))
			}
		}
	}()
	err := do()
	close(ended)
	return errors.Join(err, <-watched)
}

// readElsewhere adds what the logs tell of exports that failed, when all processes have ended. Of exports that were to
// come to the sink the ledger and the signs tell.
func (s *stage) readElsewhere(ctx context.Context) error {
	if s.exporting {
		return nil
	}
	for i, app := range s.apps {
		if !s.mayTrace(s.request.Plan.Processes[i]) {
			continue
		}
		sign, err := logs.FailedExports(ctx, app.Log().Lines)
		if err != nil {
			return fmt.Errorf("looking for failed exports in the log of process %s: %w", app.Name(), err)
		}
		if sign != nil {
			sign.Last = s.kept(sign.Last)
			s.elsewhere(app.Name()).Log = sign
		}
	}
	return nil
}

// longestSign is how much of a line is kept, in bytes.
const longestSign = 300

// kept is a line of a log as a record keeps it.
func (s *stage) kept(line string) string {
	line = logs.Replacer(s.request.Plan.Secrets).Replace(line)
	if len(line) > longestSign {
		line = line[:longestSign] + "…"
	}
	return strings.ToValidUTF8(line, "�")
}
