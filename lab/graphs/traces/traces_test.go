package traces_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/traces"
)

// handmade writes traces of Zipkin's, a line a span. A trace is a list of spans, SERVICE KIND NAME START LENGTH [KEY=VALUE…] [{ SPANS }],
// those in braces below the one before; times are in µs. A + is a space, - is nothing. The keys id, parent and at, a time since 1970,
// are no tags, but take the place of what the text says.
func handmade(t testing.TB, traces ...string) []byte {
	t.Helper()
	var spans []zipkinSpan
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i, text := range traces {
		words, above, last := strings.Fields(text), []string{""}, zipkinSpan{}
		for n := 1; len(words) > 0; {
			switch {
			case words[0] == "{":
				above, words = append(above, last.ID), words[1:]
				continue
			case words[0] == "}":
				above, words = above[:len(above)-1], words[1:]
				continue
			case len(words) < 5:
				t.Fatalf("a span of %d words: %v", len(words), words)
			}
			said := func(i int) string { return strings.ReplaceAll(strings.TrimSuffix(words[i], "-"), "+", " ") }
			last = zipkinSpan{
				TraceID: fmt.Sprintf("%032x", i+1), ID: fmt.Sprint(n), ParentID: above[len(above)-1], LocalEndpoint: endpoint{said(0)},
				Kind: strings.ToUpper(said(1)), Name: said(2), Timestamp: 1_790_000_000_000_000 + int64(i)*1_000_000 + number(words[3]),
				Duration: number(words[4]), Tags: map[string]string{},
			}
			n++
			for words = words[5:]; len(words) > 0 && strings.Contains(words[0], "="); words = words[1:] {
				switch key, value, _ := strings.Cut(words[0], "="); key {
				case "id":
					last.ID = value
				case "parent":
					last.ParentID = value
				case "at":
					last.Timestamp = number(value)
				default:
					last.Tags[key] = value
				}
			}
			spans = append(spans, last)
		}
	}
	return lines(t, spans)
}

// repeat is a text so often.
func repeat(text string, n int) []string { return slices.Repeat([]string{text}, n) }

// Traces of a cache: of one hit and of one miss.
const (
	item = "shop server GET+/item/{id} 0 100 http.method=GET http.route=/item/{id}"
	look = " shop client get 10 20 db.system=redis peer.service=cache db.operation=GET"
	fill = " shop client find 40 20 db.system=mongodb peer.service=items db.operation=find" +
		" shop client set 70 20 db.system=redis peer.service=cache db.operation=SET"
	hit, miss = item + " {" + look + " }", item + " {" + look + fill + " }"
)

// A cache that misses in three of ten is two shapes, and the mix is as the traces are.
func TestMissedCache(t *testing.T) {
	text := handmade(t, append(repeat(hit, 70), repeat(miss, 30)...)...)
	r, g := imported(t, text, traces.Options{})
	want := map[string]string{
		"shop.item-id":   "1 calls, 2 spans: shop.item-id{cache.get}",
		"shop.item-id-2": "3 calls, 4 spans: shop.item-id-2{cache.get; items.find; cache.set}",
	}
	same(t, "a cache", operations(g), want)
	if g.Mix["item-id"] != 70 || g.Mix["item-id-2"] != 30 || r.Operations[0].Shapes != 2 || r.Operations[0].Traces != 100 {
		t.Errorf("mix %v of %+v, want 70 and 30 of one operation", g.Mix, r.Operations)
	}
	if one, g := imported(t, text, traces.Options{Shapes: 1}); one.LeftOut.Traces["rare shapes"] != 30 || len(g.Operations) != 1 {
		t.Errorf("with one shape: %s", one.Summary())
	}
}

