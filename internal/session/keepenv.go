package session

// This file is about variables of the user's shell that belong to tracers: programs get
// none of them but those that are named.

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/shell"
)

// keepEnv says which variables programs get though they belong to a tracer.
func (s *Session) keepEnv(names []string) {
	s.conductor.Keep = names
	s.environment.KeptEnv = names
	_, s.environment.KeptAway = shell.Environment(os.Environ(), names)
}

// switchOff notes which tracers in the code of programs are switched off, by the variables that do so.
func (s *Session) switchOff() {
	env, _ := shell.Environment(os.Environ(), s.environment.KeptEnv)
	s.environment.SwitchedOff = nil
	for _, cell := range s.loop.Cells {
		var all []string
		for _, p := range cell.Plan.Processes {
			all = append(all, prepare.SwitchedOff(env, p)...)
		}
		if slices.Sort(all); all == nil {
			continue
		}
		if s.environment.SwitchedOff == nil {
			s.environment.SwitchedOff = map[string][]string{}
		}
		s.environment.SwitchedOff[cell.Variant.Name] = slices.Compact(all)
	}
}

// sameKeptEnv has the programs of a result that is gone on with get what the others got;
// it complains where something else is asked for now.
func (s *Session) sameKeptEnv(before environment) error {
	asked := s.environment.KeptEnv
	if len(asked) > 0 && !slices.Equal(asked, before.KeptEnv) {
		return &AskedError{fmt.Errorf("%s was begun with %s; go on without --keep-env, or "+startAgain, s.dir, keptEnvText(before.KeptEnv))}
	}
	for _, name := range before.KeptEnv {
		if _, set := os.LookupEnv(name); !set {
			return &AskedError{fmt.Errorf("%s was begun with %s, which is not set now: set it as it was then", s.dir, keptEnvText([]string{name}))}
		}
	}
	s.keepEnv(before.KeptEnv)
	return nil
}

func keptEnvText(names []string) string {
	if len(names) == 0 {
		return "no --keep-env"
	}
	return "--keep-env " + strings.Join(names, " --keep-env ")
}
