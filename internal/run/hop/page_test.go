package hop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/record"
)

// says are counters as a Collector has them.
var says = []program.Saying{
	{What: program.SaysReceived, Metrics: "accepted_spans"},
	{What: program.SaysSampled, Metrics: "filtered_spans", Absent: program.AbsentNone},
	{What: program.SaysSampled, Metrics: `sampler_spans{sampled="false"}`, Absent: program.AbsentNone},
	{What: program.SaysDropped, Metrics: "dropped_spans", Absent: program.AbsentNone},
	{What: program.SaysSent, Metrics: "sent_spans", Absent: program.AbsentNone},
}

// text is what a hop says, unreported figures as a dash.
func text(h record.Hop) string {
	var out []string
	for _, n := range []*uint64{h.Received, h.Refused, h.Sampled, h.Dropped, h.Failed, h.Sent} {
		if n == nil {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(*n))
		}
	}
	return strings.Join(out, " ")
}

func TestPage(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		want string // received, refused, sampled, dropped, failed, sent
	}{
		"all": {`# HELP accepted_spans x
# TYPE accepted_spans counter
accepted_spans{receiver="otlp",transport="grpc"} 900
accepted_spans{receiver="otlp",transport="http"} 100
# TYPE filtered_spans counter
filtered_spans{filter="a"} 20
sampler_spans{policy="hash",sampled="false"} 30
sampler_spans{policy="hash",sampled="true"} 950
# TYPE dropped_spans counter
dropped_spans 1
# TYPE sent_spans gauge
sent_spans 9.49e2
`, "1000 - 50 1 - 949"},
		"as OpenMetrics calls counters":    {"accepted_spans_total 7\nsent_spans_total 6\n", "7 - 0 0 - 6"},
		"what has counted nothing is none": {"accepted_spans 7\n", "7 - 0 0 - 0"},
		"but only where a file says so":    {"sent_spans 7\n", "- - 0 0 - 7"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.page) }))
			defer server.Close()
			p := &Page{Hop: "collector", URL: server.URL, Says: says}
			got, err := p.Read(t.Context())
			if err != nil || got.Unreported != "" || text(got) != c.want || !p.Seen() || got.Source != "metrics" || got.Name != "collector" {
				t.Errorf("%s (%v, %+v), want %s", text(got), err, got, c.want)
			}
		})
	}
}

// A counter of which each label counts the same spans is told where it has one label, and unreported where it has several.
func TestCounterOfOneLabel(t *testing.T) {
	says := []program.Saying{{What: program.SaysReceived, Metrics: "in"}, {What: program.SaysSampled, Metrics: `out{sampled="false"}`, One: "policy", Absent: program.AbsentNone}}
	for page, want := range map[string]string{
		"in 9\n": "9 - 0 - - -",
		"in 9\nout{policy=\"a\",sampled=\"false\"} 5\nout{policy=\"a\",sampled=\"true\"} 4\n":  "9 - 5 - - -",
		"in 9\nout{policy=\"a\",sampled=\"false\"} 5\nout{policy=\"b\",sampled=\"false\"} 9\n": "9 - - - - -",
		"in 9\nout{policy=\"a\",sampled=\"false\"} 5\nout{policy=\"b\",sampled=\"true\"} 5\n":  "9 - - - - -",
	} {
		families, err := parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := (&Page{Says: says}).take(families); err != nil || text(got) != want {
			t.Errorf("%q: %s, %v; want %s", page, text(got), err, want)
		}
	}
}

// Of several that add up all have to be there.
func TestPartOfASumIsUntold(t *testing.T) {
	p := &Page{Hop: "x", Says: []program.Saying{{What: program.SaysReceived, Metrics: "a"}, {What: program.SaysReceived, Metrics: "b"}}}
	families, err := parse(strings.NewReader("a 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.take(families); err != nil || got.Received != nil {
		t.Errorf("%s, %v: half of what was received is taken for all of it", text(got), err)
	}
}

// What cannot be read is unreported, and never none.
func TestPageThatCannotBeRead(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]struct{ page, why string }{
		"no number of spans": {"accepted_spans 1.5\n", "1.5 is no number of spans"},
		"below none":         {"accepted_spans -1\n", "-1 is no number of spans"},
		"not a number":       {"accepted_spans NaN\n", "NaN is no number of spans"},
		"no page of these":   {"<html>\n", "text format parsing error"},
		"a histogram":        {"# TYPE accepted_spans histogram\naccepted_spans_bucket{le=\"+Inf\"} 1\naccepted_spans_sum 1\naccepted_spans_count 1\n", "no single number"},
		"missing":            {"", "404"},
		"gone":               {"", "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.page == "" {
					http.NotFound(w, r)
					return
				}
				fmt.Fprint(w, c.page)
			}))
			defer server.Close()
			p := &Page{Hop: "collector", URL: server.URL, Says: says}
			if name == "gone" {
				p.URL = gone.URL
			}
			got, err := p.Read(t.Context())
			if err != nil || got.Reports() || !strings.Contains(got.Unreported, c.why) {
				t.Errorf("%s, unreported %q, %v; want unreported because %q", text(got), got.Unreported, err, c.why)
			}
		})
	}
}

