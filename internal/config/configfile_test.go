package config

import (
	"errors"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

// TestConfigFile: a configuration file beside a tracer that reads OpenTelemetry's variables
// is refused, at its place; without such a tracer it is the user's own.
func TestConfigFile(t *testing.T) {
	const head = "workload:\n  processes:\n    - {name: shop, run: [java, "
	file := func(word, env, variants string) string {
		return head + word + "-jar, shop.jar, \"{port}\"], env: {" + env + "A: b}}\n  operations: {list: {request: GET /}}\nvariants: {none: , " + variants + "}\n"
	}
	for name, test := range map[string]struct {
		text         string
		line, column int // 0: it is right
	}{
		"none":                               {text: file("", "", "otel: {tracer: otel-java}")},
		"a property of the program":          {file("-Dotel.config.file=x.yaml, ", "", "otel: {tracer: otel-java}"), 3, 32},
		"a variable of the program":          {file("", "OTEL_CONFIG_FILE: x.yaml, ", "otel: {tracer: otel-java}"), 3, 83},
		"taken back by the variant":          {text: file("", "OTEL_CONFIG_FILE: x.yaml, ", `otel: {tracer: otel-java, env: {OTEL_CONFIG_FILE: ""}}`)},
		"a variable of the variant":          {file("", "", "otel: {tracer: otel-java, env: {OTEL_CONFIG_FILE: x.yaml}}"), 5, 70},
		"its earlier name":                   {file("", "", "otel: {tracer: otel-java, env: {OTEL_EXPERIMENTAL_CONFIG_FILE: x.yaml}}"), 5, 83},
		"among options":                      {file("", `JAVA_TOOL_OPTIONS: "-Xmx1g -Dotel.experimental.config.file=x", `, "otel: {tracer: otel-java}"), 3, 84},
		"an argument of the variant":         {file("", "", "otel: {tracer: otel-java, args: [-Dotel.config.file=x]}"), 5, 53},
		"of another language":                {file("", "", "otel: {tracer: otel-python, env: {OTEL_CONFIG_FILE: x.yaml}}"), 5, 72},
		"a variant of your own":              {text: file("", "", "mine: {env: {OTEL_CONFIG_FILE: x.yaml}}")},
		"a program of your own":              {text: file("-Dotel.config.file=x, ", "", "mine: {env: {B: c}}")},
		"a tracer that does not read it":     {text: file("", "OTEL_CONFIG_FILE: x.yaml, ", "elastic: {tracer: elastic-java}")},
		"properties, which win over nothing": {text: file("-Dotel.javaagent.configuration-file=x, ", "", "otel: {tracer: otel-java}")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseExperiment("x.yaml", ".", []byte(test.text), builtIn())
			var problems program.Problems
			switch found := errors.As(err, &problems); {
			case test.line == 0 && err != nil:
				t.Fatalf("%v", err)
			case test.line != 0 && !found:
				t.Fatalf("%v is no problem with a place", err)
			case test.line != 0 && (problems[0].Line != test.line || problems[0].Column != test.column):
				t.Errorf("at %d:%d, want %d:%d: %v", problems[0].Line, problems[0].Column, test.line, test.column, err)
			}
		})
	}
}

func TestConfigFileInOneLine(t *testing.T) {
	for name, test := range map[string]struct {
		variant string
		wrong   bool
	}{"beside a tracer": {"otel:tracer=otel-java", true}, "by itself": {"mine:env.B=c", false}} {
		_, err := FromFlags(Flags{Command: []string{"java", "-Dotel.config.file=x", "-jar", "shop.jar", "{port}"}, Ops: []string{"GET /"}, Variants: []string{"none", test.variant}}, builtIn())
		if (err != nil) != test.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
