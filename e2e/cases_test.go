// Small programs, each of which a tool that measures tracing is easily wrong about: what it answers is right, or it says
// that it does not know.

package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"net"
	"os"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/tracetax/tracetax/internal/artifact"
	programconfig "github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
)

func TestCases(t *testing.T) {
	more(t, "accounting")
	need(t, "python3")
	t.Run("chatty", chatty) // by itself, since it compares CPU time
	cases := map[string]func(*testing.T){
		"no span in the calibration":    nothingLearnt,
		"batches are thrown away":       thrownAway,
		"the SDK's own delay":           ownDelay,
		"a baseline with an SDK":        ownTracing,
		"Collectors' files":             func(t *testing.T) { throughFiles(t, collectorFile{"shop", 3}, collectorFile{"plain", 3}) },
		"a proxy in the shell":          behindProxy,
		"packages that differ":          otherPackages,
		"it listens on IPv6 alone":      otherAddress,
		"the terminal ends":             hangup,
		"a launcher":                    launched,
		"a proxy before the program":    proxyBefore,
		"a cold calibration":            coldCalibration,
		"a file with a byte-order mark": byteOrderMark,
		"orders":                        ordersAgree,
	}
	maps.Copy(cases, processCases)
	maps.Copy(cases, fileCases)
	for name, of := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they ask for counts and codes, not for times
			of(t)
		})
	}
}

// ofCase is a small program of this test, or its folder.
func ofCase(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runCase is a short run of a program that answers GET /, with more arguments before its command.
func runCase(t *testing.T, out string, args []string, program ...string) *command {
	t.Helper()
	return tracetax(t, slices.Concat([]string{"run", "--op", "home=GET /", "--rate", "100", "--set", "load.warmup=500ms",
		"--duration", "1s", "--blocks", "1", "--json", "--out", out}, args, []string{"--"}, program)...)
}

// withSDK is the environment of a program that finds OpenTelemetry's SDK.
func withSDK(t *testing.T) string {
	t.Helper()
	store, err := artifact.Open("")
	if err != nil {
		t.Fatal(err)
	}
	packages, err := store.Python(t.Context(), os.DirFS("../tracers/otel-python"), "requirements.txt", nil)
	if err != nil {
		t.Fatal(err)
	}
	return "PYTHONPATH=" + packages
}

// inBudget are the verdicts on a variant's budgets.
func inBudget(doc finding.Document, variant string) (kinds []finding.Kind) {
	for _, f := range doc.Findings {
		if f.Variant == variant && f.Verdict.Budget != nil {
			kinds = append(kinds, f.Verdict.Kind)
		}
	}
	return kinds
}

func warned(doc finding.Document, codes ...string) bool {
	return slices.ContainsFunc(doc.Warnings, func(w finding.Warning) bool { return slices.Contains(codes, w.Code) })
}

// What a program writes to its log costs it no more than what it throws away, or a warning says why it did.
func chatty(t *testing.T) {
	for name, variants := range map[string][]string{
		"lines": {"--env", "NOISE=30000", "--variant", "null:env.O=/dev/null", "--variant", "out:env.O=/dev/stdout", "--", "sh", "-c", "exec python3 " + ofCase(t, "httpd.py") + " 127.0.0.1 {port} > $O"},
		"spans": {"--env", withSDK(t), "--env", "CONSOLE=1", "--variant", "null:env.O=/dev/null", "--variant", "out:env.O=/dev/stdout", "--", "sh", "-c", "exec python3 " + ofCase(t, "owntel.py") + " {port} > $O"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "results")
			split := slices.Index(variants, "--")
			doc := document(t, runCase(t, out, slices.Concat([]string{"--blocks", "6"}, variants[:split]), variants[split+1:]...).exit(t, 0, 4))
			f := find(t, doc, "home", "out", "cpu_per_operation")
			// A busy machine may keep a program working without load: its cost is unknown then, and told to be so.
			restless := slices.ContainsFunc(f.Verdict.Reasons, func(r finding.Reason) bool { return r.Code == "restless" })
			if (f.Relative == nil || f.Relative.Low == nil) != restless {
				t.Fatalf("no interval is told: %+v", f)
			}
			if !restless && *f.Relative.Low > 0.15 && !warned(doc, "log-full", "busy-neighbour", "cpu-stolen") {
				t.Errorf("a log costs %+.0f to %+.0f %%, and nothing is said against it", 100**f.Relative.Low, 100**f.Relative.High)
			}
			for _, r := range records(t, out) {
				if load := r.Phases[0].Load; r.Failed() || load.Started != 200 || load.Completed != 200 { // two variants at once, for twice the second
					t.Errorf("%s: %d of %d operations, failed: %t", r.Variant, load.Completed, load.Started, r.Failed())
				}
			}
		})
	}
}

