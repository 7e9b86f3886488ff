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

// Of generators that worked at the same time every field adds up, in whatever form it is; the time alone is that of the longest. A new
// field that is forgotten, or has a form of its own, fails here.
func TestLoadAtOnceAddsEveryField(t *testing.T) {
	histogram := func(values ...int64) Histogram {
		h := NewHistogram()
		for _, v := range values {
			if err := h.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		encoded, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	filled := func(n uint64, seen Histogram) (l Load) {
		cpu := float64(n)
		for name, f := range reflect.ValueOf(&l).Elem().Fields() {
			var v any
			switch f.Interface().(type) {
			case uint64:
				v = n
			case float64:
				v = float64(n)
			case map[string]uint64:
				v = map[string]uint64{"a": n}
			case map[int]uint64:
				v = map[int]uint64{500: n}
			case []uint64:
				v = []uint64{n, 0}
			case Histogram:
				v = seen
			case map[string]Histogram:
				v = map[string]Histogram{"db": seen}
			case []Part:
				v = []Part{{Operation: "a", Started: n, Completed: n, Sampled: n}}
			case *Driven:
				v = &Driven{CallSeconds: cpu, ThreadCPU: &cpu}
			default:
				t.Fatalf("say here, and in Plus, how %s adds up", name.Name)
			}
			f.Set(reflect.ValueOf(v))
		}
		return l
	}
	got, err := AtOnce(filled(3, histogram(10, 20)), filled(4, histogram(15)))
	if err != nil {
		t.Fatal(err)
	}
	want := filled(7, histogram(10, 15, 20))
	want.WallSeconds = 4
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	if _, err := AtOnce(Load{Lag: "x"}, Load{Lag: "y"}); err == nil {
		t.Error("what is no histogram adds up")
	}
	if one, err := AtOnce(filled(3, histogram(10)), Load{}); err != nil || !reflect.DeepEqual(one, filled(3, histogram(10))) {
		t.Errorf("with one that had nothing to do: %+v, %v", one, err)
	}
}
