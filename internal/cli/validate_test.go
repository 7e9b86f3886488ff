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
