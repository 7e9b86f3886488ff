package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/container"
	"github.com/tracetax/tracetax/internal/container/enginetest"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// helloWith builds hello/go with a tag, statically, and returns its path; "" is without tracing.
func helloWith(t *testing.T, tag string) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"../workloads/hello/go": dir, "../workloads/shared/otelgo": filepath.Join(dir, "otelgo")} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(to, "go.mod.embed"), filepath.Join(to, "go.mod")); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-tags", tag, "-o", "hello", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building hello/go: %v\n%s", err, said)
	}
	return filepath.Join(dir, "hello")
}

// helloImages makes hello:1 without tracing, and hello:traced with OpenTelemetry.
func helloImages(t *testing.T, engine container.Engine) {
	t.Helper()
	for name, tag := range map[string]string{"hello:1": "", "hello:traced": "otel"} {
		enginetest.Image(t, engine, name, enginetest.Config{Entrypoint: []string{"/hello"}}, map[string]string{"/hello": helloWith(t, tag)})
	}
}

// A service in two images, of which one traces: every span is there, the container's cgroup is charged, the engine beside it is
// shown apart, and the result has the digests.
func TestServiceInImages(t *testing.T) {
	engine := enginetest.Docker(t)
	helloImages(t, engine)
	c := tracetax(t, "run", "--json", "--image", "hello:1", "--op", "GET /json", "--ready", "/healthz",
		"--rate", "200", "--quick", "--blocks", "2",
		"--variant", "none", "--variant", "otel:tracer=otel-go,image=hello:traced,delay=200ms",
		"--out", "out", "--", "/hello", "-listen", "127.0.0.1:{port}").exit(t, 0)
	doc := document(t, c)
	l := ledger(t, doc, "GET /json", "otel")
	if delivered := entry(l, "delivered"); delivered <= 0 || entry(l, "lost") > 0 {
		t.Errorf("%d spans delivered: %+v", delivered, l.Entries)
	}
	for _, r := range records(t, filepath.Join(c.Dir, "out")) {
		if r.Kind != record.Measured {
			continue
		}
		for _, phase := range r.Phases {
			roles := map[role.Role]string{}
			for _, u := range phase.Usage {
				roles[u.Role] = u.Process + " by " + u.Source
			}
			if !strings.HasPrefix(roles[role.App], "hello by cgroup") || roles[role.Engine] != "engine@hello by clock" {
				t.Errorf("run %s: read are %q", r.Variant, roles)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, "out", "findings.json"))
	if err != nil || bytes.Count(text, []byte(`"image of hello": "sha256:`)) != 2 {
		t.Errorf("the result does not have the digests of both images; error %v", err)
	}
	if left := enginetest.Containers(t, engine); len(left) > 0 {
		t.Errorf("containers are left: %q", left)
	}
}

// A program that burns 100 µs in each request costs that as a process and in a container, whatever its baseline is there.
func TestKnownCostInAContainer(t *testing.T) {
	more(t, "containers")
	engine := enginetest.Docker(t)
	burner := enginetest.Burner(t)
	enginetest.Image(t, engine, "burner:1", enginetest.Config{Entrypoint: []string{"/burner"}}, map[string]string{"/burner": burner})
	common := []string{"run", "--json", "--op", "GET /", "--rate", "300", "--duration", "2s", "--blocks", "8",
		"--variant", "none", "--variant", "burn:env.BURN=100us"}
	for name, how := range map[string][]string{
		"process": {"--env", "PORT={port}", "--", burner}, "image": {"--image", "burner:1"},
	} {
		cost := find(t, document(t, tracetax(t, slices.Concat(common, how)...).exit(t, 0)), "GET /", "burn", "cpu_per_operation")
		if cost.Absolute == nil || cost.Absolute.Low == nil || cost.Absolute.High == nil {
			t.Errorf("%s: no interval: %+v", name, cost)
			continue
		}
		low, high := *cost.Absolute.Low*1e6, *cost.Absolute.High*1e6
		t.Logf("%s: baseline %.1f µs, it adds %.1f to %.1f µs", name, float64(cost.Baseline)*1e6, low, high)
		const off = 3 // µs, on both sides of what is burnt
		if low > 100+off || high < 100-off {
			t.Errorf("%s: it adds %.1f to %.1f µs, and burns 100", name, low, high)
		}
	}
}

// kill -9 of tracetax leaves no container.
func TestKilledBesideContainers(t *testing.T) {
	engine := enginetest.Docker(t)
	enginetest.Image(t, engine, "burner:1", enginetest.Config{Entrypoint: []string{"/burner"}},
		map[string]string{"/burner": enginetest.Burner(t)})
	c := tracetax(t, "run", "--image", "burner:1", "--op", "GET /", "--rate", "50", "--duration", "30s", "--variant", "none", "--variant", "a:env.X=1", "--out", "out")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "both variants run", func() bool { return len(enginetest.Containers(t, engine)) == 2 })
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	await(t, "no container is left", func() bool { return len(enginetest.Containers(t, engine)) == 0 })
	await(t, "no process is left", func() bool { return len(c.left()) == 0 })
}
