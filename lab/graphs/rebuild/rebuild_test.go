package rebuild

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
)

// shop simulates a program: front (127.1.0.2) calls cart (127.1.0.3), which calls a store (127.1.0.4), and then
// stock (127.1.0.5). The load generator (127.0.0.1) calls front.
type shop struct {
	capture *packetstest.Capture
	ids     bool // of calls
	events  []event
	traces  int
	ports   uint16
}

// event is something that a process sends at a moment.
type event struct {
	at time.Duration
	do func()
}

const (
	load  = "127.0.0.1"
	front = "127.1.0.2"
	cart  = "127.1.0.3"
	store = "127.1.0.4"
	stock = "127.1.0.5"
)

func spanOfStep(trace, step int) string { return fmt.Sprintf("%08x%08x", trace+1, step+1) }

// call is an HTTP or a Redis call from begin to end, on a connection of its own.
func (s *shop) call(from, to string, trace, step, above int, begin, end time.Duration) {
	s.ports++
	var conn *packetstest.Conn
	request := fmt.Sprintf("GET /%s/%d HTTP/1.1\r\nCookie: secret\r\ntraceparent: 00-%032x-%s-01\r\n",
		to, step, trace+1, spanOfStep(trace, step))
	if s.ids && above >= 0 {
		request += "tracestate: tt=" + spanOfStep(trace, above) + "\r\n"
	}
	request += "\r\n"
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	port := "8080"
	if to == store {
		request, answer, port = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "$1\r\nx\r\n", "6379"
	}
	client := fmt.Sprintf("%s:%d", from, 10_000+s.ports%50_000)
	s.events = append(s.events, event{begin, func() { conn = s.capture.Dial(client, to+":"+port); conn.Ask(request) }},
		event{end, func() { conn.Answer(answer); conn.Close() }})
}

// trace is one operation that begins at a moment and takes 10 ms.
func (s *shop) trace(at time.Duration) {
	t := s.traces
	s.traces++
	ms := func(n int) time.Duration { return at + time.Duration(n)*time.Millisecond }
	s.call(load, front, t, 0, -1, ms(0), ms(10))
	s.call(front, cart, t, 1, 0, ms(1), ms(6))
	s.call(cart, store, t, 2, 1, ms(2), ms(4))
	s.call(front, stock, t, 3, 0, ms(7), ms(9))
}

func (s *shop) play() []byte {
	slices.SortStableFunc(s.events, func(a, b event) int { return int(a.at - b.at) })
	for _, e := range s.events {
		if at := packetstest.Start.Add(e.at); at.After(s.capture.Now) {
			s.capture.Now = at
		}
		e.do()
	}
	return s.capture.Bytes()
}

func newShop() *shop {
	return &shop{capture: packetstest.New(func(c *packetstest.Capture) { c.Step = time.Microsecond; c.Nano = true })}
}

const names = "# who is who\n" + front + "=front\n" + cart + " , cart\n" + store + "=store\n" + stock + ":8080=stock\n"

// paced is a shop with so many traces, which begin so long one after the other; ids are those of calls.
func paced(traces int, apart time.Duration, ids bool) *shop {
	s := newShop()
	s.ids = ids
	for i := range traces {
		s.trace(time.Duration(i) * apart)
	}
	return s
}

// rebuilt rebuilds the traces of a capture, in windows of so many calls.
func rebuilt(t *testing.T, file []byte, window int) (*Summary, []span, [][]string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.pcap")
	write(t, name, file)
	n, err := ReadNames("names.csv", strings.NewReader(names))
	if err != nil {
		t.Fatal(err)
	}
	var spans, calls bytes.Buffer
	r := newRebuilder(Input{Names: n, Files: []string{name}}, Outputs{Spans: &spans, Calls: &calls})
	r.window = window
	out, err := r.run()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&calls).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return out, spansOf(t, spans.Bytes()), rows
}

// known names the means that found the parent of a call.
func known(rows [][]string, trace, step int) string {
	for _, row := range rows {
		if strings.Contains(row[3], "-"+spanOfStep(trace, step)+"-") {
			return row[17]
		}
	}
	return ""
}

// span is one as OTLP has it.
type span struct {
	Service                             string
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  string
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue string }
	}
}

func (s span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue
		}
	}
	return ""
}

func spansOf(t *testing.T, lines []byte) (out []span) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		var request struct {
			ResourceSpans []struct {
				Resource   span
				ScopeSpans []struct{ Spans []span }
			}
		}
		if err := json.Unmarshal(line, &request); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, r := range request.ResourceSpans {
			for _, one := range r.ScopeSpans[0].Spans {
				one.Service = r.Resource.attribute("service.name")
				out = append(out, one)
			}
		}
	}
	return out
}

