// Which tests run always, and which stand behind TRACETAX_E2E=all ('make e2e-all').

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// families are what is looked at from end to end, each with the tests that look at it always. A test that looks at one of
// them once more, from another side, says so with more, and runs with TRACETAX_E2E=all.
var families = map[string][]string{
	"first command":            {"TestQuickstart"},
	"accounting":               {"TestAccounting"},
	"OTLP":                     {"TestQuickstart", "TestCallsAddUp"},
	"Collector":                {"TestViaCollector", "TestCollectorOfADemonstration"},
	"backends":                 {"TestToZipkin"},
	"Envoy":                    {"TestEnvoyKnownAnswers", "TestEnvoySampledIsCounted", "TestEnvoyConfigurations", "TestEnvoyConfigurationsThatAreRefused", "TestEnvoyRuntime", "TestEnvoyOfYourOwn", "TestEnvoyCrashes"},
	".NET":                     {"TestDotnet"},
	"containers":               {"TestServiceInImages", "TestKilledBesideContainers"},
	"event loops":              {"TestLoopExporter", "TestLoopDesigns", "TestLoopExporterCost"},
	"Zipkin":                   {"TestToZipkin"},
	"Kieker":                   {"TestCallsAddUp"},
	"Elastic":                  {"TestRequestsGo"},
	"Datadog":                  {"TestCallsOfEveryAgent"},
	"SkyWalking":               {"TestCallsOfEveryAgent"},
	"Pinpoint":                 {"TestCallsOfEveryAgent"},
	"Scouter":                  {"TestCaptured of lab/agents/scouter"},
	"Glowroot":                 {"TestTrace of lab/agents/glowroot"},
	"calls":                    {"TestCallsAddUp", "TestCallsOfEveryAgent"},
	"calls in other languages": {"TestLanguagesAddUp"}, // in Python, Node, Go and Rust
	"JVM tracer":               {"TestOwnTracer", "TestOwnTracerKilled"},
	"self-driving":             {"TestSelfDriving", "TestSelfDrivingThatCannotBe"},
	"decide":                   {"TestDecide", "TestDecideGoesOn"},
	"requests":                 {"TestRequestsGo"}, // with PostgreSQL
	"database":                 {"TestDatabaseStops"},
	"others' programs":         {"TestExpress", "TestNginx"},
	"sampling":                 {"TestSampling"},
	"losses":                   {"TestDrops", "TestCallsAddUp", "TestLanguagesAddUp"},
	"nothing is traced":        {"TestCallsAddUp"},
	"faults":                   {"TestTrouble", "TestFullDisk"},
	"kills":                    {"TestKillAndResume", "TestSignals"},
	"loopback":                 {"TestQuickstart"},
	"searches":                 {"TestSearchForCPU of internal/run"},
	"compare":                  {"TestCompareFindsASlowerSetting"},
	"memory":                   {"TestMemoryIsOfTheLoad of internal/run"},
	"selfcheck":                {"TestSelfcheckQuick"},
	"brought":                  {"TestBrought"},
	"functions":                {"TestFunctions", "TestFunctionOfYourOwn", "TestFunctionFrozen", "TestFunctionsAsOnLambda", "TestPageRanksAgree"},
	"graphs":                   {"TestGraph", "TestGraphMesh", "TestGraphPackets", "TestGraphKnown", "TestGraphs", "TestGraphRebuiltAndImported", "TestGraphOneIsKilled", "TestGraphTracetaxIsKilled"},
	"pods":                     {"TestPods", "TestPodsOfADeployment", "TestPodsOfAPythonTracer", "TestPodsInARestrictedNamespace", "TestPodsThatAreEnded", "TestPodsOfManifests"},
	"image of itself":          {"TestImageOfItself"},
	"recipes":                  {"TestRecipes"},
	"causes":                   {"TestKnownCauses", "TestCausesOfAHandler", "TestCausesWithoutRights"},
}

// all is whether everything runs.
func all() bool { return os.Getenv("TRACETAX_E2E") == "all" }

// more leaves a test out of the quick set, where others look at its family.
func more(t *testing.T, family string) {
	t.Helper()
	if !all() {
		t.Skipf("TRACETAX_E2E=all runs it; of %s the quick set has %s", family, strings.Join(families[family], ", "))
	}
}

// What several tests use is fetched and built once.

// scratch is a folder that ends with the tests.
var scratch string

// builds are what is shared, by name.
var builds struct {
	sync.Mutex
	by map[string]func() (string, error)
}

// built is a folder of that name, which has what make puts into it when the first test wants it. Whoever writes into it
// takes a copy.
func built(t *testing.T, name string, make func(dir string) error) string {
	t.Helper()
	builds.Lock()
	if builds.by == nil {
		builds.by = map[string]func() (string, error){}
	}
	if builds.by[name] == nil {
		builds.by[name] = sync.OnceValues(func() (string, error) {
			dir := filepath.Join(scratch, "shared", name)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return "", err
			}
			return dir, make(dir)
		})
	}
	once := builds.by[name]
	builds.Unlock()
	dir, err := once()
	if err != nil {
		t.Fatalf("making %s, which tests share: %v", name, err)
	}
	return dir
}

// runIn runs a command in a folder, for whichever tests want what it makes.
func runIn(dir, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// Nothing listens beyond loopback.

// sockets are the inodes of the sockets that processes hold.
func sockets(pids []string) map[string]bool {
	held := map[string]bool{}
	for _, pid := range pids {
		links, _ := filepath.Glob("/proc/" + pid + "/fd/*")
		for _, link := range links {
			if to, err := os.Readlink(link); err == nil {
				if inode, found := strings.CutPrefix(to, "socket:["); found {
					held[strings.TrimSuffix(inode, "]")] = true
				}
			}
		}
	}
	return held
}

// listening are the addresses at which the sockets listen, as the kernel writes
// them.
func listening(t *testing.T, held map[string]bool) []string {
	t.Helper()
	const stateListen = "0A"
	var addresses []string
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			fields := strings.Fields(line)
			if len(fields) > 9 && fields[3] == stateListen && held[fields[9]] {
				address, _, _ := strings.Cut(fields[1], ":")
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}

// onlyLoopback looks at where a run of hello/go that has started listens.
func onlyLoopback(t *testing.T, c *command) {
	t.Helper()
	const loopback = "0100007F" // 127.0.0.1, as the kernel writes it
	seen := 0
	await(t, "its sink and its services listen", func() bool {
		var pids []string
		for _, one := range c.left() {
			pid, _, _ := strings.Cut(one, " ")
			pids = append(pids, pid)
		}
		addresses := listening(t, sockets(pids))
		for _, address := range addresses {
			if address != loopback {
				t.Errorf("something listens at %s", address)
			}
		}
		seen = max(seen, len(addresses))
		return seen >= 4 // OTLP over gRPC and HTTP, and the two processes of hello/go
	})
}
