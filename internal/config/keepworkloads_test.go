package config

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

func TestKeepWorkloads(t *testing.T) {
	var all []*Experiment
	for _, name := range []string{"requests/flask", "requests/gohttp", "hello/flask"} {
		all = append(all, &Experiment{Workload: &program.Workload{Name: name}})
	}
	for _, c := range []struct{ names, want, fails string }{
		{"", "requests/flask requests/gohttp hello/flask", ""},
		{"gohttp", "requests/gohttp", ""},
		{"hello/flask requests/flask", "requests/flask hello/flask", ""},
		{"gohttp requests/gohttp", "requests/gohttp", ""},
		{"flask", "", "requests/flask or hello/flask"},
		{"rust", "", `no workload "rust"; known are hello/flask, requests/flask, requests/gohttp`},
		{"gohtp", "", `no workload "gohtp"; did you mean "gohttp"?`},
	} {
		kept, err := KeepWorkloads(all, strings.Fields(c.names))
		if err != nil || c.fails != "" {
			if err == nil || c.fails == "" || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: error %v, want %q", c.names, err, c.fails)
			}
			continue
		}
		var got []string
		for _, e := range kept {
			got = append(got, e.Workload.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q keeps %v, want %s", c.names, got, c.want)
		}
	}
	if len(all) != 3 {
		t.Error("what was given has changed")
	}
}