// A tracer of the user's own of which no span comes in the calibration is judged by its first measured run: the experiment ends there.
func nothingLearnt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	runCase(t, out, []string{"--blocks", "6", "--variant", "none", "--variant", "mine:env.SINK={sink.otlp.http},env.N=5000"}, "python3", ofCase(t, "batchy.py"), "{port}").exit(t, 4)
	mine := 0
	for _, r := range records(t, out) {
		if r.Kind == record.Measured && r.Variant == "mine" {
			mine++
		}
		if r.Failed() || r.Life.Spans > 0 {
			t.Errorf("%s: %d spans came, %+v", r.Variant, r.Life.Spans, r.Failure)
		}
	}
	if mine != 1 {
		t.Errorf("%d measured runs of it are kept, want the first alone", mine)
	}
}

// Every fourth batch is thrown away, and what is held at the end: nobody may call that exact, or within a budget of no loss.
func thrownAway(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, runCase(t, out, []string{"--duration", "2s", "--budget", "lost=0", "--variant", "none", "--variant", "mine:env.SINK={sink.otlp.http},env.N=10,env.LOSE_EVERY=4"},
		"python3", ofCase(t, "batchy.py"), "{port}").exit(t, 3, 4))
	l := ledger(t, doc, "home", "mine")
	made, came := int64(l.Operations), entry(l, "delivered")
	if share := float64(came) / float64(made); made < 200 || share < 0.65 || share > 0.85 {
		t.Errorf("%d spans came of %d operations: it was to lose a quarter", came, made)
	}
	if most := math.Round((1 - l.LostMost) * float64(made)); l.Exact && l.LostShare == 0 || l.LostMost < 0.1 || most > float64(came) {
		t.Errorf("%d spans of %d came, and the ledger says %+v", came, made, l)
	}
	if got := inBudget(doc, "mine"); len(got) == 0 || slices.Contains(got, finding.Within) {
		t.Errorf("verdicts on its budget: %q", got)
	}
}

// An SDK that holds its spans for five seconds and does not flush them at its end loses none of those of the window.
func ownDelay(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, runCase(t, out, []string{"--env", withSDK(t), "--variant", "none", "--variant", "ours:env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.http}"},
		"python3", ofCase(t, "owntel.py"), "{port}").exit(t, 0))
	if l := ledger(t, doc, "home", "ours"); l.Operations < 100 || !l.Exact || l.LostMost != 0 || entry(l, "delivered") != int64(l.Operations) {
		t.Errorf("%+v", l)
	}
}

// A program whose own code traces is a baseline where its tracing is switched off, and none where it is on.
func ownTracing(t *testing.T) {
	receiver := "127.0.0.44:4318" // a port at which receivers of spans are known to listen, on an address of this test
	for name, switched := range map[string][]string{"off": nil, "on": {"--env", "OTEL_SDK_DISABLED=false"}} {
		t.Run(name, func(t *testing.T) {
			came := receiving(t, receiver)
			out := filepath.Join(t.TempDir(), "results")
			c := runCase(t, out, slices.Concat(switched, []string{
				"--env", withSDK(t), "--env", "OTEL_EXPORTER_OTLP_ENDPOINT=http://" + receiver, "--env", "OTEL_BSP_SCHEDULE_DELAY=200",
				"--variant", "none", "--variant", "ours:env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.http}",
			}), "python3", ofCase(t, "owntel.py"), "{port}")
			if switched == nil {
				c.exit(t, 0)
			} else {
				c.exit(t, 4)
			}
			doc, spans := document(t, c), came()
			if l := ledger(t, doc, "home", "ours"); l.Operations < 100 || !l.Exact || l.LostMost != 0 || entry(l, "delivered") != int64(l.Operations) {
				t.Errorf("%+v", l)
			}
			seen := slices.ContainsFunc(doc.Elsewhere, func(e finding.Elsewhere) bool { return e.Variant == "none" && slices.Contains(e.To, receiver) })
			if on := switched != nil; (spans > 0) != on || seen != on || warned(doc, "traces-elsewhere") != on || len(doc.Elsewhere) > 0 != on {
				t.Errorf("%d spans of the baseline came, and it is said to have sent to %+v", spans, doc.Elsewhere)
			}
		})
	}
}

