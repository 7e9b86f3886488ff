package record

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field of a Load is added up: a new one that is forgotten fails here.
func TestLoadPlusAddsEveryField(t *testing.T) {
	load := func(n uint64) Load {
		var l Load
		v := reflect.ValueOf(&l).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() {
			case reflect.Uint64:
				f.SetUint(n)
			case reflect.Float64:
				f.SetFloat(float64(n))
			}
		}
		l.Errors = map[string]uint64{"refused": n}
		l.Answers = map[int]uint64{500: n}
		h := NewHistogram()
		for range n {
			if err := h.RecordValue(int64(n) * 1000); err != nil {
				t.Fatal(err)
			}
		}
		encoded, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		l.Latency, l.Lag = encoded, encoded
		return l
	}
	sum, err := load(3).Plus(load(4))
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(sum)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			want := uint64(7)
			if name == "Used" { // stretches use the same connections
				want = 4
			}
			if f.Uint() != want {
				t.Errorf("%s is %d, want %d", name, f.Uint(), want)
			}
		case reflect.Float64:
			if f.Float() != 7 {
				t.Errorf("%s is %g, want 7", name, f.Float())
			}
		}
	}
	if sum.Errors["refused"] != 7 {
		t.Errorf("errors %v", sum.Errors)
	}
	if sum.Answers[500] != 7 {
		t.Errorf("answers %v", sum.Answers)
	}
	for name, h := range map[string]Histogram{"latency": sum.Latency, "lag": sum.Lag} {
		d, err := h.Decode()
		if err != nil || d.TotalCount() != 7 || d.Min() > 3000 || d.Max() < 4000 {
			t.Errorf("%s holds %d values from %d to %d (%v)", name, d.TotalCount(), d.Min(), d.Max(), err)
		}
	}
}

func TestLoadPlusRefusesWhatIsNoHistogram(t *testing.T) {
	if _, err := (Load{Lag: "x"}).Plus(Load{Lag: "y"}); err == nil || !strings.Contains(err.Error(), "lag") {
		t.Errorf("error %v", err)
	}
}

func TestLoadPlusNothing(t *testing.T) {
	sum, err := Load{}.Plus(Load{Started: 2, Errors: map[string]uint64{"x": 1}})
	if err != nil || sum.Started != 2 || sum.Errors["x"] != 1 || sum.Latency != "" {
		t.Errorf("%+v, %v", sum, err)
	}
}

// What is open adds up tenth by tenth. Nothing that was asked for takes nothing away; a schedule that is not there does.
func TestLoadPlusAddsBacklogs(t *testing.T) {
	open := Load{Intended: 9, Backlog: []uint64{1, 2, 3}}
	for name, c := range map[string]struct {
		a, b Load
		want []uint64
	}{
		"both":           {open, open, []uint64{2, 4, 6}},
		"nothing before": {Load{}, open, open.Backlog},
		"nothing after":  {open, Load{}, open.Backlog},
		"a closed loop":  {Load{Intended: 5}, open, nil},
		"other tenths":   {Load{Intended: 5, Backlog: []uint64{1}}, open, nil},
	} {
		sum, err := c.a.Plus(c.b)
		if err != nil || !slices.Equal(sum.Backlog, c.want) {
			t.Errorf("%s: %v (%v), want %v", name, sum.Backlog, err, c.want)
		}
	}
}