// tree draws the spans of a trace.
func drawn(spans []span, trace string) string {
	below := map[string][]span{}
	for _, s := range spans {
		if s.TraceID == trace {
			below[s.ParentSpanID] = append(below[s.ParentSpanID], s)
		}
	}
	var draw func(above string) string
	draw = func(above string) string {
		slices.SortFunc(below[above], func(a, b span) int { return strings.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
		var parts []string
		for _, s := range below[above] {
			kind := map[int]string{kindClient: ">", kindServer: ""}[s.Kind]
			parts = append(parts, kind+s.Service+"("+s.attribute("tracetax.parent")+draw(s.SpanID)+")")
		}
		if len(parts) == 0 {
			return ""
		}
		return " " + strings.Join(parts, " ")
	}
	return strings.TrimSpace(draw(""))
}

const whole = "front(root >front(HOW cart(HOW >cart(STORE))) >front(HOW stock(HOW)))"

// A trace has two spans a call and one of a store, below each other, however many windows the capture is read in.
func TestTraces(t *testing.T) {
	for _, test := range []struct {
		name       string
		ids        bool
		apart      time.Duration
		how, store string
	}{
		{"ids, in a crowd", true, 3 * time.Millisecond, "id", ""},
		{"traces, in a crowd", false, 3 * time.Millisecond, "alone", ""},
		{"one at a time", false, 20 * time.Millisecond, "alone", "alone"},
	} {
		for _, window := range []int{mostCalls, 400, 100} {
			t.Run(fmt.Sprintf("%s, windows of %d calls", test.name, window), func(t *testing.T) {
				out, spans, rows := rebuilt(t, paced(1000, test.apart, test.ids).play(), window)
				if len(spans) != 6*1000 || len(rows) != 4*1000+1 || out.Unended != 0 || out.Parents.Unknown != 0 || out.Parents.Roots != 1000 {
					t.Errorf("%d spans, %d rows, %+v", len(spans), len(rows), out)
				}
				if total := out.Traces.Certain + out.Traces.Likely; total != 1000 ||
					out.Traces.CutOff != 0 || test.store != "" && out.Traces.Likely != 0 {
					t.Errorf("traces %+v", out.Traces)
				}
				for i := range 1000 {
					got := drawn(spans, fmt.Sprintf("%032x", i+1))
					want := strings.ReplaceAll(whole, "HOW", test.how)
					if test.store != "" {
						want = strings.ReplaceAll(want, "STORE", test.store)
					} else {
						want = strings.Replace(want, "STORE", "likely", 1)
						got = strings.Replace(got, ">cart(alone)", ">cart(likely)", 1)
						if strings.Count(got, "likely") != 1 { // a store's caller may be guessed wrong
							continue
						}
					}
					if got != want {
						t.Fatalf("trace %d is %s, want %s", i, got, want)
					}
				}
			})
		}
	}
}

// The same parents are found in windows as at once.
func TestWindowsAlike(t *testing.T) {
	s, chance := newShop(), rand.New(rand.NewPCG(1, 2))
	s.ids = true
	at := time.Duration(0)
	for range 3000 {
		at += time.Duration(chance.ExpFloat64() * float64(2*time.Millisecond))
		s.trace(at)
	}
	file := s.play()
	once, _, want := rebuilt(t, file, mostCalls)
	many, _, got := rebuilt(t, file, 500)
	differ := 0
	for i := range want {
		if strings.HasPrefix(want[i][1], store) {
			want[i][15], want[i][16], want[i][17], got[i][15], got[i][16], got[i][17] = "", "", "", "", "", "" // by time
		}
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Log(diff)
			differ++
		}
	}
	if differ > 0 || once.Parents.ID != many.Parents.ID || once.Parents.Roots != 3000 {
		t.Errorf("%d calls differ; %+v and %+v", differ, once.Parents, many.Parents)
	}
}

// Where packets are missing, no parent is certain by time alone: whether their bytes are, or the kernel says that it dropped some.
func TestMissing(t *testing.T) {
	s := paced(100, 20*time.Millisecond, false)
	s.events = append(s.events, event{time.Second, func() {
		conn := s.capture.Dial(load+":9999", front+":8080")
		conn.Next(false, 10)
		conn.Ask("rest")
	}})
	gap, _, _ := rebuilt(t, s.play(), mostCalls)
	in := ran(t, t.TempDir(), paced(100, 20*time.Millisecond, false), 3)
	dropped, err := Run(in, Outputs{})
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []*Summary{gap, dropped} {
		if out.Parents.Alone != 0 || out.Parents.Likely != 300 || out.Parents.Roots != 100 || out.Traces.Certain != 0 {
			t.Errorf("%d bytes missing, %d packets dropped: parents %+v, traces %+v", out.Missing, out.Dropped, out.Parents, out.Traces)
		}
	}
	if text := dropped.Text(); gap.Missing != 10 || !strings.Contains(text, "3 packets dropped by the kernel, no byte missing") {
		t.Errorf("%d bytes missing; %s", gap.Missing, text)
	}
}

// A capture that begins within connections may lack the callers of what comes first: no parent is certain by time alone until some
// seconds later.
func TestMidway(t *testing.T) {
	for _, window := range []int{mostCalls, 100} {
		s := paced(1000, 20*time.Millisecond, false)
		conn := s.capture.Begun(load+":9999", front+":8080")
		s.events = append(s.events, event{0, func() { conn.Answer("the rest of an answer") }})
		out, _, rows := rebuilt(t, s.play(), window)
		if out.Parents.Likely < 700 || out.Parents.Alone < 2000 || out.Parents.Unknown != 0 || rows[2][17] != "likely" {
			t.Errorf("windows of %d: parents %+v, the first %v", window, out.Parents, rows[2])
		}
	}
}

// While a call lasts for minutes its server may have made any call for it: none of those is certain by time alone, and others are.
func TestStale(t *testing.T) {
	s := paced(9000, 20*time.Millisecond, false)
	s.call(load, front, 99_999, 0, -1, 50*time.Second+15*time.Millisecond, 120*time.Second+15*time.Millisecond)
	out, _, rows := rebuilt(t, s.play(), 100)
	how := func(second int) string { return known(rows, second*50, 1) }
	if how(2) != "alone" || how(100) != "likely" || how(175) != "alone" {
		t.Errorf("%s, %s, %s; parents %+v", how(2), how(100), how(175), out.Parents)
	}
}

// What a process calls that served in an earlier window alone is no root.
func TestServedBefore(t *testing.T) {
	for _, window := range []int{mostCalls, 200} {
		s := paced(1000, 3*time.Millisecond, false)
		for i := range 2000 {
			at := 10*time.Second + time.Duration(i)*3*time.Millisecond
			s.call(load, stock, 5000+i, 0, -1, at, at+time.Millisecond)
		}
		s.call(cart, stock, 9999, 0, -1, 15*time.Second, 15*time.Second+time.Millisecond)
		if _, _, rows := rebuilt(t, s.play(), window); known(rows, 9999, 0) != "unknown" {
			t.Errorf("windows of %d: %s", window, known(rows, 9999, 0))
		}
	}
}

// A window begins with the calls that may have made its own, and with all that those made.
func TestCarry(t *testing.T) {
	r := newRebuilder(Input{}, Outputs{})
	at := func(ms int) time.Time { return packetstest.Start.Add(time.Duration(ms) * time.Millisecond) }
	all := make([]call, 5)
	for i, is := range []struct{ begin, end, above int }{{0, 9000, -1}, {10, 20, 0}, {11, 19, 1}, {12, 30, -1}, {3000, 4000, -1}} {
		all[i] = call{above: is.above, of: &trace{}, number: int64(i)}
		all[i].Asked, all[i].AnsweredAll = at(is.begin), at(is.end)
	}
	r.carry(all, at(4500), grace)
	var got []int64
	for _, c := range r.carried {
		got = append(got, c.number)
	}
	if diff := cmp.Diff([]int64{0, 1, 2, 4}, got); diff != "" {
		t.Error(diff)
	}
}

// Credentials are nowhere in what is written.
func TestCredentials(t *testing.T) {
	c := packetstest.New(nil)
	conn := c.Dial("10.0.0.1:4000", "10.0.0.2:80")
	conn.Ask("GET http://me:hidden1@shop/a?b=c HTTP/1.1\r\nHost: me:hidden2@shop\r\nAuthorization: Basic hidden3\r\nCookie: a=hidden4\r\n" +
		"X-API-Key: hidden5\r\nProxy-Authorization: hidden6\r\nSet-Cookie: hidden7\r\nReferer: https://me:hidden8@shop/x\r\nAccept: a@b\r\n\r\n")
	conn.Answer("HTTP/1.1 200 OK\r\nSet-Cookie: hidden9\r\nContent-Length: 0\r\n\r\n")
	_, spans, rows := rebuilt(t, c.Bytes(), mostCalls)
	text, err := json.Marshal([]any{spans, rows})
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][2]string{
		":path": {"/a?token=hidden", "/a"}, ":authority": {"me:hidden@shop:80", leftOut + "@shop:80"}, "from": {"me@shop", "me@shop"},
		"location": {"https://me@shop/a@b", "https://" + leftOut + "@shop/a@b"}, "accept": {"a/b", "a/b"},
	} {
		if got := withoutSecrets(packets.Field{Name: name, Value: values[0]}); got != values[1] {
			t.Errorf("%s: %s is %s, want %s", name, values[0], got, values[1])
		}
	}
	if bytes.Contains(text, []byte("hidden")) || !strings.Contains(rows[1][3], `["Accept","a@b"]`) || strings.Count(rows[1][3], leftOut) != 7 {
		t.Errorf("written is %s", text)
	}
}

