package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

const shopWithLogin = `
workload:
  processes: [{name: shop, run: [shop, --port, "{port}"], ready: "http://127.0.0.1:{port}/health"}]
  operations:
    orders: {request: "GET /orders/{user}", headers: {authorization: "Bearer {token}"}}
    order: {request: POST /orders, headers: {authorization: "Bearer {own}"}, body: '{"user": "{user}", "of": {own}}'}
setup:
  - POST /reset
  - request: POST /login
    headers: {content-type: application/json}
    body: '{"name": "me", "password": "${env:SHOP_PASSWORD}"}'
    status: [200, 201]
    keep: {token: $.access_token, user: 'user=([a-z]+)'}
  - {request: "POST /sessions?of={user}", headers: {authorization: "Bearer {token}"}, keep: {own: $.token}, per: connection}
variants: {none: , other: {env: {A: "1"}}}
`

func TestSetup(t *testing.T) {
	t.Setenv("SHOP_PASSWORD", "s3cret{x}")
	e := parseOne(t, shopWithLogin)
	roundTrip(t, e)
	login, each := e.Setup[1], e.Setup[2]
	if len(e.Setup) != 3 || e.Setup[0].URL != "/reset" || login.Method != "POST" || login.Keep["user"] != "user=([a-z]+)" || login.Per != "" || each.Per != program.PerConnection {
		t.Errorf("%+v", e.Setup)
	}
	if text, err := e.YAML(); err != nil || !strings.Contains(string(text), "Bearer {token}") || strings.Contains(string(text), "s3cret") {
		t.Errorf("%v\n%s", err, text)
	}
	plan, err := e.Plan(e.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	if body := string(plan.Setup[1].Body.Bytes); !strings.Contains(body, `"s3cret{x}"`) || string(login.Body.Bytes) == body {
		t.Errorf("the plan's body is %s", body)
	}
	if diff := cmp.Diff([]string{"s3cret{x}"}, plan.Secrets); diff != "" {
		t.Error(diff)
	}
	plan.Setup[1].Headers["Content-Type"] = "changed"
	if login.Headers["Content-Type"] == "changed" {
		t.Error("a plan changes the experiment")
	}
	for name, want := range map[string][]string{"orders": {"token", "user"}, "order": {"own", "user"}} {
		for _, o := range e.Operations {
			if got := o.Uses([]string{"own", "token", "use", "user"}); o.Name == name && !cmp.Equal(got, want) {
				t.Errorf("%s uses %q, want %q", name, got, want)
			}
		}
	}
}

func TestSetupThatIsWrong(t *testing.T) {
	t.Setenv("SHOP_PASSWORD", "")
	for want, change := range map[string][2]string{
		`unknown placeholder "{tokn}"; did you mean "{token}"?`:                      {"Bearer {token}\"}}\n    order:", "Bearer {tokn}\"}}\n    order:"},
		`x.yaml:5:23: unknown placeholder "{usr}"; did you mean "{user}"?`:           {"GET /orders/{user}", "GET /orders/{usr}"},
		`unknown placeholder "{token}"`:                                              {"keep: {token: $.access_token, user", "keep: {user"},
		`x.yaml:14:15: unknown placeholder "{usr}"`:                                  {"of={user}", "of={usr}"},
		`unknown placeholder "{own}"`:                                                {"- POST /reset", "- POST /reset/{own}"},
		`"$" is no way through JSON such as $.user.tokens[0]`:                        {"$.access_token", "$"},
		`the regular expression "user=" has no group`:                                {"user=([a-z]+)", "user="},
		"{port} stands for something else already; keep it by another name":          {"{token: $.access_token", "{port: $.p, token: $.access_token"},
		"{token} stands for something else already; keep it by another name":         {"{own: $.token}", "{own: $.token, token: $.t}"},
		`unknown key "kep"; did you mean "keep"? (in a request of setup)`:            {"keep: {own", "kep: {own"},
		`unknown per "conection"; did you mean "connection"?`:                        {"per: connection", "per: conection"},
		"a request of setup needs request, such as POST /login":                      {"- POST /reset", "- {status: 200}"},
		"a setup takes no rows of request data; leave {data.name} out":               {`"name": "me"`, `"name": "{data.name}"`},
		"setup must be a list of requests, such as [{request: POST /login":           {"setup:\n  - POST /reset\n", "setup: {request: POST /login}\nx-rest:\n"},
		`operation "order": {own} is of each connection, which goes with neither`:    {"{request: POST /orders, headers: {authorization: \"Bearer {own}\"}, body: '{\"user\": \"{user}\", \"of\": {own}}'}", "{steps: [POST /orders, 'GET /a/{own}']}"},
		"the environment variable SHOP_PASSWRD is not set":                           {"SHOP_PASSWORD", "SHOP_PASSWRD"},
		"a setup is requests, and self-driving workload shop gets none; leave setup": {"workload:\n", "workload:\n  self: true\n"},
	} {
		text := strings.Replace(shopWithLogin, change[0], change[1], 1)
		if text == shopWithLogin {
			t.Fatalf("%q is not in the text", change[0])
		}
		if _, err := ParseExperiment("x.yaml", ".", []byte(text), builtIn()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", change[1], err, want)
		}
	}
}

// A value that the setup keeps is no credential where its name stands; what stands beside it may be one.
func TestSecretsBesideWhatSetupKeeps(t *testing.T) {
	for value, want := range map[string]bool{"Bearer {token}": false, "{token}": false, "session={own}": false, "Bearer my-own-key-{token}": true} {
		if got := program.IsSecret("Authorization", value); got != want {
			t.Errorf("%s: secret %t, want %t", value, got, want)
		}
	}
}
