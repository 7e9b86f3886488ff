package session

// This file is environment.json: where, by what and with what a result was measured.

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/shell"
)

// environment is what environment.json says.
type environment struct {
	machine.Facts
	Tool     string                       `json:"tool"`
	Source   *artifact.Checkout           `json:"tool_source,omitempty"` // what this tracetax was built of, where that is known
	Checkout *artifact.Checkout           `json:"checkout,omitempty"`    // of the user's own program, where it is in one
	Packages map[string]map[string]string `json:"packages,omitempty"`    // by tracer and workload: the versions of the packages that it names itself
	Started  time.Time                    `json:"started"`
	Asked    string                       `json:"experiment,omitempty"` // SHA-256 of experiment.yaml, as it was when the first run was made
	Runtimes map[string]string            `json:"runtimes,omitempty"`   // what the commands that are needed say of their version
	Digests  map[string]map[string]string `json:"digests,omitempty"`    // by variant: of what was built and fetched for it
	Programs map[string]string            `json:"programs,omitempty"`   // SHA-256 of the files that commands run, and of those among their arguments
	Files    map[string]string            `json:"files,omitempty"`      // SHA-256 of the files that operations name: request data, protosets
	Shadowed []finding.Shadowed           `json:"shadowed,omitempty"`   // packages of programs that their tracers replace by other versions
	LeftOut  []finding.LeftOut            `json:"left_out,omitempty"`   // variants that cannot run here

	KeptAway    []shell.Away        `json:"kept_away,omitempty"`    // variables of the shell that belong to tracers, which no program got
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

// facts is the environment as JSON has it.
func (e environment) facts() (map[string]any, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding the environment: %w", err)
	}
	var m map[string]any
	return m, json.Unmarshal(text, &m)
}

// stillAsks complains where a result's experiment has been edited since it was begun: its
// runs are not of what it says now. A result of before this was noted is taken at its word.
func (e environment) stillAsks(text []byte, dir string) error {
	if e.Asked == "" || e.Asked == digest(text) {
		return nil
	}
	return &AskedError{fmt.Errorf("%s has been changed since its first run was made, and its runs are of what it said before: put it back, or run the new one into a folder of its own with --out",
		filepath.Join(dir, record.ExperimentFile))}
}

func digest(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
