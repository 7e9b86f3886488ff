package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

const shopOfSteps = `
workload:
  processes: [{name: shop, run: [shop, "{port}"]}]
  operations:
    buy:
      steps:
        - request: POST /login
          headers: {content-type: application/json}
          body: '{"user": "{{me}}"}'
          take: {token: "$.user.tokens[0]", session: "session=([^;]+)"}
        - request: POST /orders
          headers: {authorization: "Bearer {take.token}", cookie: "s={take.session}"}
          body: '{"token": "{take.token}"}'
          status: 201
          take: {id: 'id="([0-9]+)"'}
        - GET /orders/{take.id}?token={take.token:raw}
      rate: 20/s
      spans: 5
variants: {none: , other: {env: {A: "1"}}}
`

func TestStepsOfAnOperation(t *testing.T) {
	e := parseOne(t, shopOfSteps)
	o := e.Operations[0]
	if o.Method != "POST" || o.URL != "/login" || o.Take["token"] != "$.user.tokens[0]" || o.Rate != 20 || o.Spans[""].Low != 5 || o.Process != "" {
		t.Errorf("%+v", o)
	}
	want := []program.Step{
		{
			Method: "POST", URL: "/orders", Headers: map[string]string{"Authorization": "Bearer {take.token}", "Cookie": "s={take.session}"},
			Body: program.Content{Bytes: []byte(`{"token": "{take.token}"}`)}, Status: []int{201}, Take: map[string]string{"id": `id="([0-9]+)"`},
		},
		{Method: "GET", URL: "/orders/{take.id}?token={take.token:raw}"},
	}
	if diff := cmp.Diff(want, o.Then); diff != "" {
		t.Error(diff)
	}
	roundTrip(t, e)
	plan, err := e.Plan(e.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := program.Expand(plan.Operations[0].Then[1].URL, map[string]string{"port": "1"}); err != nil || got != want[1].URL {
		t.Errorf("%q, %v", got, err)
	}
	plan.Operations[0].Then[0].Headers["Cookie"] = "changed"
	if o.Then[0].Headers["Cookie"] == "changed" {
		t.Error("a plan changes the experiment")
	}
}

func TestStepsThatAreWrong(t *testing.T) {
	for want, change := range map[string][2]string{
		`unknown placeholder "{take.idd}"; did you mean "{take.id}"?`:       {"{take.id}", "{take.idd}"},
		`no step before this one takes {take.tokn}`:                         {`"{take.token}"}'`, `"{take.tokn}"}'`},
		`no step before this one takes {take.ID}`:                           {"{take.id}", "{take.ID}"},
		`no step before this one takes {take.}`:                             {"{take.id}", "{take.}"},
		`a {take.NAME} of this step is not closed with }`:                   {"{take.id}", "{take.id{x}"},
		`nothing follows the last step that could use {take.x}`:             {"- GET /orders/{take.id}?token={take.token:raw}", "- {request: GET /, take: {x: $.y}}"},
		`"$.user..x" is no way through JSON such as $.user.tokens[0]`:       {"$.user.tokens[0]", "$.user..x"},
		`the regular expression "session=" has no group`:                    {"session=([^;]+)", "session="},
		"not a regular expression: ":                                        {"session=([^;]+)", "session=("},
		`"Token" is no name of a value: use lower-case letters`:             {`{token: "$`, `{Token: "$`},
		"an operation with steps has headers in its steps, not beside them": {"      rate: 20/s", "      headers: {a: b}"},
		"steps take no rows of request data; leave {data.user} out":         {"{{me}}", "{data.user}"},
		"steps is a list of 2 to 50 requests":                               {"      steps:", "      steps: [GET /]\n      steps2:"},
		`unknown key "tak"; did you mean "take"? (in a step)`:               {"take: {id", "tak: {id"},
		"a step needs a request, such as POST /login":                       {"- request: POST /orders", "- rq: a"},
	} {
		text := strings.Replace(shopOfSteps, change[0], change[1], 1)
		if text == shopOfSteps {
			t.Fatalf("%q is not in the text", change[0])
		}
		if _, err := ParseExperiment("x.yaml", ".", []byte(text), builtIn()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", change[1], err, want)
		}
	}
}

// An operation of a single request has no answer to take values from.
func TestTakesWithoutSteps(t *testing.T) {
	for operation, want := range map[string]string{
		"GET /{take.id}":                                `unknown placeholder "{take.id}"`,
		"GET /{take.ID}":                                "{take.ID} stands for a value of the answer to an earlier step, but the operation has no steps",
		"{request: \"GET /a?{take.id:raw}\"}":           "{take.id} stands for a value",
		"{request: GET /, headers: {a: \"{take.ID}\"}}": "{take.ID} stands for a value",
		"{request: POST /, body: \"{take.id}\"}":        "{take.id} stands for a value",
		"{request: POST /, body: \"{take.id\"}":         "",
	} {
		text := "workload:\n  processes: [{name: shop, run: [shop, '{port}']}]\n  operations:\n    buy: " + operation + "\nvariants: {none: , other: {env: {A: '1'}}}\n"
		_, err := ParseExperiment("x.yaml", ".", []byte(text), builtIn())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v\nwant %s", operation, err, want)
		}
	}
}

// What is taken from an answer is no credential; what stands beside it may be one.
func TestSecretsBesideTakes(t *testing.T) {
	for value, want := range map[string]bool{
		"Bearer {take.token}": false, "session={take.s:raw}": false, "{take.token}": false,
		"Bearer my-own-key-{take.token}": true, "key=my-own-key; session={take.s}": true,
	} {
		if got := program.IsSecret("Authorization", value); got != want {
			t.Errorf("%s: secret %t, want %t", value, got, want)
		}
		if written := program.NewRedactor().Value("Authorization", value); (written != value) != want {
			t.Errorf("%s is written as %s", value, written)
		}
	}
}