// ran writes a results folder with a run of a shop, and reads it.
func ran(t *testing.T, dir string, s *shop, dropped uint64) Input {
	t.Helper()
	text, err := json.Marshal(record.Capture{Workload: "shop", Variant: "none", Block: 2, Files: []string{"none-2.pcap"}, Dropped: &dropped,
		Processes: []record.Captured{
			{Name: "load", Role: "load", Address: load},
			{Name: "front", Role: "app", Address: front, Ports: []int{8080}},
			{Name: "cart", Role: "app", Address: cart, Ports: []int{8080}},
			{Name: "db", Role: "database", Address: store, Ports: []int{6379}, Store: "redis"},
			{Name: "stock", Role: "database", Address: stock, Ports: []int{8080}},
		}, Phases: []record.CapturePhase{{Operation: "buy",
			Begin: packetstest.Start.Add(90 * time.Millisecond), End: packetstest.Start.Add(210 * time.Millisecond)}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "captures", "none-2.json"), text)
	write(t, filepath.Join(dir, "captures", "none-2.pcap"), s.play())
	in, err := Folder(dir)
	if err != nil || len(in) != 1 {
		t.Fatal(in, err)
	}
	return in[0]
}

// A results folder has its names and phases; a call outside is in none.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := Folder(dir); err == nil || !strings.Contains(err.Error(), "--captures") {
		t.Errorf("error %v", err)
	}
	in := ran(t, dir, paced(20, 20*time.Millisecond, false), 0)
	var spans bytes.Buffer
	out, err := Run(in, Outputs{Spans: &spans})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Phase{{Operation: "buy", Traces: 6, Calls: 24}}, out.Phases); diff != "" {
		t.Error(diff)
	}
	for trace, want := range map[int]string{ // stock stands for a store; the trace 3 began before the phase
		8: "front(root >front(alone cart(alone >cart(alone))) >front(alone))", 3: "",
	} {
		if got := drawn(spansOf(t, spans.Bytes()), fmt.Sprintf("%032x", trace)); got != want {
			t.Errorf("trace %d is %s, want %s", trace, got, want)
		}
	}
	said := out.Text()
	for _, want := range []string{
		"shop, none, block 2\n", "80 calls (http 60, redis 20), 0 without an end\n",
		"parent known  by its id 0 · by time, as the only one possible 60 · likely 0 · not known 0\n",
		"20 traces: 20 certain, 0 with a likely parent, 0 cut off\nbuy: 6 traces, 24 calls\n", "µs a trace\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Wrong lines of names are told by their number.
func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.7":                      `n:1: "10.0.0.7" is no name of an address`,
		"address,name\n\ncart=10.0.0.7": `n:3: "cart" is no address`,
		"10.0.0.7=":                     "n:1: the address 10.0.0.7 has no name",
		"10.0.0.7=a\n10.0.0.7=b":        "n:2: the address 10.0.0.7 is a already",
	} {
		if _, err := ReadNames("n", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	n, err := ReadNames("n", strings.NewReader("10.0.0.7=cart\n10.0.0.8=cart-2\n10.0.0.9=no-2\n[fd00::1]:80=six\n"))
	if err != nil || n.service("cart-2") != "cart" || n.service("no-2") != "no-2" || !n.Serves(netip.MustParseAddrPort("[fd00::1]:80")) {
		t.Errorf("names %+v, error %v", n, err)
	}
}

// Memory does not grow with the capture: a fivefold one has the same calls in memory at most.
func TestBounded(t *testing.T) {
	most := func(traces int) (most int) {
		name := filepath.Join(t.TempDir(), "a.pcap")
		write(t, name, paced(traces, 3*time.Millisecond, false).play())
		n, err := ReadNames("names.csv", strings.NewReader(names))
		if err != nil {
			t.Fatal(err)
		}
		var r *rebuilder
		r = newRebuilder(Input{Names: n, Files: []string{name}}, Outputs{Spans: writer(func(b []byte) (int, error) {
			p := r.out.Parents
			most = max(most, len(r.pending)+int(r.number-p.Roots-p.ID-p.Alone-p.Likely-p.Unknown))
			return len(b), nil
		})})
		r.window = 2000
		if _, err := r.run(); err != nil {
			t.Fatal(err)
		}
		return most
	}
	if small, large := most(2000), most(10_000); small == 0 || large > small*3/2 {
		t.Errorf("%d and %d calls at most in memory", small, large)
	}
}

type writer func(b []byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
