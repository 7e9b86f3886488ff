package run

import (
	"context"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// scripted says one thing after the other.
type scripted struct{ says []record.Hop }

func (*scripted) Name() string { return "relay" }

func (c *scripted) Read(context.Context) (record.Hop, error) {
	said := c.says[0]
	c.says = c.says[1:]
	return said, nil
}

// A hop that has started again, in a process that stayed, knows what it did since, and not what it did in the whole run; also
// where its page could not be read meanwhile.
func TestHopThatStartedAgain(t *testing.T) {
	says := func(n uint64) record.Hop {
		return record.Hop{Name: "relay", Source: record.ByMetrics, Received: &n, Sent: &n}
	}
	away := record.Hop{Name: "relay", Source: record.ByMetrics, Unreported: "its page of counters cannot be read: it is away"}
	for name, c := range map[string]struct {
		says    []record.Hop
		restart bool
	}{
		"it goes on":                   {[]record.Hop{says(0), says(1000), says(1300)}, false},
		"it starts again":              {[]record.Hop{says(0), says(1000), says(300)}, true},
		"it is away, and goes on":      {[]record.Hop{says(1000), away, says(1300)}, false},
		"it is away, and starts again": {[]record.Hop{says(1000), away, says(300)}, true},
		"it starts again, and grows":   {[]record.Hop{says(1000), says(300), says(1300)}, true},
	} {
		s := &stage{record: &record.Record{}}
		s.route.counters = append(s.route.counters, &scripted{c.says})
		s.route.begin()
		for range c.says {
			if err := s.ask(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s.hopsAtEnd()
		if said := s.record.Hops[0]; (said.Received == nil) != c.restart || (said.Unreported != "") != c.restart {
			t.Errorf("%s: over the whole run it took in %v spans (unreported %q)", name, said.Received, said.Unreported)
		}
	}
}
