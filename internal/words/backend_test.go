package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// A backend differs by what it forgot: what it threw away before it had stored it is a loss, and told as one.
func TestBackendDiffers(t *testing.T) {
	n := func(n uint64) *uint64 { return &n }
	for want, b := range map[string]*record.Backend{
		"": {Name: "zipkin", Stored: 900, Dropped: 100, Answered: n(900)},
		"12 spans came to the sink, not to zipkin, and count as lost":                                                               {Name: "zipkin", Stored: 900, Astray: 12, Answered: n(900)},
		"zipkin says that it has stored 900 spans, and answers with 300; 1 span came to the sink, not to zipkin, and count as lost": {Name: "zipkin", Stored: 900, Astray: 1, Answered: n(300)},
		"zipkin says that it has stored 900 spans, and answers with 300":                                                            {Name: "zipkin", Stored: 900, Answered: n(300)},
		"zipkin says that it has stored 900 spans and thrown 100 away, and answers with 300":                                        {Name: "zipkin", Stored: 900, Dropped: 100, Answered: n(300)},
		"zipkin says that it has stored 900 spans; with how many it answers is not known: no":                                       {Name: "zipkin", Stored: 900, Untold: "no"},
	} {
		if got := BackendDiffers(b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := BackendDiffers(nil); got != "" {
		t.Errorf("without a backend: %q", got)
	}
}
