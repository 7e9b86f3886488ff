package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// everything uses all keys that a user's own experiment may have, and texts
// that are hard to write as YAML.
const everything = `
name: all of it
description: "two\nlines"
workload:
  name: shop
  language: python
  description: a shop
  needs: [{command: java, install: get it}, {reason: not for everybody}]
  artifact: {python: requirements.txt}
  build: {default: {run: ["make all", [make, "a b"]], env: {A: "1"}}, otel-go: {run: [[true]]}}
  processes:
    - name: shop
      run: "java -jar 'shop x.jar' --port {port} --db {db.port}"
      env: {JSON: '{"a": {"b": 1}}', N: "010", T: "true", E: "", S: " x ", H: "# no", C: "a: b", Q: "it's \"q\"", U: "ü☃",
        D: "-", X: "~", Y: "[a", P: "50%", A: "&a", ST: "*x", NL: "a\nb\n", TAB: "\t", BS: 'a\nb', LIT: "{{word}}", SH: "${HOME}", M: "<<", "NULL": "null", I: ".inf", DT: "2001-01-01"}
      dir: sub
      ready: "http://127.0.0.1:{port}/health"
      patience: 1m30s
      cpus: 1.5
      memory: 512MiB
    - {name: db, role: database, run: [db, "-p{port}"], traced: true}
  operations:
    checkout: {description: d, request: "POST /checkout?a=b", body: "a\tb\n", headers: {content-type: application/json, x-y: "1"},
      timeout: 1500ms, rate: 24000/min, duration: 90s, status: 201, spans: {default: 2..5, none: 0}, process: db}
    either: {request: GET /either, status: [200, 500], process: shop}
    GET /home: GET http://127.0.0.1:8080/
mix: {checkout: 30%, GET /home: 0.7}
variants:
  none:
  otel: {tracer: otel-python, settings: {sampling: 0.1, processor: simple}}
  mine: {env: {MY: "on {{x}} {sink.otlp.grpc}"}, args: ["--trace", "a b", ""], against: otel, description: my own}
load: {rate: 1/s, connections: 4, arrivals: poisson, warmup: 0s, duration: 1h, timeout: 1ms, idle: 0s}
design: {blocks: 7, seed: 18446744073709551615, quick: true}
budget: {cpu: 5%, p99: 0.1, lost: 0}
sink: counting
`

func TestRoundTrip(t *testing.T) {
	texts := map[string]string{"everything": everything, "small": small}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) { roundTrip(t, parseOne(t, text)) })
	}
	names, err := builtIn().Experiments()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		es, err := BuiltIn(builtIn(), name)
		if err != nil && !strings.Contains(err.Error(), program.NoGraphs) { // lab/ checks those
			t.Fatal(err)
		}
		for _, e := range es {
			t.Run(name+"/"+e.Workload.Name, func(t *testing.T) { roundTrip(t, e) })
		}
	}
}

// roundTrip writes e, reads it again, and wants the same experiment and the same text.
func roundTrip(t *testing.T, e *Experiment) {
	t.Helper()
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	es, err := ParseExperiment("experiment.yaml", "/elsewhere", text, builtIn())
	if err != nil {
		t.Fatalf("what was written is not read: %v\n%s", err, text)
	}
	// What the user chose and what was filled in is no longer told apart, and
	// that a built-in experiment took a tracer by its short name neither.
	for i := range es[0].Variants {
		es[0].Variants[i].Chosen = e.Variants[i].Chosen
	}
	if diff := cmp.Diff(e, es[0], same); diff != "" {
		t.Errorf("(-before +after)\n%s\n%s", diff, text)
	}
	again, err := es[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("written again, it is another text\n%s", diff)
	}
}

// TestRedaction: credentials are not written, and the file can be repeated by
// who has them.
func TestRedaction(t *testing.T) {
	t.Setenv("SHOP_DB", "dbhost-9")
	e := parseOne(t, `
workload:
  processes:
    - name: shop
      run: [shop, "{port}", --token=hush1, --api-key, hush2, --verbose, plain, --level, high]
      env: {DB_PASSWORD: hush3, URL: "redis://user:hush4@h/1", SHOP: "${env:SHOP_DB}", AUTHOR: jane, KEYBOARD: de}
  operations:
    a: {request: GET /, headers: {Authorization: Bearer hush5, Cookie: hush6, Accept: text/plain}}
    b: {request: GET /b, headers: {Authorization: Bearer hush7}}
variants: {none: , otel-python: , mine: {env: {MY_SECRET: hush8}, args: ["--password=hush9"]}}
`)
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"hush", "dbhost-9"} {
		if strings.Contains(string(text), gone) {
			t.Errorf("%s is in the file:\n%s", gone, text)
		}
	}
	for _, there := range []string{
		"${env:SHOP_DB}", "jane", "KEYBOARD: de", "text/plain", ", plain,", ", high]",
		"${env:REDACTED_AUTHORIZATION}", "${env:REDACTED_AUTHORIZATION_2}", "redis://user:${env:REDACTED_PASSWORD}@h/1",
	} {
		if !strings.Contains(string(text), there) {
			t.Errorf("%s is not in the file:\n%s", there, text)
		}
	}
	_, err = ParseExperiment("experiment.yaml", ".", text, builtIn())
	if err == nil || !strings.Contains(err.Error(), "set the environment variable REDACTED_AUTHORIZATION to it") {
		t.Errorf("reading it without the credentials: %v", err)
	}
	for _, name := range program.EnvReferences(string(text)) {
		t.Setenv(name, "again")
	}
	es, err := ParseExperiment("experiment.yaml", ".", text, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	again, err := es[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("written again, it is another text\n%s", diff)
	}
}
