package spec

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestOverride(t *testing.T) {
	for name, test := range map[string]struct {
		rate, duration, warmup string
		connections            int
		want                   Load
		bad                    string
	}{
		"nothing":     {want: Load{Rate: 100, Connections: 256, Duration: time.Second, Warmup: time.Second}},
		"rate":        {rate: "600/min", want: Load{Rate: 10, Connections: 256, Duration: time.Second, Warmup: time.Second}},
		"times":       {duration: "3s", warmup: "0s", want: Load{Rate: 100, Connections: 256, Duration: 3 * time.Second}},
		"closed loop": {connections: 4, want: Load{Connections: 4, Duration: time.Second, Warmup: time.Second}},
		"both":        {rate: "5/s", connections: 4, want: Load{Rate: 5, Connections: 4, Duration: time.Second, Warmup: time.Second}},
		"no rate":     {rate: "fast", bad: "--rate"},
		"no length":   {duration: "0s", bad: "--duration"},
		"negative":    {connections: -1, bad: "--connections"},
	} {
		l := Load{Rate: 100, Connections: 256, Duration: time.Second, Warmup: time.Second}
		err := l.Override(test.rate, test.duration, test.warmup, test.connections)
		if test.bad != "" {
			if err == nil || !strings.Contains(err.Error(), test.bad) {
				t.Errorf("%s: %v, want an error that names %s", name, err, test.bad)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(l, test.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, l, err, test.want)
		}
	}
}