// A page without any of the counters was never seen to tell.
func TestPageOfSomethingElse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "up 1\n") }))
	defer server.Close()
	c := Of("collector", says, server.URL, nil)
	if _, err := c.Read(t.Context()); err != nil || Seen(c) {
		t.Errorf("%v; a page without counters of spans is said to tell of them", err)
	}
}

func TestInterruptedRead(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("enough")
	cancel(because)
	if _, err := (&Page{URL: "http://127.0.0.1:1/", Says: says}).Read(ctx); !errors.Is(err, because) {
		t.Errorf("error %v", err)
	}
}

func lines(all ...string) Lines {
	return Lines{Process: "app", Each: func(_ context.Context, each func(string) error) error {
		for _, line := range all {
			if err := each(line); err != nil {
				return err
			}
		}
		return nil
	}}
}

func TestLog(t *testing.T) {
	says := []program.Saying{
		{What: program.SaysDropped, Log: `total dropped (?P<n>\d+)`, Take: "last"},
		{What: program.SaysFailed, Log: `export failed`, Take: "sum"},
		{What: program.SaysSent, Log: `sent (?P<n>\d+)`, Take: "sum"},
	}
	got, err := Log{Hop: "x", Says: says, Logs: []Lines{
		lines("total dropped 3", "sent 5", "total dropped 7", "export failed", "sent 6"), lines("total dropped 1", "export failed"),
	}}.Read(t.Context())
	if err != nil || text(got) != "- - - 8 2 11" || got.Source != "log" {
		t.Errorf("%s, %v; want 8 dropped, 2 failed, 11 sent", text(got), err)
	}
	if got, err := (Log{Says: says, Logs: []Lines{lines()}}).Read(t.Context()); err != nil || text(got) != "- - - 0 0 0" {
		t.Errorf("a log without such a line says %s, %v", text(got), err)
	}
	left := []program.Saying{{What: program.SaysSampled, Log: `left out (?P<n>\d+)`}}
	for want, logs := range map[string][]Lines{"- - - - - -": {lines("killed"), lines()}, "- - 0 - - -": {lines("left out 0"), lines()}, "- - 7 - - -": {lines("left out 3"), lines("left out 4")}} {
		if got, err := (Log{Says: left, Logs: logs}).Read(t.Context()); err != nil || text(got) != want {
			t.Errorf("what was left out is %s, %v; want %s", text(got), err, want)
		}
	}
	total := []program.Saying{{What: program.SaysSent, Log: `took (?P<n>\d+)`, Take: "last"}, {What: program.SaysSent, Log: `took \d+ and lost (?P<n>\d+)`, Take: "last"}}
	for want, logs := range map[string][]Lines{
		"- - - - - -": {lines("killed")}, "- - - - - 7": {lines("took 4 and lost 3"), lines("makes no spans")}, "- - - - - 8": {lines("took 4 and lost 3"), lines("took 0 and lost 1")},
	} {
		if got, err := (Log{Says: total, Logs: logs}).Read(t.Context()); err != nil || text(got) != want {
			t.Errorf("what was sent in all is %s, %v; want %s", text(got), err, want)
		}
	}
	end := []program.Saying{{What: program.SaysDropped, Log: `stopped, dropped (?P<n>\d+)`, Take: "last", Absent: program.AbsentUnknown}}
	ends := func(all ...string) Lines {
		l := lines(all...)
		l.Speaks = true
		return l
	}
	for want, logs := range map[string][]Lines{
		"- - - 0 - -": {ends("stopped, dropped 0")}, "- - - 5 - -": {ends("stopped, dropped 2"), ends("stopped, dropped 3")},
		"- - - 4 - -": {ends("stopped, dropped 4"), lines("of a database")}, "- - - - - -": {ends("stopped, dropped 2"), ends("killed")},
	} {
		if got, err := (Log{Says: end, Logs: logs}).Read(t.Context()); err != nil || text(got) != want {
			t.Errorf("what was dropped until the end is %s, %v; want %s", text(got), err, want)
		}
	}
	if _, err := (Log{Says: says, Logs: []Lines{lines("sent 99999999999999999999")}}).Read(t.Context()); err == nil {
		t.Error("a number that is too large is taken")
	}
}

