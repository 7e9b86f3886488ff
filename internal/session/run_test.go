package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
)

// TestMain makes the test binary serve as the tracetax that runs the agents.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// heard is what a listener was told.
type heard struct {
	begun, ended int
	parts        []bool
	cutOff       int64
}

func (h *heard) LeftOut([]session.Lack)       {}
func (h *heard) CutOff(_ string, bytes int64) { h.cutOff = bytes }
func (h *heard) Watch(_ *config.Experiment, part bool) session.Watcher {
	h.parts = append(h.parts, part)
	return h
}
func (h *heard) Observe(e experiment.Event) {
	if e.Begun {
		h.begun++
	}
}
func (h *heard) End() { h.ended++ }

// two is an experiment over two workloads; the first cannot run anywhere.
func two(t *testing.T) ([]*config.Experiment, *program.Catalog) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	workload := fmt.Sprintf(`processes: [{name: hello, run: [%q, agent, hello, --listen, "127.0.0.1:{port}"], ready: "http://127.0.0.1:{port}/healthz"}]
operations: {json: {request: "GET http://127.0.0.1:{port}/json"}}
`, self)
	catalog := program.NewCatalog(fstest.MapFS{
		"workloads/w/lame/workload.yaml": {Data: []byte("needs: [{command: no-such-command, install: make one}]\n" + workload)},
		"workloads/w/well/workload.yaml": {Data: []byte(workload)},
		"tracers/none/tracer.yaml":       {Data: []byte("description: No tracer.\n")},
	})
	all, err := config.ParseExperiment("two.yaml", ".", []byte(`workloads: [w/lame, w/well]
variants: {none: , other: {env: {A: x}}}
load: {rate: 50/s, idle: 50ms, warmup: 50ms, duration: 200ms}
design: {blocks: 1, quick: true, seed: 7}
`), catalog)
	if err != nil {
		t.Fatal(err)
	}
	return all, catalog
}

// A workload that cannot run is passed over, and its folder is withdrawn however the results are
// judged; what was run can be gone on with and analysed again.
func TestSeries(t *testing.T) {
	all, catalog := two(t)
	h := &heard{}
	options := session.Options{Tool: "test", Accounting: "clock", Progress: io.Discard, Listener: h}
	top := filepath.Join(t.TempDir(), "top")
	s := session.Series{Experiments: all, Top: top, Options: options}
	var outcomes []session.Outcome
	each := func(o session.Outcome) error { outcomes = append(outcomes, o); return nil }
	if err := s.Run(context.Background(), each); err != nil {
		t.Fatal(err)
	}
	var unready *prepare.UnreadyError
	if len(outcomes) != 2 || outcomes[0].Document != nil || !errors.As(outcomes[0].Err, &unready) {
		t.Fatalf("%+v", outcomes)
	}
	doc := outcomes[1].Document
	if doc == nil || outcomes[1].Err != nil || doc.Runs.Good != 2 || h.begun != 2 || h.ended != 1 || len(h.parts) != 1 || !h.parts[0] {
		t.Fatalf("%+v, heard %+v", outcomes[1], h)
	}
	begun, folders, err := session.Begun(top, catalog)
	if err != nil || len(begun) != 1 || len(folders) != 1 || filepath.Base(folders[0]) != "w-well" {
		t.Fatalf("begun: %v %v", folders, err)
	}

	outcomes = nil
	s = session.Series{Experiments: begun, Top: top, Folders: folders, Resume: true, Options: options}
	if err := s.Run(context.Background(), each); err != nil || len(outcomes) != 1 || h.begun != 2 {
		t.Fatalf("gone on with: %v %+v, heard %+v", err, outcomes, h)
	}

	runs, err := os.OpenFile(filepath.Join(folders[0], record.RunsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(runs, `{"cut`); err != nil {
		t.Fatal(err)
	}
	if err := runs.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := results.Reanalyze(folders[0], catalog, options.Tool, h.CutOff)
	if err != nil || h.cutOff != int64(len(`{"cut`)) || len(again.Findings) == 0 || len(again.Findings) != len(doc.Findings) {
		t.Fatalf("again: %v, heard %+v", err, h)
	}

	text := filepath.Join(folders[0], record.ExperimentFile)
	if err := os.WriteFile(text, []byte("# edited\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var asked *results.AskedError
	if _, err := results.Reanalyze(folders[0], catalog, options.Tool, h.CutOff); !errors.As(err, &asked) {
		t.Errorf("an edited experiment: %v", err)
	}
}

// A series that is ended early leaves what it had not begun, to go on with.
func TestSeriesEndedEarly(t *testing.T) {
	all, catalog := two(t)
	top := filepath.Join(t.TempDir(), "top")
	enough := errors.New("enough")
	s := session.Series{Experiments: all, Top: top, Options: session.Options{Tool: "test", Accounting: "clock", Progress: io.Discard, Listener: &heard{}}}
	err := s.Run(context.Background(), func(o session.Outcome) error {
		if o.Document != nil {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	_, folders, err := session.Begun(top, catalog)
	if err != nil || strings.Join(names(folders), " ") != "w-lame w-well" {
		t.Errorf("begun: %v %v", folders, err)
	}
}

func names(paths []string) (out []string) {
	for _, path := range paths {
		out = append(out, filepath.Base(path))
	}
	return out
}
