package afar_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// What cannot run in pods is refused before anything is made, with what to do instead.
func TestUnfit(t *testing.T) {
	const image = `workload: {processes: [{name: shop, image: "shop:1"}], operations: {json: GET /json}}`
	for name, row := range map[string]struct{ workload, more, says string }{
		"an image":      {workload: image},
		"a Deployment":  {workload: `workload: {deployment: shop, port: 8080, operations: {json: GET /json}}`},
		"a program":     {`workload: {processes: [{name: shop, run: [shop, "{port}"]}], operations: {json: GET /json}}`, "", "give it image:"},
		"two processes": {`workload: {processes: [{name: a, image: "a:1"}, {name: b, image: "b:1"}], operations: {json: {request: GET /json, process: a}}}`, "", "pods have one so far"},
		"a command":     {`workload: {processes: [{name: shop, image: "shop:1"}], operations: {json: GET /json}, prepare: make}`, "", "commands around its runs"},
		"a profile":     {image, "profile: true", "leave out profile:"},
		"loopback":      {`workload: {processes: [{name: shop, image: "shop:1"}], operations: {json: "GET http://127.0.0.1:8080/json"}}`, "", "another machine there"},
	} {
		t.Run(name, func(t *testing.T) {
			text := row.workload + "\nvariants: {none: , other: {tracer: none, env: {A: b}}}\ntarget: {kubernetes: {namespace: trial}}\nload: {rate: 10/s}\n" + row.more
			es, err := config.ParseExperiment("shop.yaml", t.TempDir(), []byte(text), cli.BuiltIn())
			if err != nil {
				t.Fatal(err)
			}
			plan, err := es[0].Plan(es[0].Variants[1])
			if err != nil {
				t.Fatal(err)
			}
			err = afar.Unfit(run.Request{Plan: plan, Profile: es[0].Profile})
			switch {
			case row.says == "" && err != nil:
				t.Error(err)
			case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "variant other cannot run in pods")):
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
}
