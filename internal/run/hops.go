// Hops: processes that the spans pass through on their way from the traced processes to the sink.
package run

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/spec"
)

// hopValues fills in the configuration of a process that is a hop, and where it passes spans on to.
func (s *stage) hopValues(p spec.Process, values map[string]string) {
	if config, own := s.values[p.Name+".config"]; own {
		values["config"] = config
	}
	if slices.Contains(s.request.Plan.Via, p.Name) {
		direct(values, s.received[s.request.Plan.Next(p.Name)])
	}
}

// direct puts addresses in the place of the sink's.
func direct(values map[string]string, to protocol.Addresses) {
	maps.DeleteFunc(values, func(word, _ string) bool { return strings.HasPrefix(word, protocol.Prefix) })
	maps.Copy(values, to.Values())
}

// layRoute writes the configurations of the hops, and points {sink.…} of all other processes at the first of them.
func (s *stage) layRoute() error {
	plan := s.request.Plan
	s.received = map[string]protocol.Addresses{"": s.agents.sink.Addresses()}
	for _, name := range slices.Backward(plan.Via) { // each needs the address of the next
		p := plan.Process(name)
		config, err := s.hopConfig(p)
		if err != nil {
			return of(name, err)
		}
		s.values[name+".config"] = config
		values := s.valuesFor(*p)
		at := protocol.Addresses{}
		for protocol, text := range p.Service.Receives {
			if at[protocol], err = spec.Expand(text, values); err != nil {
				return of(name, fmt.Errorf("hop %s: where it receives: %w", name, err))
			}
		}
		s.received[name] = at
	}
	if len(plan.Via) > 0 {
		direct(s.values, s.received[plan.Via[0]])
	}
	return nil
}

// hopConfig is the file that {config} of a hop stands for.
func (s *stage) hopConfig(p *spec.Process) (string, error) {
	if p.Config == "" {
		file, err := spec.Expand(p.Service.Config, s.valuesFor(*p))
		if err != nil {
			return "", fmt.Errorf("hop %s: its configuration: %w", p.Name, err)
		}
		return file, nil
	}
	file := filepath.Join(s.scratch, p.Name+".config.yaml")
	if err := os.WriteFile(file, []byte(p.Config), 0o644); err != nil {
		return "", fmt.Errorf("writing the configuration of hop %s: %w", p.Name, err)
	}
	return file, nil
}
