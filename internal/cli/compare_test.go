// tracetax compare, run as a user runs it, on finished results.

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/results"
)

// changed is a results folder with the findings of result, changed.
func changed(t *testing.T, name string, change func(*finding.Document)) string {
	t.Helper()
	doc, err := results.ReadFindings(result(t))
	if err != nil {
		t.Fatal(err)
	}
	change(doc)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "findings.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// times makes every variant cost so many times as much CPU.
func times(factor float64) func(*finding.Document) {
	return func(doc *finding.Document) {
		for i := range doc.Findings {
			f := &doc.Findings[i]
			if f.Metric != "cpu_per_operation" || f.Role != "" {
				continue
			}
			for j := range f.Samples {
				f.Samples[j].Value *= factor
			}
		}
	}
}

func TestCompare(t *testing.T) {
	main := changed(t, "main", times(1))
	same := changed(t, "same", times(1.0001))
	slow := changed(t, "slow", times(1.5))
	elsewhere := changed(t, "elsewhere", func(d *finding.Document) {
		d.Environment = map[string]any{"cpus": 99.0}
	})
	other := changed(t, "other", func(d *finding.Document) { d.Experiment.Workload = "other/one" })
	markdown := filepath.Join(t.TempDir(), "change.md")
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	variants := func() string {
		doc, err := results.ReadFindings(main)
		if err != nil {
			t.Fatal(err)
		}
		return doc.Experiment.Variants[0].Name + "," + doc.Experiment.Variants[1].Name
	}()
	for _, c := range []struct {
		name   string
		args   []string
		status int
		out    string // must be in stdout
		err    string // must be in stderr
	}{
		{"same", []string{main, same}, console.Fine, "did not change by more than", ""},
		{"slower", []string{main, slow}, console.Fine, "▲ worse", ""},
		{"over budget", []string{main, slow, "--budget", "cpu=20%"}, console.OverBudget, "over budget: CPU per operation", ""},
		{"within budget", []string{main, same, "--budget", "cpu=50%"}, console.Fine, "within the budget", ""},
		{"cannot tell", []string{main, same, "--budget", "cpu=1%"}, console.Inconclusive, "more in each result", ""},
		{"several", []string{main, same, slow}, console.Fine, "slow", ""},
		{"files", []string{filepath.Join(main, "findings.json"), filepath.Join(slow, "findings.json")}, console.Fine, "Since main, ", ""},
		{"markdown", []string{main, slow, "--markdown", "-", "--budget", "cpu=20%"}, console.OverBudget, "❌ **Since main", ""},
		{"markdown file", []string{main, slow, "--markdown", markdown}, console.Fine, "▲ worse", "wrote " + markdown + " (--markdown)\n"},
		{"json", []string{main, slow, "--json"}, console.Fine, `"mode": "results"`, ""},
		{"filter", []string{main, slow, "--filter", "metric:latency_p50"}, console.Fine, "latency p50", ""},
		{"variants", []string{main, "--variants", variants}, console.Fine, "Compared with ", ""},
		{"two on one stream", []string{main, slow, "--json", "--markdown", "-"}, console.Usage, "", "both go to standard output"},
		{"bad filter", []string{main, slow, "--filter", "cpu"}, console.Usage, "", "write KEY:VALUE"},
		{"empty filter", []string{main, slow, "--filter", "metric:nonsense"}, console.Usage, "", "metric is one of cpu_per_operation"},
		{"bad budget", []string{main, slow, "--budget", "cpu"}, console.Usage, "", "--budget"},
		{"one", []string{main}, console.Usage, "", "takes two or more results"},
		{"variants of two", []string{main, slow, "--variants", "a,b"}, console.Usage, "", "of one result"},
		{"unknown variant", []string{main, "--variants", "none,nonsense"}, console.Usage, "", `no variant "nonsense"`},
		{"not there", []string{main, "nowhere"}, console.Usage, "", "there is no folder nowhere"},
		{"broken", []string{main, broken}, console.Usage, "", "broken.json"},
		{"another experiment", []string{main, other}, console.Usage, "", "the workload differs"},
		{"forced", []string{main, other, "--force"}, console.Fine, "the workload differs", ""},
		{"another machine", []string{main, elsewhere}, console.Usage, "", "--force compares what they have in common"},
		{"forced elsewhere", []string{main, elsewhere, "--force"}, console.Fine, "Between different machines, ratios only", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			status := Main(append([]string{"compare"}, c.args...), strings.NewReader(""), &out, &errOut)
			if status != c.status {
				t.Errorf("exit status %d, want %d: %s", status, c.status, errOut.String())
			}
			if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), c.out) || c.status == console.Usage && out.Len() > 0 {
				t.Errorf("stdout is %.400q, want %q in it", out.String(), c.out)
			}
			if !strings.Contains(errOut.String(), c.err) || c.err == "" && errOut.Len() > 0 {
				t.Errorf("stderr is %q, want %q in it", errOut.String(), c.err)
			}
		})
	}
	if text, err := os.ReadFile(markdown); err != nil || !strings.Contains(string(text), "<details>") {
		t.Errorf("the Markdown was not written: %v", err)
	}
}

func TestReportMarkdown(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := Main([]string{"report", result(t), "--markdown", "-"}, strings.NewReader(""), &out, &errOut); status != console.Fine {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	if !strings.Contains(out.String(), "<details><summary>Every figure</summary>") || !strings.Contains(out.String(), "| CPU per operation |") {
		t.Errorf("the Markdown is %.400s", out.String())
	}
}

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
