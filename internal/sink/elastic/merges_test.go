package elastic

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// captured is what the Java agent sent of one request of ten queries, and of one of five
// queries and five updates; contexts and stack traces are cut out.
func captured(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/java.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// The Java agent counts what it merged among the dropped spans, and the others do not.
func TestMergedAndDropped(t *testing.T) {
	java := captured(t)
	metadata, queries, updates := java[0], java[1:3], java[3:]
	dropped := func(events []string, from, to string) []string {
		changed := strings.Replace(events[len(events)-1], from, to, 1)
		if changed == events[len(events)-1] {
			t.Fatalf("no %s in %s", from, changed)
		}
		return append(events[:len(events)-1:len(events)-1], changed)
	}
	requests := func(all ...[]string) (bodies []string) {
		for _, events := range all {
			bodies = append(bodies, lines(append([]string{metadata}, events...)...))
		}
		return bodies
	}
	goAgent := strings.Replace(metadata, `"name":"java"`, `"name":"go"`, 1)
	tests := map[string]struct {
		bodies                    []string
		spans, merged, suppressed uint64
	}{
		"as it was sent":                 {requests(java[1:]), 5, 17, 0},
		"the transaction in another":     {requests(queries[:1], queries[1:]), 2, 9, 0},
		"two at a time":                  {requests([]string{queries[0], updates[0], updates[1], updates[2], queries[1]}), 5, 17, 0},
		"and by a limit":                 {requests(dropped(queries, `"dropped":9`, `"dropped":12`)), 2, 9, 3},
		"and by a limit, with the count": {requests(dropped(queries, `"dropped":9,"started":1},"dropped_spans_stats":[]`, `"dropped":19,"started":1},"dropped_spans_stats":[{"duration":{"count":10}}]`)), 2, 9, 10},
		"fewer than were merged":         {requests(dropped(queries, `"dropped":9`, `"dropped":4`)), 2, 9, 0},
		"its spans were lost":            {requests(queries[1:]), 1, 0, 9},
		"another agent":                  {[]string{lines(append([]string{goAgent}, java[1:]...)...)}, 5, 17, 17},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			total, address := serve(t, 0)
			for _, body := range test.bodies {
				if status, answer := send(t, address+eventsPath, "", strings.NewReader(body)); status != 202 {
					t.Fatalf("status %d, %s", status, answer)
				}
			}
			c := total.Counts()
			if c.Spans != test.spans || c.Merged != test.merged || c.Suppressed != test.suppressed || c.Services["app"] != c.Spans {
				t.Errorf("spans %d, merged %d, suppressed %d, services %v; want %d, %d, %d", c.Spans, c.Merged, c.Suppressed, c.Services, test.spans, test.merged, test.suppressed)
			}
		})
	}
}

// A transaction that never comes is forgotten in the end, one that is open is not.
func TestMergesAreBounded(t *testing.T) {
	id := func(n int) []byte {
		return []byte(hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(n))))
	}
	var m merges
	const many = 5 * mostMerges
	for i := range many {
		m.add(id(i), 2)
	}
	if held := len(m.young) + len(m.old); held > 2*mostMerges {
		t.Errorf("%d are remembered", held)
	}
	m.add(id(many-1), 3)
	if n := m.take(id(many - 1)); n != 5 {
		t.Errorf("%d of the last one, want 5", n)
	}
	if n := m.take(id(many - mostMerges)); n != 2 {
		t.Errorf("%d of one that is open, want 2", n)
	}
	if n := m.take(id(many-mostMerges)) + m.take(id(0)) + m.take([]byte("no id")); n != 0 {
		t.Errorf("%d of those that are over or none", n)
	}
}
