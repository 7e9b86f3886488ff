package protocol

import (
	"maps"
	"slices"
	"testing"
)

// What a row says it stands for is a placeholder, and is filled in where it is served: neither more nor less.
func TestPlaceholdersAreFilledIn(t *testing.T) {
	all := Addresses{}
	for _, r := range Table {
		all[r.Name] = "127.0.0.1:1"
		if !r.Whole && !r.Split {
			t.Errorf("%s has no placeholder", r.Name)
		}
	}
	filled := slices.Sorted(maps.Keys(all.Values()))
	words := slices.Sorted(slices.Values(Placeholders()))
	if !slices.Equal(filled, words) || len(slices.Compact(words)) != len(filled) {
		t.Errorf("filled in are %v, known %v", filled, words)
	}
}

func TestValues(t *testing.T) {
	got := Addresses{OTLPGRPC: "127.0.0.1:1", OTLPHTTP: "", Kieker: "127.0.0.1:3", Pinpoint: "127.0.0.1:4"}.Values()
	want := map[string]string{
		"sink.otlp.grpc": "127.0.0.1:1",
		"sink.kieker":    "127.0.0.1:3", "sink.kieker.host": "127.0.0.1", "sink.kieker.port": "3",
		"sink.pinpoint.host": "127.0.0.1", "sink.pinpoint.port": "4",
	}
	if !maps.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
}

// A word that is not a protocol's own names none.
func TestNamed(t *testing.T) {
	var got []Name
	for _, r := range Named([]string{"sink.kieker.port", "sink.zipkin", "sink.nobody", "sink.pinpoint", "port"}) {
		got = append(got, r.Name)
	}
	if !slices.Equal(got, []Name{Zipkin, Kieker}) {
		t.Errorf("named are %v", got)
	}
}

func TestNone(t *testing.T) {
	if !(Addresses{Zipkin: ""}).None() || (Addresses{Zipkin: "127.0.0.1:0"}).None() {
		t.Error("none is served, or one is, and it says otherwise")
	}
}
