// Which tests run always, and which stand behind TRACETAX_E2E=all ('make e2e-all').

package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
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
	"loopback":                 {"TestOnlyLoopback"},
	"searches":                 {"TestCapacity"},
	"compare":                  {"TestCompareFindsASlowerSetting"},
	"memory":                   {"TestAForcedDrainCostsNoMemory"},
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

// Whoever leaves a test out names a family that keeps another one; who keeps one is there, and is not left out itself.
func TestEveryFamilyIsLookedAt(t *testing.T) {
	tests, left := map[string]bool{}, map[string][]string{} // by test: the families that it says it is more of
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			f, is := declared.(*ast.FuncDecl)
			if !is || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Name.Name == "TestMain" {
				continue
			}
			tests[f.Name.Name] = true
			left[f.Name.Name] = leftOut(t, f)
		}
	}
	kept := map[string]bool{}
	for family, keepers := range families {
		if len(keepers) == 0 {
			t.Errorf("nobody looks at %s", family)
		}
		for _, keeper := range keepers {
			kept[keeper] = true
			if !tests[keeper] {
				t.Errorf("%s: there is no test %s", family, keeper)
			}
			if len(left[keeper]) > 0 {
				t.Errorf("%s: %s is left out of the quick set", family, keeper)
			}
		}
	}
	for test, of := range left {
		for _, family := range of {
			if _, known := families[family]; !known {
				t.Errorf("%s is more of %q, which no test of the quick set looks at: give it a row in families", test, family)
			}
		}
		if len(of) == 0 && !kept[test] && test != "TestEveryFamilyIsLookedAt" {
			t.Errorf("%s looks at no family: give it a row in families, or leave it out of the quick set with more", test)
		}
	}
}

// leftOut are the families that the statements of a test, not those of its subtests, say that it is more of.
func leftOut(t *testing.T, f *ast.FuncDecl) []string {
	var of []string
	for _, s := range f.Body.List {
		expression, is := s.(*ast.ExprStmt)
		if !is {
			continue
		}
		call, is := expression.X.(*ast.CallExpr)
		if !is {
			continue
		}
		if called, is := call.Fun.(*ast.Ident); !is || called.Name != "more" || len(call.Args) != 2 {
			continue
		}
		literal, is := call.Args[1].(*ast.BasicLit)
		if !is {
			t.Errorf("%s: its family has to stand there, as a text", f.Name.Name)
			continue
		}
		family, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, family)
	}
	return slices.Compact(of)
}