// What traces hold is a call, a store, or left out.
func TestHandMade(t *testing.T) {
	for name, c := range map[string]struct {
		traces string // with | between them
		want   string // operations, by their calls
		left   string // in the summary
	}{
		"a client and its server are one call": {"a server /x 0 100 { a client POST 10 50 { b server /y 20 30 } }", "a.x{b.y}", ""},
		"a server without its client":          {"a server /x 0 100 { b server /y 20 30 }", "a.x{b.y}", ""},
		"two server spans of one request":      {"a server /x 0 100 { a server /x 5 90 { b server /y 20 30 } }", "a.x{b.y}", ""},
		"internal spans belong to who made them": {`a server /x 0 100 { a internal check 5 90 {
			a client GET 10 50 { a internal dns 10 5 b server /y 20 30 { b internal think 21 2 } } } }`, "a.x{b.y}", ""},
		"Zipkin's two spans of one id": {`a server /x 0 100 {
			a client POST 10 50 id=2 b server /y 20 30 id=2 { b client get 25 1 db.system=redis } }`, "a.x{b.y{redis.get}}", ""},
		"a client within a client": {"a server /x 0 100 { a client rpc 5 90 { a client GET 10 50 { b server /y 20 30 } } }", "a.x{b.y}", ""},
		"a database over HTTP is one call": {`a server /x 0 100 { a client search 5 90 db.system=elasticsearch db.operation=search {
			a client GET 10 50 http.url=http://user:secret@es:9200/items/_search } }`, "a.x{elasticsearch.search}", ""},
		"a service outside": {`a server /x 0 100 {
			a client GET 10 50 http.method=GET http.url=https://key:secret@pay.example.com/v1/charge?token=secret }`,
			"a.x{pay-example-com.v1-charge}", ""},
		"what is secret": {`http://user:secret@shop/a+b server GET+http://user:secret@shop/x?token=secret 0 100 {
			user:secret@shop client GET 10 5 http.method=GET http.target=/y?token=secret peer.service=user:secret@items
			user:secret@shop client GET 20 5 db.system=redis db.statement=GET+secret peer.service=redis://:secret@cache/0
			user:secret@shop client GET 30 5 http.method=GET http.target=/reset/secret= }`,
			"shop-a-b.x{items.y; cache.get; shop.reset-id}", ""},
		"nobody is named": {"a server /x 0 100 { a client send 10 50 }", "a.x{elsewhere.send}", `guessed: .*1 call to "elsewhere"`},
		"kinds that names tell": {"a - read 0 100 { a - read_b_client 5 90 { b - read_b_server 10 50 { b - b_mongo_find_client 20 10 } } }",
			"a.read{b.read_b_server{b-mongodb.find}}", ""},
		"a root that calls": {"job client load 0 100 db.system=redis db.operation=get", "job.get{redis.get}", ""},
		"a load generator":  {"load client GET 0 200 { a server /x 10 100 }", "a.x", ""},
		"a message": {`a server /x 0 100 { a producer send 10 5 messaging.system=kafka {
			b consumer orders 500 100 messaging.system=kafka messaging.destination=orders } }`, "a.x{b.orders &}", ""},
		"a message that nobody takes": {"a server /x 0 100 { a producer send 10 5 messaging.system=kafka messaging.destination=orders }",
			"a.x{kafka.orders}", ""},
		"an entry by gRPC gets a gateway": {"a server shop.A/Do 0 100 rpc.system=grpc rpc.service=shop.A rpc.method=Do", "gateway.Do{a.Do}", ""},
		"overlaps are at once": {"a server /x 0 100 { b server /b 10 30 c server /c 20 40 d server /d 70 10 }",
			"a.x{(b.b | c.c); d.d}", ""},
		"an overlap in one of two": {`a server /x 0 100 { b server /b 10 10 c server /c 30 40 }
			| a server /x 0 100 { b server /b 10 30 c server /c 20 40 }`, "a.x{(b.b | c.c)}", ""},
		"an order that changes": {`a server /x 0 100 { b server /b 10 10 c server /c 30 40 }
			| a server /x 0 100 { b server /b 80 10 c server /c 30 40 }`, "a.x{(b.b | c.c)}", ""},
		"one pair at once, and others of its name not": {"a server /x 0 100 { b server /b 10 30 b server /b 20 30 b server /b 60 30 }",
			"a.x{(b.b | b.b); b.b}", ""},
		"in turn within at once": {"a server /x 0 100 { b server /b 10 20 c server /c 40 20 d server /d 15 70 }", "a.x{(b.b; c.c | d.d)}", ""},
		"neither in turn nor at once": {"a server /x 0 100 { b server /b 1 10 c server /c 2 28 d server /d 15 25 e server /e 35 15 }",
			"a.x{(b.b | c.c | d.d | e.e)}", "1 method with calls neither in turn nor at once"},
		"in the background":     {"a server /x 0 100 { b server /b 10 500 c server /c 20 40 }", "a.x{b.b &; c.c}", ""},
		"two in the background": {"a server /x 0 100 { b server /b 10 500 c server /c 12 500 d server /d 20 10 }", "a.x{b.b &; c.c &; d.d}", ""},
		"in the background, begun before and behind the next": {`a server /x 0 100 { d server /d 2 3 b server /b 10 500 c server /c 12 40 }
			| a server /x 0 100 { d server /d 2 3 c server /c 10 40 b server /b 12 500 }`, "a.x{d.d; b.b &; c.c}", ""},
		"behind its caller by jitter, once of three": {`a server /x 0 100 { b server /b 10 91 }
			| a server /x 0 100 { b server /b 10 90 } | a server /x 0 100 { b server /b 10 90 }`, "a.x{b.b}", ""},
		"a method that calls itself": {`a server /x 0 100 { a client GET 10 80 { a server /x 20 60 {
			a client GET 30 40 { a server /x 40 20 } } } }`, "a.x{a.x-3{a.x-2}}", ""},
		"the roots' parents are elsewhere": {"a server /x 0 100 parent=99 { b server /y 20 30 }", "a.x{b.y}", ""},
		"a parent is missing": {hit + "| a server /x 0 100 b server /y 20 30 parent=99",
			"shop.item-id{cache.get}", `1 trace \(parent missing\)`},
		"several roots": {hit + "| a server /x 0 100 b server /y 20 30",
			"shop.item-id{cache.get}", `1 trace \(several roots\)`},
		"a circle": {hit + "| a server /x 0 100 b server /y 20 30 parent=3 b server /z 20 30 parent=2",
			"shop.item-id{cache.get}", `1 trace \(spans in a circle\)`},
		"a parent that packets do not tell": {hit + "| a server /x 0 100 { b server /y 20 30 tracetax.parent=likely }",
			"shop.item-id{cache.get}", `1 trace \(a parent that is only likely\)`},
		"its own parent":         {hit + "| a server /x 0 100 parent=1", "shop.item-id{cache.get}", `1 trace \(spans in a circle\)`},
		"no service at the root": {hit + "| - server /x 0 100", "shop.item-id{cache.get}", `1 trace \(no service\)`},
		"no service below":       {"a server /x 0 100 { - internal check 5 90 { b server /y 20 30 } }", "a.x{b.y}", `1 span \(no service\)`},
		"two spans of one id": {"a server /x 0 100 { b server /y 20 30 id=2 b server /y 20 30 id=2 }",
			"a.x{b.y}", `1 span \(an id that another span has\)`},
		"a negative length": {"a server /x 0 100 { b server /y 20 -30 }", "a.x{b.y}", "1 span of negative length"},
		"times of 1970": {"a server /x 0 100 at=1 { b server /y 20 30 at=2 c server /y 20 30 at=3 }",
			"a.x{b.y; c.y}", "3 spans without a time"},
		"names of all kinds": {`Web+Front/1 server GET+/ 0 100 {
			Web+Front.1 server GET+/user/4711/f47ac10b-58cc-4372-a567-0e02b2c3d479 20 30 { 服务 server 方法 20 30 null server true 20 30 } }`,
			"web-front-1-2.index{web-front-1.user-id-id{(null.true | service.index)}}", ""},
		"several verbs of one path": {"a server GET+/cart 0 100 { b server POST+/y 20 30 b server GET+/y 60 30 }", "a.cart{b.y-POST; b.y}", ""},
		"bytes": {`a server /x 0 100 http.response_content_length=4000 {
			b server /y 20 30 http.request.body.size=40 http.response.body.size=70 }`, "a.x{b.y}", "bytes of 1 of 4 messages"},
	} {
		t.Run(name, func(t *testing.T) {
			r, g := imported(t, handmade(t, strings.Split(c.traces, "|")...), traces.Options{})
			var got []string
			for _, o := range g.Operations {
				got = append(got, calls(g, o.Call))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("operations %v, want %s\n%s", got, c.want, r.Text)
			}
			summary := r.Summary()
			if !regexp.MustCompile(c.left).MatchString(summary) || c.left == "" && strings.Contains(summary, "left out") {
				t.Errorf("the summary is %s, want %s in it", summary, c.left)
			}
			if strings.Contains(string(r.Text), "secret") || strings.Contains(string(r.Text), "4711") {
				t.Errorf("what is secret is in the topology:\n%s", r.Text)
			}
		})
	}
}

