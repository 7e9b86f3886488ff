// Which tests run always, and which stand behind TRACETAX_E2E=all ('make e2e-all').

package e2e

import (
	"os"
	"strings"
	"testing"
)

// families are what is looked at from end to end, each with the tests that look at it always. A test that looks at one of
// them once more, from another side, says so with more, and runs with TRACETAX_E2E=all.
var families = map[string][]string{
	"first command":            {"TestQuickstart"},
	"accounting":               {"TestAccounting"},
	"OTLP":                     {"TestQuickstart", "TestCallsAddUp", "TestForward"},
	"Collector":                {"TestViaCollector", "TestTapAgreesWithTheCollector", "TestCollectorOfADemonstration"},
	"backends":                 {"TestToZipkin"},
	"Envoy":                    {"TestEnvoyKnownAnswers", "TestEnvoySampledIsCounted", "TestEnvoyConfigurations", "TestEnvoyConfigurationsThatAreRefused", "TestEnvoyBehindAWrapper", "TestEnvoyRuntime", "TestEnvoyOfYourOwn", "TestEnvoyCrashes"},
	".NET":                     {"TestDotnet"},
	"event loops":              {"TestLoopExporter", "TestLoopDesigns", "TestLoopSilent", "TestLoopExporterCost"},
	"Zipkin":                   {"TestToZipkin", "TestForward"},
	"Kieker":                   {"TestCallsAddUp"},
	"Elastic":                  {"TestCallsOfEveryAgent", "TestRequestsGo"},
	"Datadog":                  {"TestCallsOfEveryAgent"},
	"SkyWalking":               {"TestCallsOfEveryAgent"},
	"Pinpoint":                 {"TestCallsOfEveryAgent"},
	"Scouter":                  {"TestCallsOfEveryAgent"},
	"Glowroot":                 {"TestCallsOfEveryAgent"},
	"real servers":             {"TestForward"},
	"calls":                    {"TestCallsAddUp", "TestCallsOfEveryAgent"},
	"calls in other languages": {"TestLanguagesAddUp"}, // in Python, Node, Go and Rust
	"self-driving":             {"TestSelfDriving", "TestSelfDrivingThatCannotBe"},
	"requests":                 {"TestRequestsGo", "TestRequestsFlask"}, // with PostgreSQL
	"database":                 {"TestDatabaseStops"},
	"others' programs":         {"TestExpress", "TestNginx"},
	"sampling":                 {"TestSampling"},
	"losses":                   {"TestDrops", "TestCallsAddUp", "TestLanguagesAddUp"},
	"nothing is traced":        {"TestCallsAddUp"},
	"faults":                   {"TestTrouble", "TestFullDisk"},
	"kills":                    {"TestKillAndResume", "TestSignals"},
	"loopback":                 {"TestQuickstart"},
	"searches":                 {"TestCapacity"},
	"compare":                  {"TestCompareFindsASlowerSetting"},
	"memory":                   {"TestMemoryIsOfTheLoad of internal/run"},
	"selfcheck":                {"TestSelfcheckQuick"},
	"brought":                  {"TestBrought"},
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
