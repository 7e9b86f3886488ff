package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// What the machine lacks is told by validate, and is no problem of the file.
func TestValidateTellsOfMissingPrograms(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.sh"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TRACETAX_TEST_PROGRAM", "no-such-program-of-env")
	for command, want := range map[string]string{
		"no-such-program {port}":            `process app: there is no program "no-such-program" on the PATH`,
		"'${env:TRACETAX_TEST_PROGRAM}'":    `there is no program "no-such-program-of-env" on the PATH`,
		"/no/such/program":                  "there is no program /no/such/program that can be started",
		"./not-there.sh":                    "there is no program " + filepath.Join(dir, "not-there.sh"),
		"./there.sh":                        "",
		"sh -c true":                        "",
		"{tmp}/made-in-the-run --port=8080": "",
	} {
		file := filepath.Join(dir, "x.yaml")
		text := "workload:\n  processes: [{name: app, run: \"" + command + "\"}]\n" +
			"  operations: {home: GET http://127.0.0.1:8080/}\nvariants: {none: , other: {tracer: none}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		status := Main([]string{"validate", file}, strings.NewReader(""), &out, &errOut)
		if status != console.Fine || !strings.Contains(out.String(), "fine") || !strings.Contains(errOut.String(), want) || want == "" && errOut.Len() > 0 {
			t.Errorf("%s: status %d, %q, %q; want %q", command, status, out.String(), errOut.String(), want)
		}
	}
}

// A budget of no lost span beside a sampler that leaves traces to chance is refused by validate and by run alike: no experiment
// could tell whether it is kept.
func TestRefusesWhatChanceHides(t *testing.T) {
	for sampler, want := range map[string]int{
		"traceidratio, OTEL_TRACES_SAMPLER_ARG: '0.1'":             console.Usage,
		"parentbased_traceidratio, OTEL_TRACES_SAMPLER_ARG: '0.1'": console.Fine,
		"always_on": console.Fine,
		"traceidratio, OTEL_TRACES_SAMPLER_ARG: '1'": console.Fine,
		"something_else": console.Fine,
	} {
		file := filepath.Join(t.TempDir(), "x.yaml")
		text := "workload:\n  processes: [{name: app, run: 'sh -c true {port}'}]\n  operations: {home: GET /}\n" +
			"variants:\n  none:\n  own: {env: {TO: '{sink.otlp.http}', OTEL_TRACES_SAMPLER: " + sampler + "}}\nload: {rate: 100/s, duration: 20s}\n"
		write(t, file, text)
		budgeted := filepath.Join(t.TempDir(), "y.yaml")
		write(t, budgeted, text+"budget: {lost: 0}\n")
		for _, args := range [][]string{{"validate", budgeted}, {"run", budgeted, "--dry-run"}, {"run", file, "--dry-run", "--budget", "lost=0"}} {
			var out, errOut bytes.Buffer
			if status := Main(args, strings.NewReader(""), &out, &errOut); status != want {
				t.Errorf("%s, %q: status %d, want %d: %s", sampler, args[0], status, want, errOut.String())
			}
		}
		var out, errOut bytes.Buffer
		if status := Main([]string{"run", file, "--dry-run", "--budget", "lost=30%"}, strings.NewReader(""), &out, &errOut); status != console.Fine {
			t.Errorf("%s, with a budget that allows for chance: status %d: %s", sampler, status, errOut.String())
		}
	}
}

func TestListRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"list foo":               `tracetax: list: unknown kind "foo"; known are experiments, services, tracers, workloads (`,
		"list workloads tracers": "tracetax: list takes one kind at most, not 2: workloads tracers",
	} {
		var out, errOut bytes.Buffer
		status := Main(strings.Fields(args), strings.NewReader(""), &out, &errOut)
		if status != console.Usage || !strings.HasPrefix(errOut.String(), want) {
			t.Errorf("%s: status %d, %q; want %q", args, status, errOut.String(), want)
		}
	}
}