// A method keeps the time that its calls leave; errors are counted where they begin.
func TestTimesAndErrors(t *testing.T) {
	_, g := imported(t, handmade(t, "a server /x 0 1000 { b server /y 100 2000 c server /z 200 400 }"), traces.Options{})
	if a, _ := g.Find("a.x"); a.Does.Wait.Microseconds() != 600 {
		t.Errorf("a waits %v, want 600µs: nobody awaits b", a.Does.Wait)
	}
	const fine = "a server /x 0 1000 { b server /y 100 200 http.response.body.size=70 c server /z 200 400 }"
	failing := strings.NewReplacer("size=70", "size=70 error=true", "0 1000", "0 1000 error=true").Replace(fine)
	r, g := imported(t, handmade(t, append(repeat(fine, 3), failing)...), traces.Options{Work: 0.3})
	a, _ := g.Find("a.x")
	b, _ := g.Find("b.y")
	// Calls take 100 to 600 of 1,000 µs.
	if a.Does.Wait.Microseconds() != 350 || a.Does.Work.Microseconds() != 150 || a.Does.Errors != 0 {
		t.Errorf("a works %v, waits %v, errors %v; want 150µs, 350µs, 0\n%s", a.Does.Work, a.Does.Wait, a.Does.Errors, r.Text)
	}
	if b.Does.Errors != 0.25 || b.Does.Answer != 70 || b.Does.Request == 0 {
		t.Errorf("b errors %v and answers %d bytes; want 25 %%, 70", b.Does.Errors, b.Does.Answer)
	}
	if !strings.Contains(string(r.Text), "request: 100 # a guess") || strings.Contains(string(r.Text), "answer: 70 #") {
		t.Errorf("guesses are marked, and what is known is not:\n%s", r.Text)
	}
}

