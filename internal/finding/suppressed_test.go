package finding

import "testing"

func TestLost(t *testing.T) {
	depth := func(d string) map[string]string { return map[string]string{"depth": d} }
	doc := &Document{
		Lossy: []Lossy{
			{Operation: "call", Variant: "otel", Parameter: depth("2"), LostShare: 0.3}, {Operation: "call", Variant: "otel", Parameter: depth("8"), LostShare: 0.9},
			{Operation: "call", Variant: "otel", Parameter: depth("16"), LostShare: 0.5}, {Operation: "json", Variant: "otel", LostShare: 0.1},
		},
		Untraced: []Untraced{{Variant: "elastic", Operation: "json"}, {Variant: "kieker", Operation: "json"}, {Variant: "kieker"}},
	}
	for _, c := range []struct {
		operation string
		parameter map[string]string
		variant   string
		want      float64
	}{
		{"call", depth("2"), "otel", 0.3}, {"call", depth("4"), "otel", 0}, {"call", nil, "otel", 0.9}, // a line over all levels: the worst
		{"json", nil, "otel", 0.1}, {"json", map[string]string{}, "otel", 0.1}, {"json", nil, "elastic", 0}, {"", nil, "otel", 0},
	} {
		if got := doc.LostShare(c.operation, c.parameter, c.variant); got != c.want {
			t.Errorf("%s of %s at %v: %g, want %g", c.variant, c.operation, c.parameter, got, c.want)
		}
	}
	for of, want := range map[[2]string]bool{{"elastic", "json"}: true, {"elastic", ""}: false, {"kieker", ""}: true, {"otel", "json"}: false} {
		if got := doc.IsUntraced(of[0], of[1]); got != want {
			t.Errorf("%s: %t", of, got)
		}
	}
	for f, want := range map[*Finding]bool{
		{Operation: "json", Variant: "kieker", Against: "none"}: true, {Operation: "json", Variant: "otel", Against: "kieker"}: true,
		{Operation: "call", Variant: "kieker", Against: "none"}: false, {Variant: "kieker", Against: "none"}: true, {Variant: "elastic", Against: "none"}: false,
	} {
		if got := doc.NotTracing(f); got != want {
			t.Errorf("%+v: %t", f, got)
		}
	}
}