// What a program says in its log and on its page adds up.
func TestLogAndPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "accepted_spans 7\ndropped_spans 2\n") }))
	defer server.Close()
	both := append([]program.Saying{{What: program.SaysDropped, Log: `lost (?P<n>\d+)`, Take: "sum"}}, says...)
	c := Of("collector", both, server.URL, []Lines{lines("lost 3")})
	got, err := c.Read(t.Context())
	if err != nil || text(got) != "7 - 0 5 - 0" || got.Source != "metrics and log" || !Seen(c) || c.Name() != "collector" {
		t.Errorf("%s by %q, %v", text(got), got.Source, err)
	}
}

// FuzzPage: whatever is on a page, a figure is told or not, and nothing breaks.
func FuzzPage(f *testing.F) {
	f.Add("accepted_spans{receiver=\"otlp\"} 900\n# TYPE sent_spans counter\nsent_spans 1\n")
	f.Add("accepted_spans_total 1e300\nsent_spans NaN\n")
	f.Add("# TYPE accepted_spans summary\naccepted_spans{quantile=\"0.5\"} 1\n")
	f.Add("accepted_spans{a=\"\\\"}\n\x00")
	f.Fuzz(func(t *testing.T, page string) {
		families, err := parse(strings.NewReader(page))
		if err != nil {
			return
		}
		p := &Page{Hop: "x", Says: says}
		got, err := p.take(families)
		if err == nil && got.Received != nil && !p.seen {
			t.Errorf("%d were received, though no counter was seen", *got.Received)
		}
	})
}

// A histogram is told by how often it has counted, where that is asked for.
func TestHowOftenAHistogramCounted(t *testing.T) {
	families, err := parse(strings.NewReader("# TYPE age histogram\nage_bucket{le=\"1\"} 2\nage_bucket{le=\"+Inf\"} 3\nage_sum 9\nage_count 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&Page{Says: []program.Saying{{What: program.SaysLate, Metrics: "age_count", Absent: program.AbsentNone}}}).take(families)
	if err != nil || got.Late == nil || *got.Late != 3 {
		t.Errorf("%v, %v; want 3", got.Late, err)
	}
}

// A log of which a part was left out does not say what was in it; a running total behind that part is known all the same.
func TestCutLog(t *testing.T) {
	access := strings.Repeat("GET / 200\n", 60_000) // as of a server that logs requests
	log := func(limit int64, text ...string) Lines {
		l, err := output.Create(filepath.Join(t.TempDir(), "app.log"), limit)
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		l.Follow(r)
		if _, err := io.WriteString(w, strings.Join(text, "")); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(), l.Close()); err != nil {
			t.Fatal(err)
		}
		return Lines{Process: "app", Speaks: true, Each: l.Lines, Rest: l.AfterCut}
	}
	const said = "dropped 700 spans\n"
	of := func(l Lines) Lines { // of a process that is not traced
		l.Speaks = false
		return l
	}
	for name, c := range map[string]struct {
		log  Lines
		take string
		want string
	}{
		"whole":                     {log(1<<20, access, said, "good bye\n"), "sum", "- - - 700 - -"},
		"cut, said in the middle":   {log(1000, access, said, access), "sum", "- - - - - -"},
		"cut, said at the end":      {log(1000, access, said, access, said), "sum", "- - - - - -"},
		"a total in the middle":     {log(1000, access, said, access), "last", "- - - - - -"},
		"a total at the end":        {log(1000, access, access, said), "last", "- - - 700 - -"},
		"cut, of a database":        {of(log(1000, access, access)), "sum", "- - - 0 - -"},
		"cut, of one that said it":  {of(log(1000, said, access, access)), "sum", "- - - - - -"},
		"more than the file's room": {log(1000, said, access[:2000]), "sum", "- - - 700 - -"}, // which is in memory
	} {
		says := []program.Saying{{What: program.SaysDropped, Log: `^dropped (?P<n>\d+) spans`, Take: c.take}}
		got, err := Log{Hop: "x", Says: says, Logs: []Lines{c.log}}.Read(t.Context())
		if err != nil || text(got) != c.want || (got.Unreported != "") != (c.want == "- - - - - -") {
			t.Errorf("%s: %s (unreported %q), %v; want %s", name, text(got), got.Unreported, err, c.want)
		}
	}
}

// A page that has none of its counters says nothing, though a log is read beside it.
func TestSeenBesideALog(t *testing.T) {
	says := []program.Saying{{What: program.SaysSent, Metrics: "sent", Absent: program.AbsentNone}, {What: program.SaysDropped, Log: "dropped"}}
	if Seen(Of("x", says, "http://127.0.0.1:1/", nil)) {
		t.Error("a page that was never read was seen")
	}
}