// receiving starts a receiver of spans that is none of a run; what it returns ends it, and tells how many came.
func receiving(t *testing.T, address string) func() uint64 {
	t.Helper()
	c := tracetax(t, "sink", "--otlp-grpc", "", "--otlp-http", address, "--json")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the receiver listens", func() bool {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return err == nil
	})
	return func() uint64 {
		if err := c.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		c.ended(t, c.Wait(), 0)
		var counts struct{ Spans *uint64 }
		if err := json.Unmarshal(c.out.Bytes(), &counts); err != nil || counts.Spans == nil {
			t.Fatalf("the receiver's counts: %v\n%s", err, &c.out)
		}
		return *counts.Spans
	}
}

// smallFlask is a Flask program as a command, and the environment that it needs.
func smallFlask(t *testing.T) (env []string, program []string) {
	t.Helper()
	packages := installed(t, "cases", programconfig.Artifact{Python: "requirements.txt"}, "python3")
	return []string{"PYTHONPATH=" + packages + string(filepath.ListSeparator) + ofCase(t, "")}, []string{"python3", "-m", "gunicorn", "-b", "127.0.0.1:{port}", "hello:app"}
}

// Spans come though the shell names a proxy, and nothing listens there.
func behindProxy(t *testing.T) {
	env, program := smallFlask(t)
	doc, _ := tracedProgram(t, "otel-python", "/", append(env, "HTTP_PROXY=http://127.0.0.1:9", "http_proxy=http://127.0.0.1:9", "NO_PROXY=", "no_proxy="), program...)
	complete(t, doc, 1)
}

// A tracer that brings another version of what the program has is compared with another program: that is listed.
func otherPackages(t *testing.T) {
	env, program := smallFlask(t)
	doc, _ := tracedProgram(t, "otel-python", "/", env, program...)
	complete(t, doc, 1)
	listed := slices.ContainsFunc(doc.Experiment.Shadowed, func(s finding.Shadowed) bool {
		return s.Variant == "otel" && s.Package == "protobuf" && s.Own == "5.29.6" && s.Tracer != "" && s.Tracer != s.Own
	})
	if !listed || !warned(doc, "packages-differ") {
		t.Errorf("packages that differ: %+v", doc.Experiment.Shadowed)
	}
}

// A program that is not ready, for it listens at another address, ends the run, which says where that is.
func otherAddress(t *testing.T) {
	probe, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		missing(t, err)
	}
	probe.Close()
	out := filepath.Join(t.TempDir(), "results")
	runCase(t, out, []string{"--set", "workload.processes.0.patience=3s", "--variant", "none", "--variant", "x:env.A=1"},
		"python3", ofCase(t, "httpd.py"), "::1", "{port}").exit(t, 1)
	kept := slices.DeleteFunc(records(t, out), func(r record.Record) bool { return r.Failed() && r.Failure.Stage == record.StageBlock }) // it ended with the other
	if len(kept) != 1 || !kept[0].Failed() || kept[0].Failure.Stage != "ready" || kept[0].Failure.Code != string(process.OtherAddress) {
		t.Errorf("%+v", kept)
	}
}

// The end of a terminal ends a run as a signal does: what is to be cleaned up is.
func hangup(t *testing.T) {
	if ossignal.Ignored(syscall.SIGHUP) {
		t.Skip("the tests run under nohup, where the end of the terminal ends nothing")
	}
	out, cleaned := filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "cleaned")
	c := runCase(t, out, []string{"--blocks", "20", "--set", "workload.cleanup=touch " + cleaned, "--variant", "none", "--variant", "x:env.A=1"},
		"python3", ofCase(t, "httpd.py"), "127.0.0.1", "{port}")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "a run is kept", func() bool { return count(out) > 0 })
	if err := os.Remove(cleaned); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	c.ended(t, c.Wait(), 1)
	if _, err := os.Stat(cleaned); err != nil {
		t.Error(err)
	}
}

// Where a launcher starts the program, both load the tracer, which is said.
func launched(t *testing.T) {
	need(t, "node", "npm")
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true, "scripts": {"start": "node `+ofCase(t, "server.js")+`"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	doc, _ := tracedProgram(t, "otel-node", "/", nil, "npm", "--prefix", folder, "start", "--", "{port}")
	if !warned(doc, "tracer-in-launcher") {
		t.Errorf("warnings: %+v", doc.Warnings)
	}
}

// A file that an editor put a byte-order mark before is read as without it.
func byteOrderMark(t *testing.T) {
	file := ofCase(t, "bom.yaml")
	text, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(text, []byte("\ufeff")) {
		t.Fatalf("%s has no byte-order mark: %v", file, err)
	}
	tracetax(t, "validate", file).exit(t, 0)
	tracetax(t, "run", "--blocks", "1", "--json", "--out", filepath.Join(t.TempDir(), "results"), file).exit(t, 0)
}
