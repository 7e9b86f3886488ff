package session

// This file is environment.json: where, by what and with what a result was measured.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session/cluster"
	"github.com/tracetax/tracetax/internal/userenv"
)

// environment is environment.json.
type environment struct {
	machine.Facts                              // of the first of Nodes, where there are some
	Nodes         []cluster.Node               `json:"nodes,omitempty"` // of a cluster, which made the runs
	Tool          string                       `json:"tool"`
	Source        *artifact.Checkout           `json:"tool_source,omitempty"` // what this tracetax was built of, where that is known
	Checkout      *artifact.Checkout           `json:"checkout,omitempty"`    // of the user's own program, where it is in one
	Packages      map[string]map[string]string `json:"packages,omitempty"`    // by tracer and workload: the versions of the packages that it names itself
	Started       time.Time                    `json:"started"`
	Asked         string                       `json:"experiment,omitempty"` // SHA-256 of experiment.yaml, as it was when the first run was made
	Runtimes      map[string]string            `json:"runtimes,omitempty"`   // versions of needed commands
	Digests       map[string]map[string]string `json:"digests,omitempty"`    // by variant: of what was built and fetched for it
	Images        map[string]map[string]string `json:"images,omitempty"`     // by variant and process in pods: what the nodes ran, with its digest
	Accounting    string                       `json:"accounting,omitempty"` // of pods: how what they use was read
	Programs      map[string]string            `json:"programs,omitempty"`   // SHA-256 of the files that commands run, and of those among their arguments
	Files         map[string]string            `json:"files,omitempty"`      // SHA-256 of the files that operations name: request data, protosets
	Shadowed      []finding.Shadowed           `json:"shadowed,omitempty"`   // packages of programs that their tracers replace by other versions
	LeftOut       []finding.LeftOut            `json:"left_out,omitempty"`   // variants that cannot run here

	KeptAway    []userenv.Away      `json:"kept_away,omitempty"`    // variables of the shell that belong to tracers, which no program got
	SwitchedOff map[string][]string `json:"switched_off,omitempty"` // by variant: variables that switched off tracers in the code of its programs

	KeptEnv []string `json:"kept_env,omitempty"` // such variables that the programs got, as it was asked for
}

// readEnvironment reads where a result was measured.
func readEnvironment(dir string) (environment, error) {
	var e environment
	content, err := os.ReadFile(filepath.Join(dir, record.EnvironmentFile))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(content, &e); err != nil {
		return e, fmt.Errorf("%s: %w", record.EnvironmentFile, err)
	}
	return e, nil
}

func (e environment) write(w io.Writer) error {
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	return to.Encode(e)
}

// standsOn notes the nodes of a cluster that make the runs, beside those that made earlier ones.
func (e *environment) standsOn(nodes []cluster.Node) {
	for _, one := range nodes {
		if !slices.ContainsFunc(e.Nodes, func(n cluster.Node) bool { return n.Name == one.Name }) {
			e.Nodes = append(e.Nodes, one)
		}
	}
	e.Facts = e.Nodes[0].Facts
}

// ran notes how runs in pods were read, and the images that they were of.
func (e *environment) ran(history []record.Record) {
	for _, r := range history {
		e.Accounting = r.Harness.Accounting
		for process, image := range r.Harness.Images {
			if e.Images == nil {
				e.Images = map[string]map[string]string{}
			}
			if e.Images[r.Variant] == nil {
				e.Images[r.Variant] = map[string]string{}
			}
			e.Images[r.Variant][process] = image
		}
	}
}

// facts is the environment as JSON has it.
func (e environment) facts() (map[string]any, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding the environment: %w", err)
	}
	var m map[string]any
	return m, json.Unmarshal(text, &m)
}

// This file is about variables of the user's shell that belong to tracers: programs get
// none of them but those that are named.

// keepEnv lists the variables that programs get although they belong to a tracer.
func (s *Session) keepEnv(names []string) {
	s.conductor.Keep = names
	s.environment.KeptEnv = names
	_, s.environment.KeptAway = userenv.Environment(os.Environ(), names)
}

// switchOff notes which tracers in the code of programs are switched off, by the variables that do so.
func (s *Session) switchOff() {
	env, _ := userenv.Environment(os.Environ(), s.environment.KeptEnv)
	s.environment.SwitchedOff = nil
	for _, prepared := range s.loop.Variants {
		var all []string
		for _, p := range prepared.Plan.Processes {
			all = append(all, prepare.SwitchedOff(env, p)...)
		}
		if slices.Sort(all); all == nil {
			continue
		}
		if s.environment.SwitchedOff == nil {
			s.environment.SwitchedOff = map[string][]string{}
		}
		s.environment.SwitchedOff[prepared.Variant.Name] = slices.Compact(all)
	}
}

// sameKeptEnv has the programs of a result that is gone on with get what the others got;
// it complains where something else is asked for now.
func (s *Session) sameKeptEnv(before environment) error {
	asked := s.environment.KeptEnv
	if len(asked) > 0 && !slices.Equal(asked, before.KeptEnv) {
		return &results.AskedError{Err: fmt.Errorf("%s was begun with %s; go on without --keep-env, or "+startAgain, s.dir, keptEnvText(before.KeptEnv))}
	}
	for _, name := range before.KeptEnv {
		if _, set := os.LookupEnv(name); !set {
			return &results.AskedError{Err: fmt.Errorf("%s was begun with %s, which is not set now: set it as it was then", s.dir, keptEnvText([]string{name}))}
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

// runtimesOf are the versions of what programs of this machine need; those in images and pods bring their own.
func runtimesOf(ctx context.Context, e *config.Experiment) map[string]string {
	here := func(p program.Process) bool { return p.Image == "" }
	if all := e.Workload.Processes; e.Target.Kubernetes.Is() || len(all) > 0 && !slices.ContainsFunc(all, here) {
		return nil
	}
	return artifact.Versions(ctx, e.Needs())
}

// packagesOf are the versions of the packages that a workload and the tracers of its variants name themselves.
func packagesOf(e *config.Experiment) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	add := func(name string, pinned map[string]string, err error) error {
		if err != nil {
			return fmt.Errorf("the versions of %s: %w", name, err)
		}
		for of, version := range pinned {
			if out[name] == nil {
				out[name] = map[string]string{}
			}
			out[name][of] = version
		}
		return nil
	}
	var errs []error
	if w := e.Workload; w.Files != nil {
		pinned, err := artifact.Pinned(w.Files, w.Artifact)
		errs = append(errs, add(w.Name, pinned, err))
		pinned, err = artifact.PinnedModules(w.Files)
		errs = append(errs, add(w.Name, pinned, err))
	}
	for _, v := range e.Variants {
		if v.Tracer.Files != nil {
			pinned, err := artifact.Pinned(v.Tracer.Files, v.Tracer.Artifact)
			errs = append(errs, add(v.Tracer.Name, pinned, err))
		}
	}
	return out, errors.Join(errs...)
}
