// Spans that go elsewhere than to the sink: a program whose own code traces is not untraced, whatever its variant is called.
// They are seen from outside: in the connections of its processes, and in their logs when no receiver takes their spans.

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

// watch holds the known connections of a run.
type watch struct {
	listened map[uint16]bool // ports at which processes of the run have listened
}

// lookElsewhere notes the known receivers outside this run that processes of the workload are connected to now. Call it often:
// a connection may be short. A closed one has no owner any more, and may be that of any program of the machine.
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

// receives reports whether a known receiver outside this run is at the other end of a connection.
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

// elsewhere returns the record's entry for spans of a process that went elsewhere.
func (s *stage) elsewhere(process string) *record.Elsewhere {
	i := slices.IndexFunc(s.record.Elsewhere, func(e record.Elsewhere) bool { return e.Process == process })
	if i < 0 {
		i = len(s.record.Elsewhere)
		s.record.Elsewhere = append(s.record.Elsewhere, record.Elsewhere{Process: process})
	}
	return &s.record.Elsewhere[i]
}

// The pace of looks at connections while processes end: a look takes the kernel milliseconds, many with many connections, and
// should take a small part of a CPU that others share.
const (
	glance     = 5 * time.Millisecond   // at most
	rested     = 3                      // times the duration of the last look, or
	mostRested = 100 * time.Millisecond // if shorter: a sender waits this long for its answer
)

// watchEnd calls do, which ends processes, and looks at their connections meanwhile: a tracer sends held spans then, in a run
// shorter than its delay only then. For a variant that exports it does not look, as that must not be slowed down.
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

// readElsewhere adds the failed exports in the logs, when all processes have ended. The ledger and the signs cover exports to
// the sink.
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

// longestSign limits the kept part of a line, in bytes.
const longestSign = 300

// kept returns a line of a log as a record keeps it.
func (s *stage) kept(line string) string {
	line = logs.Replacer(s.secrets()).Replace(line)
	if len(line) > longestSign {
		line = line[:longestSign] + "…"
	}
	return strings.ToValidUTF8(line, "�")
}
