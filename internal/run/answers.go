// Finding the programs that answer in place of processes: a command may only have its program started elsewhere.

package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/drive"
)

// lookWhoAnswers fails if a program other than the run's processes answers, and notes the processes for which that is unknown.
// It skips processes on a remote target, which itself knows whose use it reads.
func (s *stage) lookWhoAnswers() error {
	var run, apps []int
	for _, p := range append(s.agents.processes(), s.apps...) {
		one, ok := p.(visible)
		if !ok {
			continue
		}
		pids, err := one.Pids()
		if err != nil {
			return fmt.Errorf("looking for the programs of process %s: %w", p.Name(), err)
		}
		if run = append(run, pids...); p.Role() == role.App {
			apps = append(apps, pids...)
		}
	}
	now := &process.Tables{}
	for _, p := range s.apps {
		one, ok := p.(visible)
		if !ok {
			continue
		}
		addresses, err := s.addressesOf(p)
		if err != nil {
			return err
		}
		for _, address := range addresses {
			seen, err := one.Answers(now, address, run, apps)
			if err != nil {
				return of(p.Name(), err)
			}
			if !seen && !slices.Contains(s.record.Start.Unseen, p.Name()) {
				s.record.Start.Unseen = append(s.record.Start.Unseen, p.Name())
			}
		}
	}
	return nil
}

// countWorkers notes how many workers the processes of the app have.
func (s *stage) countWorkers() error {
	for _, p := range s.apps {
		one, ok := p.(visible)
		if !ok || p.Role() != role.App {
			continue
		}
		workers, err := one.Workers()
		if err != nil {
			return fmt.Errorf("counting the workers of %s: %w", p.Name(), err)
		}
		if workers == 0 {
			continue
		}
		if s.record.Start.Workers == nil {
			s.record.Start.Workers = map[string]int{}
		}
		s.record.Start.Workers[p.Name()] = workers
	}
	return nil
}

// addressesOf returns the addresses at which a process is asked, by its check and by operations.
func (s *stage) addressesOf(p Process) ([]string, error) {
	planned, _ := s.planned(p.Name())
	check, err := s.checkOf(planned, p, s.valuesFor(planned))
	if err != nil {
		return nil, err
	}
	var out []string
	if at := check.Address(); at != "" {
		out = append(out, at)
	}
	requests, ok := s.driver.(*drive.Requests)
	if !ok {
		return out, nil
	}
	all := []program.Operation{s.request.First}
	for _, phase := range s.request.Phases {
		all = append(all, phase.Operation)
	}
	for _, o := range all {
		for _, part := range o.Parts() {
			if part.Owner(s.request.Plan.Processes).Name != p.Name() {
				continue
			}
			at, err := requests.Addresses(part)
			if err != nil {
				return nil, fmt.Errorf("operation %s: %w", part.Name, err)
			}
			out = append(out, at...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// strangerIn returns the code of the stranger in a failure; "" if there is none.
func strangerIn(err error) string {
	var stranger *process.StrangerError
	if errors.As(err, &stranger) {
		return string(stranger.Stranger)
	}
	return ""
}