// What is more than a topology can have is left out, and counted.
func TestBoundsOfATopology(t *testing.T) {
	fan := func(n int) string {
		trace := "a server /x 0 9000 {"
		for i := range n {
			trace += fmt.Sprintf(" b server /y %d 1", 2*i)
		}
		return trace + " }"
	}
	r, _ := imported(t, handmade(t, fan(1000), fan(1001)), traces.Options{})
	if r.LeftOut.Traces["over 1,000 calls"] != 1 || r.Operations[0].Traces != 1 || !strings.Contains(string(r.Text), "times: 1000") {
		t.Errorf("of 1,000 and 1,001 calls: %s", r.Summary())
	}
	// One trace of a million spans takes little memory, and is left out.
	million := make([]byte, 0, 64<<20)
	for i := range 1_000_000 {
		million = fmt.Appendf(million, `{"traceId":"f","id":"%x","parentId":"1","name":"x","localEndpoint":{"serviceName":"a"}}`+"\n", i+1)
	}
	r, _ = imported(t, append(million, handmade(t, hit)...), traces.Options{})
	if r.LeftOut.Traces["over 50,000 spans"] != 1 || r.LeftOut.Spans["beyond 50,000 of a trace"] != 1_000_000-50_001 || r.Traces != 2 {
		t.Errorf("of a trace with a million spans: %s", r.Summary())
	}
	// 300 services, each with an operation: 200 processes are the most.
	var many []string
	for i := range 300 {
		many = append(many, repeat(fmt.Sprintf("s%d server /x 0 100", i), 1+i%2)...)
	}
	r, g := imported(t, handmade(t, many...), traces.Options{})
	if len(g.Nodes) != 200 || r.LeftOut.Traces["no room in a topology"] != 100 {
		t.Errorf("%d nodes: %s", len(g.Nodes), r.Summary())
	}
	if !strings.Contains(string(r.Text), "  s1:\n") {
		t.Error("the most frequent operations are not kept")
	}
}

// A trace in ten thousand shapes: those that are kept fit, the others are counted.
func TestTenThousandShapes(t *testing.T) {
	var many []string
	for i := range 10_000 {
		trace := "a server /x 0 90000 {"
		for bit := range 14 {
			if i>>bit&1 == 1 {
				trace += fmt.Sprintf(" b server /y%c %d 5", 'a'+bit, 10*bit+1)
			}
		}
		many = append(many, trace+" }")
	}
	for _, shapes := range []int{20, 100_000} {
		r, g := imported(t, handmade(t, many...), traces.Options{Shapes: shapes})
		kept, left := accounted(r)
		if kept+left != 10_000 || len(g.Operations) != kept || shapes == 20 && kept != 20 || shapes > 20 && kept < 200 {
			t.Errorf("with %d shapes %d traces are kept in %d operations, %d left out", shapes, kept, len(g.Operations), left)
		}
	}
}

// accounted are the traces of a topology, and those that are left out of it.
func accounted(r *traces.Result) (kept, left int) {
	for _, o := range r.Operations {
		kept += o.Traces
	}
	for _, n := range r.LeftOut.Traces {
		left += n
	}
	return kept, left
}

// Whatever a file has, the topology of it is valid, and every trace is in it or counted as left out.
func FuzzImport(f *testing.F) {
	f.Add(handmade(f, hit, miss))
	f.Add(handmade(f, "a server /x 0 100 { b consumer y 20 -30 error=1 b client y 20 300 db.system=x }"))
	f.Add([]byte(`{"traceId":"1","id":"1","kind":"CLIENT","localEndpoint":{"serviceName":"a"},"name":"\u0007 GET http://u:p@h/x?y"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		im := traces.New(traces.Options{Shapes: 3, Work: 0.5, Fits: fits})
		if im.Add("fuzz", bytes.NewReader(text)) != nil {
			return
		}
		r, err := im.Topology()
		if err != nil {
			return
		}
		if kept, left := accounted(r); kept+left != r.Traces {
			t.Errorf("%d of %d traces are accounted for: %s", kept+left, r.Traces, r.Summary())
		}
		if !fits(r.Text) {
			t.Errorf("the topology is not valid:\n%s", r.Text)
		}
	})
}
